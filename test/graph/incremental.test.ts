import assert from "node:assert/strict";
import { test } from "node:test";
import type { KnowledgeGraph } from "../../src/graph/types.js";
import fc from "../support/fast-check.js";
import { applyUpdate, checkGraph } from "../support/whole-graph.js";
import {
  arbitraryHistory,
  arbitraryProject,
  arbitraryRenames,
  commit,
  graphOf,
  type Project,
} from "./project-model.js";
import { edgeText } from "./support.js";

const runs = { numRuns: 200 };

function play(
  project: Project,
  history: Parameters<typeof commit>[1][],
  moreThanMoved = false,
): { project: Project; graph: KnowledgeGraph } {
  let graph = graphOf(project);
  for (const steps of history) {
    const { after, update } = commit(project, steps, moreThanMoved);
    graph = applyUpdate(graph, update);
    assert.deepEqual(applyUpdate(graph, { ...update, renamed: [], unlinked: [] }), graph, "twice is once");
    project = after;
  }
  return { project, graph };
}

test("after any writes and deletions the graph equals a clean build, byte for byte", () => {
  fc.assert(
    fc.property(arbitraryProject, arbitraryHistory, (start, history) => {
      const { project, graph } = play(start, history);
      const clean = graphOf(project);
      assert.equal(JSON.stringify({ ...graph, project: 0 }), JSON.stringify({ ...clean, project: 0 }));
      assert.deepEqual(checkGraph(graph), []);
    }),
    runs,
  );
});

test("with renames it holds the same facts", () => {
  const facts = (graph: KnowledgeGraph) => ({
    nodes: graph.nodes
      .map(({ id, type, filePath, lineRange }) => JSON.stringify([id, type, filePath, lineRange]))
      .sort(),
    edges: graph.edges.map(edgeText).sort(),
    layers: graph.layers.flatMap(({ id, nodeIds }) => nodeIds.map((node) => `${id} ${node}`)).sort(),
  });
  fc.assert(
    fc.property(arbitraryProject, arbitraryRenames, fc.boolean(), (start, history, moreThanMoved) => {
      const { project, graph } = play(start, history, moreThanMoved);
      assert.deepEqual(facts(graph), facts(graphOf(project)));
      assert.deepEqual(checkGraph(graph), []);
    }),
    runs,
  );
});
