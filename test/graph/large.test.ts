import assert from "node:assert/strict";
import { test } from "node:test";
import { sliceAll } from "../../src/graph/analyses.js";
import { applyUpdate } from "../../src/graph/merge.js";
import type { GraphEdge, GraphNode, KnowledgeGraph } from "../../src/graph/types.js";
import { checkGraph } from "../../src/graph/validate.js";
import { growth, NOT_QUADRATIC } from "../support/growth.js";
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

const base = { files: [], deleted: [], renamed: [], nodes: [], edges: [], commit: "c", at: "t" };
/** Up to 16,000 nodes and 48,000 edges. */
const graphs = new Map([1, 4].map((times) => [times, largeGraph(400 * times, 9, 21)]));
const graphOf = (times: number) => graphs.get(times) as KnowledgeGraph;

test("one file in a large graph: its update, and the pieces of all files, take time that grows with the graph only", () => {
  const applied = growth((times) => {
    const graph = graphOf(times);
    const path = graph.nodes[2_000]?.filePath ?? "";
    const updated = applyUpdate(graph, {
      ...base,
      files: [path, "dir5/new.ts"],
      nodes: [aNode(`file:${path}`), aNode(`function:${path}:f1`), aNode("file:dir5/new.ts")],
      edges: [anEdge(`file:${path}`, "file:dir5/new.ts")],
    });
    assert.deepEqual(checkGraph(updated), []);
  });
  assert.ok(applied < NOT_QUADRATIC, `applied: ${applied.toFixed(1)} times`);
  const sliced = growth((times) => void sliceAll(graphOf(times)));
  assert.ok(sliced < NOT_QUADRATIC, `sliced: ${sliced.toFixed(1)} times`);
});

test("all files at once come and go in time that grows with them only", () => {
  const filled = growth((times) => {
    const graph = graphOf(times);
    const project = { ...graph.project, gitCommitHash: "c", analyzedAt: "t" };
    const empty = { ...graph, nodes: [], edges: [], layers: [], project };
    const files = [...new Set(graph.nodes.map(({ filePath }) => filePath ?? ""))];
    const full = applyUpdate(empty, { ...base, files, nodes: graph.nodes, edges: graph.edges });
    assert.deepEqual([full.nodes.length, full.edges.length], [graph.nodes.length, graph.edges.length]);
    if (times > 1) return;
    assert.deepEqual(full.nodes, graph.nodes);
    assert.deepEqual(full.edges, graph.edges);
    assert.deepEqual(applyUpdate(full, { ...base, deleted: files }), empty);
  });
  assert.ok(filled < NOT_QUADRATIC, `${filled.toFixed(1)} times`);
});
