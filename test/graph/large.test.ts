import assert from "node:assert/strict";
import { test } from "node:test";
import { sliceAll } from "../../src/graph/analyses.js";
import { applyUpdate } from "../../src/graph/merge.js";
import type { GraphEdge, GraphNode, KnowledgeGraph } from "../../src/graph/types.js";
import { checkGraph } from "../../src/graph/validate.js";
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

function fastest<T>(action: () => T): { ms: number; value: T } {
  const runs = [0, 1, 2].map(() => {
    const started = performance.now();
    const value = action();
    return { ms: performance.now() - started, value };
  });
  return runs.reduce((best, run) => (run.ms < best.ms ? run : best));
}

const graph = largeGraph(5000, 9, 21);
const base = { files: [], deleted: [], renamed: [], nodes: [], edges: [], commit: "c", at: "t" };

test("one file in 50,000 nodes and 150,000 edges is about as cheap as reading and writing the graph", (t) => {
  assert.equal(graph.nodes.length, 50_000);
  assert.equal(graph.edges.length, 150_000);
  const path = graph.nodes[25_000]?.filePath ?? "";
  const copied = fastest(() => JSON.parse(JSON.stringify(graph, null, 2)));
  const applied = fastest(() =>
    applyUpdate(graph, {
      ...base,
      files: [path, "dir5/new.ts"],
      nodes: [aNode(`file:${path}`), aNode(`function:${path}:f1`), aNode("file:dir5/new.ts")],
      edges: [anEdge(`file:${path}`, "file:dir5/new.ts")],
    }),
  );
  const sliced = fastest(() => sliceAll(graph));
  const ms = [copied, applied, sliced].map((run) => run.ms.toFixed(0));
  t.diagnostic(`read and written in ${ms[0]} ms, applied in ${ms[1]} ms, sliced in ${ms[2]} ms`);
  assert.ok(applied.ms < 1.5 * copied.ms);
  assert.ok(sliced.ms < copied.ms);
  assert.deepEqual(checkGraph(applied.value), []);
});

test("all files at once come and go in time that grows with them only", (t) => {
  const empty = {
    ...graph,
    nodes: [],
    edges: [],
    layers: [],
    project: { ...graph.project, gitCommitHash: "c", analyzedAt: "t" },
  };
  const files = [...new Set(graph.nodes.map(({ filePath }) => filePath ?? ""))];
  const one = fastest(() => applyUpdate(graph, base));
  const filled = fastest(() => applyUpdate(empty, { ...base, files, nodes: graph.nodes, edges: graph.edges }));
  t.diagnostic(`filled in ${filled.ms.toFixed(0)} ms`);
  assert.ok(filled.ms < 10 * one.ms);
  assert.deepEqual(filled.value.nodes, graph.nodes);
  assert.deepEqual(filled.value.edges, graph.edges);
  assert.deepEqual(applyUpdate(filled.value, { ...base, deleted: files }), empty);
});
