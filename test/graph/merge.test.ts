import assert from "node:assert/strict";
import { test } from "node:test";
import { GraphError } from "../../src/graph/errors.js";
import type { GraphUpdate } from "../../src/graph/merge.js";
import type { KnowledgeGraph, Layer } from "../../src/graph/types.js";
import { applyUpdate, checkGraph } from "../support/whole-graph.js";
import { aNode, anEdge, edgeText } from "./support.js";

const layer = (id: string, ...nodeIds: string[]): Layer => ({ id, name: id, description: "why", nodeIds });

function aGraph(): KnowledgeGraph {
  return {
    version: "1.0.0",
    project: { name: "p", languages: [], frameworks: [], description: "", analyzedAt: "then", gitCommitHash: "old" },
    nodes: [
      aNode("file:src/a.ts"),
      aNode("file:src/b.ts"),
      aNode("function:src/a.ts:f", { lineRange: [1, 5], languageNotes: "generators" }),
      aNode("class:src/b.ts:B"),
      aNode("function:src/a.ts:g", { lineRange: [6, 9] }),
      aNode("file:lib/c.ts"),
      { id: "concept:idea", type: "concept", name: "Idea", summary: "", tags: [], complexity: "simple" },
      aNode("endpoint:src/a.ts:GET /", { type: "endpoint" }),
    ],
    edges: [
      anEdge("file:src/a.ts", "function:src/a.ts:f", "contains"),
      anEdge("file:src/b.ts", "file:src/a.ts"),
      anEdge("class:src/b.ts:B", "function:src/a.ts:f", "calls", { description: "LLM" }),
      anEdge("file:src/a.ts", "function:src/a.ts:g", "contains"),
      anEdge("function:src/a.ts:f", "file:lib/c.ts", "calls"),
      anEdge("class:src/b.ts:B", "function:src/a.ts:g", "calls"),
      anEdge("concept:idea", "function:src/a.ts:f", "explains"),
    ],
    layers: [layer("layer:one", "file:src/b.ts", "file:src/a.ts"), layer("layer:two", "file:lib/c.ts")],
    tour: [
      { order: 1, title: "Hello", description: "words only", nodeIds: [] },
      { order: 2, title: "f", description: "", nodeIds: ["function:src/a.ts:f", "file:src/a.ts"], languageLesson: "l" },
      { order: 3, title: "g", description: "", nodeIds: ["function:src/a.ts:g"] },
    ],
    other: true,
  };
}

const nothing: GraphUpdate = { files: [], deleted: [], renamed: [], nodes: [], edges: [], commit: "new", at: "now" };
const apply = (update: Partial<GraphUpdate>, graph = aGraph()) => applyUpdate(graph, { ...nothing, ...update });
const ids = (graph: KnowledgeGraph) => graph.nodes.map(({ id }) => id);

test("an empty update moves commit and time, and nothing else", () => {
  const graph = aGraph();
  const updated = apply({}, graph);
  const expected = { ...graph, project: { ...graph.project, gitCommitHash: "new", analyzedAt: "now" } };
  assert.equal(JSON.stringify(updated), JSON.stringify(expected));
  assert.deepEqual(checkGraph(updated), []);
});

test("an agent's result replaces a file in place; untouched files keep their edges to ids that exist again", () => {
  const graph = aGraph();
  const before = structuredClone(graph);
  const updated = apply(
    {
      files: ["src/a.ts"],
      nodes: [
        aNode("file:src/a.ts", { summary: "fresh" }),
        aNode("function:src/a.ts:new"),
        aNode("function:src/a.ts:f", { summary: "fresh f" }),
      ],
      edges: [anEdge("file:src/a.ts", "function:src/a.ts:new", "contains"), anEdge("file:src/a.ts", "file:gone.ts")],
    },
    graph,
  );
  assert.deepEqual(ids(updated), [
    "file:src/a.ts",
    "function:src/a.ts:new",
    "file:src/b.ts",
    "function:src/a.ts:f",
    "class:src/b.ts:B",
    "file:lib/c.ts",
    "concept:idea",
  ]);
  assert.deepEqual(updated.edges.map(edgeText), [
    "file:src/a.ts contains function:src/a.ts:new",
    "file:src/b.ts imports file:src/a.ts",
    "class:src/b.ts:B calls function:src/a.ts:f",
    "concept:idea explains function:src/a.ts:f",
  ]);
  assert.equal(updated.nodes[3]?.summary, "fresh f");
  assert.equal(updated.nodes[3]?.languageNotes, undefined);
  assert.deepEqual(
    updated.tour.map(({ title }) => title),
    ["Hello", "f"],
  );
  assert.deepEqual(updated.layers, graph.layers);
  assert.deepEqual(checkGraph(updated), []);
  assert.deepEqual(graph, before, "the graph that came in stays as it was");
});

test("the structural analyzer adds structure and keeps descriptions, foreign nodes and foreign edges", () => {
  const structural = {
    structural: true,
    files: ["src/a.ts"],
    nodes: [
      aNode("file:src/a.ts", { summary: "TypeScript file with 1 function" }),
      aNode("function:src/a.ts:f", { summary: "Function with 0 parameters", lineRange: [3, 8], tags: ["function"] }),
    ],
    edges: [anEdge("file:src/a.ts", "function:src/a.ts:f", "contains", { weight: 1 })],
  };
  const updated = apply({ ...structural, drift: new Map([["src/a.ts", "body"]]) });
  const f = updated.nodes.find(({ id }) => id === "function:src/a.ts:f");
  const old = aGraph().nodes[2];
  assert.equal(JSON.stringify(f), JSON.stringify({ ...old, lineRange: [3, 8], describes: "unknown" }));
  assert.ok(ids(updated).includes("endpoint:src/a.ts:GET /"));
  assert.ok(!ids(updated).includes("function:src/a.ts:g"));
  assert.ok(updated.edges.map(edgeText).includes("function:src/a.ts:f calls file:lib/c.ts"));
  assert.deepEqual(updated.edges[0], aGraph().edges[0], "the same edge stays as it was written");

  const reviewed = apply({ ...structural, drift: new Map([["src/a.ts", "interface"]]) });
  const marked = reviewed.nodes.filter(({ needsReview }) => needsReview === true).map(({ id }) => id);
  assert.deepEqual(marked, ["file:src/a.ts", "function:src/a.ts:f", "endpoint:src/a.ts:GET /"]);
  const again = apply({ ...structural, drift: new Map([["src/a.ts", "body"]]) }, reviewed);
  assert.deepEqual(again, reviewed, "a mark stays until someone looks");
  const looked = apply({ files: ["src/a.ts"] }, reviewed);
  assert.ok(
    looked.nodes.every(({ needsReview }) => needsReview === undefined),
    "looked at, nothing to say",
  );
  assert.deepEqual(ids(looked), ids(reviewed));
});

test("what the structural analyzer wrote itself it may rewrite", () => {
  const nodes = [aNode("file:src/a.ts", { summary: "TypeScript file with 2 functions", complexity: "complex" })];
  const graph = apply({
    files: ["src/a.ts"],
    nodes: [aNode("file:src/a.ts", { summary: "TypeScript file with 1 function" })],
  });
  const updated = apply(
    { structural: true, files: ["src/a.ts"], nodes, drift: new Map([["src/a.ts", "interface"]]) },
    graph,
  );
  assert.deepEqual(updated.nodes[0], nodes[0]);
});

test("a deleted file takes its nodes, edges, layer entries and tour steps along; an emptied layer goes", () => {
  const updated = apply({ deleted: ["src/a.ts", "lib/c.ts", "never.ts"] });
  assert.deepEqual(ids(updated), ["file:src/b.ts", "class:src/b.ts:B", "concept:idea"]);
  assert.deepEqual(updated.edges, []);
  assert.deepEqual(updated.layers, [layer("layer:one", "file:src/b.ts")]);
  assert.deepEqual(
    updated.tour.map(({ title }) => title),
    ["Hello"],
  );
  assert.deepEqual(checkGraph(updated), []);
});

test("a new file joins the layer of its directory, of the nearest one above, or a new one", () => {
  const files = ["src/new.ts", "src/deep/er/x.ts", "lib/sub/y.ts", "tools/z.ts", "root.ts", "tools/a.ts"];
  const updated = apply({ files, nodes: files.map((path) => aNode(`file:${path}`)) });
  assert.deepEqual(
    updated.layers.map(({ id, nodeIds }) => [id, nodeIds]),
    [
      ["layer:one", ["file:src/b.ts", "file:src/deep/er/x.ts", "file:src/new.ts", "file:src/a.ts"]],
      ["layer:root", ["file:root.ts"]],
      ["layer:tools", ["file:tools/a.ts", "file:tools/z.ts"]],
      ["layer:two", ["file:lib/c.ts", "file:lib/sub/y.ts"]],
    ],
  );
  assert.deepEqual(checkGraph(updated), []);
});

test("a file that comes back goes where it was, even if its layer was gone", () => {
  const graph = aGraph();
  const gone = apply({ deleted: ["lib/c.ts"] }, graph);
  const { nodeIds: _, ...shell } = graph.layers[1] ?? layer("");
  const back = apply(
    { files: ["lib/c.ts"], nodes: [aNode("file:lib/c.ts")], layerOf: new Map([["lib/c.ts", shell]]) },
    gone,
  );
  assert.deepEqual(back.layers, graph.layers);
});

test("a new architecture and tour are taken, and repaired", () => {
  const updated = apply({
    layers: [
      layer("layer:x", "file:src/a.ts", "file:gone.ts", "file:src/a.ts"),
      layer("layer:two", "file:src/a.ts"),
      layer("layer:y"),
    ],
    tour: [{ order: 1, title: "T", description: "", nodeIds: ["file:gone.ts"] }],
  });
  assert.deepEqual(
    updated.layers.map(({ id, nodeIds }) => [id, nodeIds]),
    [
      ["layer:x", ["file:src/a.ts", "file:src/b.ts"]],
      ["layer:two", ["file:lib/c.ts"]],
    ],
  );
  assert.deepEqual(updated.tour, []);
  assert.deepEqual(checkGraph(updated), []);
});

test("a rename moves ids, edges, layer and tour entries, and descriptions", () => {
  const updated = apply({ renamed: [{ from: "src/a.ts", to: "src/z.ts" }] });
  const expected = JSON.stringify(aGraph())
    .replaceAll("src/a.ts", "src/z.ts")
    .replace('"name":"a.ts"', '"name":"z.ts"')
    .replace('"then"', '"now"')
    .replace('"old"', '"new"');
  assert.equal(JSON.stringify(updated), expected);
});

test("two files can swap names; a rename can overwrite", () => {
  const swapped = apply({
    renamed: [
      { from: "src/a.ts", to: "src/b.ts" },
      { from: "src/b.ts", to: "src/a.ts" },
    ],
  });
  assert.ok(ids(swapped).includes("function:src/b.ts:f"));
  assert.ok(ids(swapped).includes("class:src/a.ts:B"));
  assert.deepEqual(checkGraph(swapped), []);
  const overwritten = apply({ renamed: [{ from: "lib/c.ts", to: "src/a.ts" }] });
  assert.deepEqual(ids(overwritten), ["file:src/b.ts", "class:src/b.ts:B", "file:src/a.ts", "concept:idea"]);
  assert.deepEqual(overwritten.edges.map(edgeText), ["file:src/b.ts imports file:src/a.ts"]);
  assert.deepEqual(checkGraph(overwritten), []);
});

test("a file that leaves its top directory leaves that directory's layer, but not one that was thought of", () => {
  const graph = {
    ...aGraph(),
    layers: [layer("layer:src", "file:src/a.ts", "file:src/b.ts"), layer("layer:idea", "file:lib/c.ts")],
  };
  const updated = apply(
    {
      renamed: [
        { from: "src/a.ts", to: "app/a.ts" },
        { from: "lib/c.ts", to: "ext/c.ts" },
      ],
    },
    graph,
  );
  assert.deepEqual(
    updated.layers.map(({ id, nodeIds }) => [id, nodeIds]),
    [
      ["layer:app", ["file:app/a.ts"]],
      ["layer:src", ["file:src/b.ts"]],
      ["layer:idea", ["file:ext/c.ts"]],
    ],
  );
});

test("duplicates and dangling ends that were there before are repaired", () => {
  const graph = aGraph();
  graph.nodes.push(aNode("file:src/b.ts", { summary: "second" }));
  graph.edges.push(anEdge("file:src/b.ts", "file:src/a.ts"), anEdge("file:src/b.ts", "file:gone.ts"));
  graph.layers.push(layer("layer:three", "file:src/b.ts", "file:gone.ts"));
  const updated = apply({}, graph);
  assert.deepEqual(checkGraph(updated), []);
  assert.equal(JSON.stringify(updated.nodes), JSON.stringify(aGraph().nodes));
  assert.equal(JSON.stringify(updated.edges), JSON.stringify(aGraph().edges));
  assert.equal(JSON.stringify(updated.layers), JSON.stringify(aGraph().layers));
});

test("absolute paths become relative; a path out of the project is refused, and the node named", () => {
  const updated = apply({
    root: "/home/me/p/",
    files: ["/home/me/p/src/a.ts", "./src/n.ts"],
    nodes: [
      aNode("file:/home/me/p/src/a.ts", { filePath: "/home/me/p/src/a.ts" }),
      aNode("file:src/n.ts", { filePath: "./src//n.ts" }),
      { ...aNode("file:./src/n.ts"), filePath: undefined } as never,
    ],
    edges: [anEdge("file:/home/me/p/src/a.ts", "file:./src/n.ts")],
  });
  assert.deepEqual(
    updated.nodes.filter(({ type }) => type === "file").map(({ id, filePath }) => [id, filePath]),
    [
      ["file:src/a.ts", "src/a.ts"],
      ["file:src/b.ts", "src/b.ts"],
      ["file:src/n.ts", "src/n.ts"],
      ["file:lib/c.ts", "lib/c.ts"],
    ],
  );
  assert.ok(updated.edges.map(edgeText).includes("file:src/a.ts imports file:src/n.ts"));
  const outside = [
    aNode("file:../x.ts", { filePath: "../x.ts" }),
    aNode("file:x.ts", { filePath: "/etc/x.ts" }),
    aNode("file:x.ts", { filePath: "a/../../x.ts" }),
    aNode("function:/etc/x.ts:f", { filePath: "x.ts" }),
  ];
  for (const node of outside) {
    assert.throws(
      () => apply({ files: ["x.ts"], nodes: [node] }),
      (error) => error instanceof GraphError && error.code === "outside-project" && error.message.includes(node.id),
    );
  }
  assert.throws(() => apply({ files: ["../x"] }), /outside the project: "\.\.\/x"/);
  assert.doesNotThrow(() => apply({ files: ["x.ts"], nodes: [aNode("endpoint:/users", { filePath: "x.ts" })] }));
});

test("nodes of files that were not asked about are left out; nodes without a file join at the end", () => {
  const updated = apply({
    files: ["src/a.ts"],
    nodes: [
      aNode("file:src/a.ts"),
      aNode("file:src/b.ts", { summary: "unasked" }),
      aNode("file:lib/c.ts", { filePath: "src/a.ts", summary: "stolen" }),
      { id: "concept:new", type: "concept", name: "New", summary: "", tags: [], complexity: "simple" },
    ],
    edges: [anEdge("file:src/b.ts", "file:lib/c.ts", "related")],
  });
  assert.deepEqual(ids(updated), [
    "file:src/a.ts",
    "file:src/b.ts",
    "class:src/b.ts:B",
    "file:lib/c.ts",
    "concept:idea",
    "concept:new",
  ]);
  assert.equal(updated.nodes[1]?.summary, "About b.ts");
  assert.equal(updated.nodes[3]?.summary, "About c.ts");
  assert.ok(updated.edges.map(edgeText).includes("file:src/b.ts related file:lib/c.ts"));
});

test("the project's languages follow its files, and names that are not ours stay", () => {
  const about = { ...aGraph().project, languages: ["Kubernetes", "TypeScript"] };
  const start = { ...aGraph(), project: about };
  const python = apply({ files: ["x.py"], nodes: [aNode("file:x.py")] }, start);
  assert.deepEqual([...python.project.languages].sort(), ["Kubernetes", "TypeScript", "python"]);
  const without = apply({ deleted: ["x.py"] }, python);
  assert.deepEqual(without.project.languages, about.languages);
  assert.deepEqual(apply({ files: ["src/a.ts"] }, start).project.languages, about.languages);
});
