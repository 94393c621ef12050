import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeGraphUpdate } from "../../src/graph/merge.js";
import type { KnowledgeGraph } from "../../src/graph/types.js";
import { aNode, anEdge } from "./support.js";

const graph: KnowledgeGraph = {
  version: "1.0.0",
  project: { name: "p", languages: [], frameworks: [], description: "", analyzedAt: "then", gitCommitHash: "old" },
  nodes: [aNode("file:a.ts"), aNode("function:a.ts:f"), aNode("file:b.ts"), aNode("file:c.ts")],
  edges: [
    anEdge("file:a.ts", "file:b.ts"),
    anEdge("file:b.ts", "function:a.ts:f", "calls"),
    anEdge("file:b.ts", "file:c.ts"),
  ],
  layers: [{ id: "layer:all", name: "All", description: "", nodeIds: ["file:a.ts", "file:b.ts", "file:c.ts"] }],
  tour: [],
};

test("mergeGraphUpdate replaces the changed files' nodes and drops every edge that touched them", () => {
  const before = structuredClone(graph);
  const merged = mergeGraphUpdate(
    graph,
    ["a.ts"],
    [aNode("file:a.ts", { summary: "new" })],
    [anEdge("file:a.ts", "file:c.ts")],
    "new",
  );
  assert.deepEqual(
    merged.nodes.map(({ id }) => id),
    ["file:b.ts", "file:c.ts", "file:a.ts"],
  );
  assert.deepEqual(merged.edges, [anEdge("file:b.ts", "file:c.ts"), anEdge("file:a.ts", "file:c.ts")]);
  assert.equal(merged.project.gitCommitHash, "new");
  assert.ok(Date.parse(merged.project.analyzedAt) > 0);
  assert.equal(merged.layers, graph.layers);
  assert.deepEqual(graph, before, "the graph that came in stays as it was");
});

test("mergeGraphUpdate leaves nodes without a path alone", () => {
  const withConcept = { ...graph, nodes: [...graph.nodes, { ...aNode("concept:x"), filePath: undefined } as never] };
  assert.equal(mergeGraphUpdate(withConcept, ["a.ts"], [], [], "new").nodes.length, 3);
});
