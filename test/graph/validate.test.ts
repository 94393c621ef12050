import assert from "node:assert/strict";
import { test } from "node:test";
import { GraphError } from "../../src/graph/errors.js";
import { parseGraph } from "../support/parse-graph.js";
import { checkGraph } from "../support/whole-graph.js";
import { aNode, anEdge } from "./support.js";

const sound = {
  version: "1.0.0",
  project: { name: "p", languages: [], frameworks: [], description: "", analyzedAt: "", gitCommitHash: "", extra: 1 },
  nodes: [aNode("file:a.ts", { languageNotes: "x" }), aNode("concept:idea", { type: "concept" })],
  edges: [anEdge("concept:idea", "file:a.ts", "explains")],
  layers: [{ id: "layer:x", name: "X", description: "", nodeIds: ["file:a.ts"] }],
  tour: [{ order: 1, title: "T", description: "", nodeIds: ["file:a.ts"], languageLesson: "l" }],
  other: { tool: true },
};

function refusal(value: unknown): string {
  try {
    parseGraph(typeof value === "string" ? value : JSON.stringify(value));
  } catch (error) {
    assert.ok(error instanceof GraphError);
    return `${error.code}: ${error.message}`;
  }
  return "accepted";
}

test("a sound graph comes through with every field in its place", () => {
  const text = JSON.stringify(sound, null, 2);
  assert.equal(JSON.stringify(parseGraph(text), null, 2), text);
  assert.equal(JSON.stringify(parseGraph(`\uFEFF${text}`), null, 2), text);
  assert.deepEqual(checkGraph(parseGraph(text)), []);
});

test("what other tools leave out is no damage", () => {
  const graph = parseGraph('{"project":{},"nodes":[{"id":"file:a","type":"file","lineRange":null}],"edges":[]}');
  assert.deepEqual(graph.layers, []);
  assert.deepEqual(graph.tour, []);
});

test("text that is no graph is refused with a sentence that says why", () => {
  assert.equal(refusal(""), "not-json: The graph's file is empty.");
  assert.equal(refusal('{"nodes": ['), "not-json: The graph's file is not JSON (near byte 11).");
  assert.equal(refusal("[]"), "wrong-shape: The graph is not an object.");
  assert.equal(
    refusal({ ...sound, project: undefined }),
    `wrong-shape: The graph's "project" is missing, not an object.`,
  );
  assert.equal(refusal({ ...sound, nodes: { a: {} } }), `wrong-shape: The graph's "nodes" is an object, not a list.`);
  assert.equal(refusal({ ...sound, nodes: 3 }), `wrong-shape: The graph's "nodes" is a number, not a list.`);
  assert.equal(refusal({ ...sound, edges: undefined }), `wrong-shape: The graph has no "edges".`);
});

test("the first bad node, edge, layer or step is named", () => {
  const withNode = (node: unknown) => refusal({ ...sound, nodes: [...sound.nodes, node] });
  assert.equal(withNode(null), "wrong-shape: Node 2 is null, not an object.");
  assert.equal(withNode({ type: "file" }), `wrong-shape: Node 2 has no "id".`);
  assert.equal(withNode({ id: "", type: "file" }), `wrong-shape: Node 2: "id" is empty, not a name.`);
  assert.equal(withNode({ id: "file:b", type: 3 }), `wrong-shape: Node 2 (file:b): "type" is a number, not a string.`);
  assert.match(
    withNode({ id: "file:b", type: "file", tags: [1] }),
    /Node 2 \(file:b\): "tags" is a list, not a list of strings/,
  );
  assert.match(withNode({ id: "file:b", type: "file", lineRange: [1] }), /"lineRange" is a list, not two line numbers/);
  const withEdge = (edge: unknown) => refusal({ ...sound, edges: [edge] });
  assert.equal(withEdge({ source: "a", type: "x" }), `wrong-shape: Edge 0 (a) has no "target".`);
  assert.match(
    withEdge({ source: "a", target: "b", type: "x", weight: "1" }),
    /Edge 0 \(a → b\): "weight" is a string/,
  );
  assert.match(refusal({ ...sound, layers: [{ id: "layer:x" }] }), /Layer 0 \(layer:x\) has no "nodeIds"/);
  assert.match(refusal({ ...sound, tour: ["x"] }), /Tour step 0 is a string, not an object/);
});

test("checkGraph lists every inconsistency", () => {
  const graph = parseGraph(JSON.stringify(sound));
  graph.nodes.push(aNode("file:a.ts"), aNode("file:b.ts"), aNode("file:c.ts"));
  graph.edges.push(anEdge("file:a.ts", "file:gone.ts"), anEdge("concept:idea", "file:a.ts", "explains"));
  graph.layers.push({ id: "layer:y", name: "Y", description: "", nodeIds: ["file:b.ts", "file:gone.ts"] });
  graph.layers.push({ id: "layer:z", name: "Z", description: "", nodeIds: ["file:b.ts"] });
  graph.tour.push({ order: 2, title: "", description: "", nodeIds: ["file:gone.ts"] });
  assert.deepEqual(checkGraph(graph), [
    "Node file:a.ts is there twice.",
    "Edge file:a.ts → file:gone.ts (imports) ends at file:gone.ts, which is no node.",
    "Edge concept:idea → file:a.ts (explains) is there twice.",
    "Layer layer:y names file:gone.ts, which is no node.",
    "file:b.ts is in several layers: layer:y, layer:z.",
    "file:c.ts is in no layer.",
    "Tour step 1 names file:gone.ts, which is no node.",
  ]);
});
