import assert from "node:assert/strict";
import { test } from "node:test";
import type { GraphEdge, GraphNode, KnowledgeGraph } from "../../src/graph/types.js";
import { applyUpdate, checkGraph } from "../support/whole-graph.js";
import { aNode, anEdge } from "./support.js";

function largeGraph(files: number, functions: number, edgesEach: number): KnowledgeGraph {
  const paths = Array.from({ length: files }, (_, i) => `dir${i % 100}/file${String(i).padStart(6, "0")}.ts`).sort();
  const nodes: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  for (const [i, path] of paths.entries()) {
    nodes.push(aNode(`file:${path}`));
    for (let f = 0; f < functions; f++) {
      nodes.push(aNode(`function:${path}:f${f}`));
      edges.push(anEdge(`file:${path}`, `function:${path}:f${f}`, "contains"));
    }
    for (let e = 0; e < edgesEach; e++)
      edges.push(anEdge(`file:${path}`, `file:${paths[(i + e + 1) % files] ?? path}`));
  }
  const layers = [{ id: "layer:all", name: "", description: "", nodeIds: paths.map((path) => `file:${path}`) }];
  const project = { name: "", languages: [], frameworks: [], description: "", analyzedAt: "", gitCommitHash: "" };
  return { version: "1.0.0", project, nodes, edges, layers, tour: [] };
}

const graph = largeGraph(5000, 9, 21);
const base = { files: [], deleted: [], renamed: [], nodes: [], edges: [], commit: "c", at: "t" };

// What compares each node or edge with each other takes minutes here. How long it takes is a row of bench/scale.ts.
const LARGE = { timeout: 60_000 };

test("one file in 50,000 nodes and 150,000 edges is updated", LARGE, () => {
  assert.equal(graph.nodes.length, 50_000);
  assert.equal(graph.edges.length, 150_000);
  const path = graph.nodes[25_000]?.filePath ?? "";
  const applied = applyUpdate(graph, {
    ...base,
    files: [path, "dir5/new.ts"],
    nodes: [aNode(`file:${path}`), aNode(`function:${path}:f1`), aNode("file:dir5/new.ts")],
    edges: [anEdge(`file:${path}`, "file:dir5/new.ts")],
  });
  assert.deepEqual(checkGraph(applied), []);
});

test("all files at once come and go", LARGE, () => {
  const empty = {
    ...graph,
    nodes: [],
    edges: [],
    layers: [],
    project: { ...graph.project, gitCommitHash: "c", analyzedAt: "t" },
  };
  const files = [...new Set(graph.nodes.map(({ filePath }) => filePath ?? ""))];
  const filled = applyUpdate(empty, { ...base, files, nodes: graph.nodes, edges: graph.edges });
  assert.deepEqual(filled.nodes, graph.nodes);
  assert.deepEqual(filled.edges, graph.edges);
  assert.deepEqual(applyUpdate(filled, { ...base, deleted: files }), empty);
});
