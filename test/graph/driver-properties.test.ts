import assert from "node:assert/strict";
import { test } from "node:test";
import type { KnowledgeGraph } from "../../src/graph/types.js";
import fc from "../support/fast-check.js";
import { checkGraph } from "../support/whole-graph.js";
import { anyGraph, canonical, mergeGraphs } from "./driver-model.js";

const base = fc.option(anyGraph, { nil: null });
const commitOf = (graph: KnowledgeGraph) => graph.project.gitCommitHash;
const runs = { numRuns: 400 };

test("merge driver: whatever three sound graphs come in, a sound one comes out", () => {
  fc.assert(
    fc.property(base, anyGraph, anyGraph, (was, ours, theirs) => {
      assert.deepEqual(checkGraph(mergeGraphs(was, ours, theirs, "c")), []);
    }),
    runs,
  );
});

test("merge driver: two equal sides, and a side that did nothing, change nothing but the order of the file", () => {
  fc.assert(
    fc.property(base, anyGraph, (was, side) => {
      const text = canonical(side);
      assert.equal(JSON.stringify(mergeGraphs(was, side, side, commitOf(side))), text);
      if (was === null) return;
      assert.equal(JSON.stringify(mergeGraphs(was, side, was, commitOf(side))), text);
      assert.equal(JSON.stringify(mergeGraphs(was, was, side, commitOf(side))), text);
    }),
    runs,
  );
});

test("merge driver: the same nodes, words, edges and places whichever side is ours", () => {
  const sorted = (graph: KnowledgeGraph) => ({
    nodes: Object.fromEntries(graph.nodes.map((node) => [node.id, node])),
    edges: Object.fromEntries(graph.edges.map((edge) => [`${edge.source} ${edge.target} ${edge.type}`, edge])),
    layers: Object.fromEntries(
      graph.layers.map((layer) => [layer.id, { ...layer, nodeIds: [...layer.nodeIds].sort() }]),
    ),
  });
  fc.assert(
    fc.property(base, anyGraph, anyGraph, (was, ours, theirs) => {
      const [one, other] = [mergeGraphs(was, ours, theirs, "c"), mergeGraphs(was, theirs, ours, "c")];
      assert.deepEqual(sorted(one), sorted(other));
    }),
    runs,
  );
});

test("merge driver: a merge that is merged again with a side stays as it is", () => {
  fc.assert(
    fc.property(anyGraph, anyGraph, anyGraph, (was, ours, theirs) => {
      const merged = mergeGraphs(was, ours, theirs, "c");
      const again = mergeGraphs(theirs, merged, theirs, "c");
      assert.deepEqual(again, merged);
    }),
    runs,
  );
});
