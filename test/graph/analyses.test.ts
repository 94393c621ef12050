import assert from "node:assert/strict";
import { test } from "node:test";
import { sliceAll, sliceAnalysis, sliceSome } from "../../src/graph/analyses.js";
import { applyUpdate } from "../../src/graph/merge.js";
import type { KnowledgeGraph } from "../../src/graph/types.js";
import fc from "../support/fast-check.js";
import { arbitraryProject, graphOf } from "./project-model.js";
import { aNode, anEdge } from "./support.js";

const graph: KnowledgeGraph = {
  version: "1.0.0",
  project: { name: "p", languages: [], frameworks: [], description: "", analyzedAt: "", gitCommitHash: "" },
  nodes: [
    aNode("file:a.ts"),
    aNode("file:b.ts"),
    aNode("function:a.ts:f"),
    { id: "concept:x", type: "concept", name: "x", summary: "", tags: [], complexity: "simple" },
  ],
  edges: [
    anEdge("file:a.ts", "function:a.ts:f", "contains"),
    anEdge("file:b.ts", "function:a.ts:f", "calls"),
    anEdge("concept:x", "function:a.ts:f", "explains"),
    anEdge("function:a.ts:f", "concept:x", "shows"),
    anEdge("concept:x", "concept:x", "is"),
  ],
  layers: [{ id: "layer:l", name: "L", description: "d", nodeIds: ["file:a.ts", "file:b.ts"], colour: "red" }],
  tour: [],
};

test("a slice holds a file's nodes and the edges that it owns", () => {
  assert.deepEqual(sliceAnalysis(graph, "a.ts"), {
    nodes: [graph.nodes[0], graph.nodes[2]],
    edges: [graph.edges[0], graph.edges[2], graph.edges[3]],
    layer: { id: "layer:l", name: "L", description: "d", colour: "red" },
    inboundFrom: ["b.ts"],
  });
  assert.deepEqual(sliceAnalysis(graph, "b.ts")?.edges, [graph.edges[1]]);
  assert.equal(sliceAnalysis(graph, "none.ts"), undefined);
});

test("a file that went and came back with its slice leaves the graph as it was", () => {
  fc.assert(
    fc.property(arbitraryProject, fc.nat(), (project, pick) => {
      const whole = graphOf(project);
      const slices = sliceAll(whole);
      const path = [...slices.keys()][pick % Math.max(slices.size, 1)];
      const slice = slices.get(path ?? "");
      if (path === undefined || slice === undefined) return;
      const update = { renamed: [], commit: "c", at: "t" };
      const without = applyUpdate(whole, { ...update, files: [], deleted: [path], nodes: [], edges: [] });
      const theirs = slice.inboundFrom.flatMap((other) => slices.get(other)?.edges ?? []);
      const back = applyUpdate(without, {
        ...update,
        files: [path],
        deleted: [],
        nodes: slice.nodes,
        edges: [...slice.edges, ...theirs],
        layerOf: new Map(slice.layer ? [[path, slice.layer]] : []),
      });
      assert.equal(JSON.stringify(back), JSON.stringify(whole));
    }),
    { numRuns: 300 },
  );
});

test("every node with a file and every edge with a file is in exactly one slice", () => {
  const slices = [...sliceAll(graph).values()];
  assert.equal(slices.flatMap(({ nodes }) => nodes).length, 3);
  assert.equal(slices.flatMap(({ edges }) => edges).length, 4);
});

test("slices of a few files are what they are among all", () => {
  fc.assert(
    fc.property(arbitraryProject, fc.nat(), (project, pick) => {
      const { nodes, edges, ...made } = graphOf(project);
      const whole = { ...made, nodes: [...nodes, ...graph.nodes], edges: [...edges, ...graph.edges] };
      const all = sliceAll(whole);
      const paths = [...all.keys()].filter((_, at) => (pick >> at) % 2 === 1);
      const some = sliceSome(whole, new Set(paths));
      assert.deepEqual([...some.keys()].sort(), [...paths].sort());
      for (const path of paths) assert.deepEqual(some.get(path), all.get(path));
    }),
    { numRuns: 200 },
  );
});
