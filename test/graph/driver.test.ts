import assert from "node:assert/strict";
import { test } from "node:test";
import type { GraphNode, KnowledgeGraph, Layer } from "../../src/graph/types.js";
import { checkGraph } from "../support/whole-graph.js";
import { mergeGraphs, mergeTexts, repairText } from "./driver-model.js";
import { aNode, anEdge } from "./support.js";

const JAN = "2026-01-01T00:00:00Z";
const FEB = "2026-02-01T00:00:00Z";
const nothingCovered = async () => false;

function aGraph(nodes: GraphNode[], over: Partial<KnowledgeGraph> = {}, analyzedAt = JAN): KnowledgeGraph {
  const files = nodes.filter(({ type }) => type === "file").map(({ id }) => id);
  return {
    version: "1.0.0",
    project: { name: "p", languages: [], frameworks: [], description: "", analyzedAt, gitCommitHash: "base" },
    nodes,
    edges: [],
    layers: files.length === 0 ? [] : [{ id: "layer:all", name: "all", description: "", nodeIds: files }],
    tour: [],
    ...over,
  };
}

const ids = ({ nodes }: KnowledgeGraph) => nodes.map(({ id }) => id);
const summaryOf = ({ nodes }: KnowledgeGraph, id: string) => nodes.find((node) => node.id === id)?.summary;
const [a, b, c] = [aNode("file:a.ts"), aNode("file:b.ts"), aNode("file:c.ts")];

test("merge driver: what either side added is in, what either deleted is out", () => {
  const was = aGraph([a, b], { edges: [anEdge(a.id, b.id)] });
  const ours = aGraph([a, b, c], { edges: [anEdge(a.id, b.id), anEdge(c.id, a.id)] });
  const theirs = aGraph([a, aNode("file:d.ts")], { edges: [anEdge("file:d.ts", a.id)] });
  const merged = mergeGraphs(was, ours, theirs, "base");
  assert.deepEqual(ids(merged), ["file:a.ts", "file:c.ts", "file:d.ts"]);
  assert.deepEqual(merged.edges.map(({ source }) => source).sort(), ["file:c.ts", "file:d.ts"]);
  assert.deepEqual(checkGraph(merged), []);
});

test("merge driver: a file that one side deleted and the other worked on stays, with all of its nodes", () => {
  const [f, g] = [aNode("function:b.ts:f"), aNode("function:b.ts:g")];
  const was = aGraph([a, b, f, g]);
  const worked = aGraph([a, b, { ...f, summary: "Rewritten" }, g]);
  assert.deepEqual(ids(mergeGraphs(was, aGraph([a]), worked, "base")), [a.id, b.id, f.id, g.id]);
  assert.deepEqual(ids(mergeGraphs(was, aGraph([a]), was, "base")), [a.id]);
});

test("merge driver: an agent's words are not given up for a newer doc comment", () => {
  const documented = (sentence: string) => aNode("function:a.ts:f", { summary: sentence, docComment: sentence });
  const was = aGraph([a, documented("Reads it.")]);
  const older = aGraph([a, aNode("function:a.ts:f", { summary: "Says hello" })]);
  const newer = aGraph([a, documented("Reads all of it.")], {}, FEB);
  for (const merged of [mergeGraphs(was, older, newer, "base"), mergeGraphs(was, newer, older, "base")]) {
    assert.equal(summaryOf(merged, "function:a.ts:f"), "Says hello");
    assert.equal(merged.nodes[1]?.docComment, undefined);
  }
});

test("merge driver: both analysed one file: the newer facts as a whole, an agent's words from either side", () => {
  const f = aNode("function:a.ts:f", { lineRange: [1, 5], summary: "Function with 0 parameters" });
  const g = aNode("function:a.ts:g", { lineRange: [7, 9], summary: "Function with 0 parameters" });
  const was = aGraph([a, f, g]);
  const older = aGraph([a, { ...f, lineRange: [1, 6], summary: "Says hello" }, { ...g, lineRange: [8, 10] }]);
  const newer = aGraph([a, { ...f, lineRange: [1, 9], summary: "Function with 2 parameters" }], {}, FEB);
  for (const merged of [mergeGraphs(was, older, newer, "base"), mergeGraphs(was, newer, older, "base")]) {
    assert.deepEqual(ids(merged), [a.id, f.id], "g is not in the newer analysis");
    assert.deepEqual(merged.nodes[1]?.lineRange, [1, 9]);
    assert.equal(summaryOf(merged, f.id), "Says hello");
  }
});

test("merge driver: words about two nodes of one file come from both sides, facts or not", () => {
  const f = aNode("function:a.ts:f", { lineRange: [1, 5] });
  const was = aGraph([a, f]);
  const ours = aGraph([{ ...a, summary: "The file" }, f]);
  const theirs = aGraph([a, { ...f, summary: "The function", lineRange: [1, 7] }], {}, FEB);
  const merged = mergeGraphs(was, ours, theirs, "base");
  assert.equal(summaryOf(merged, a.id), "The file");
  assert.equal(summaryOf(merged, f.id), "The function");
});

test("merge driver: a text says which content it is about, and comes with what it says", () => {
  const f = aNode("function:a.ts:f", { lineRange: [1, 5], summary: "Before" });
  const was = aGraph([a, f]);
  const ours = aGraph([a, { ...f, lineRange: [1, 6], summary: "Ours" }]);
  const plain = aGraph([a, { ...f, lineRange: [1, 9] }], {}, FEB);
  const stale = aGraph(
    [a, { ...f, lineRange: [1, 9], summary: "Stale", describes: "h1:aa", needsReview: true }],
    {},
    FEB,
  );
  const both = (left: KnowledgeGraph, right: KnowledgeGraph) =>
    [mergeGraphs(was, left, right, "base"), mergeGraphs(was, right, left, "base")].map(({ nodes }) => nodes[1]);
  for (const node of both(ours, plain)) {
    assert.deepEqual([node?.summary, node?.lineRange], ["Ours", [1, 9]]);
    assert.equal(node?.describes, "unknown", "the structure is theirs, and the text is not about it");
  }
  for (const node of both(ours, stale)) assert.equal(node?.summary, "Ours", "theirs is about an earlier content");
  for (const node of both(was, stale)) {
    assert.deepEqual([node?.summary, node?.describes, node?.needsReview], ["Stale", "h1:aa", true]);
  }
});

test("merge driver: a file that both moved is in the newer side's layer only; a layer given up stays gone", () => {
  const layer = (name: string, ...members: GraphNode[]): Layer => ({
    ...{ id: `layer:${name}`, name, description: "" },
    nodeIds: members.map(({ id }) => id),
  });
  const was = aGraph([a, b], { layers: [layer("old", a, b)] });
  const ours = aGraph([a, b], { layers: [layer("old", b), layer("one", a)] });
  const theirs = aGraph([a, b, c], { layers: [layer("two", a), layer("three", b, c)] }, FEB);
  const merged = mergeGraphs(was, ours, theirs, "base");
  assert.deepEqual(checkGraph(merged), []);
  const places = merged.layers.map(({ name, nodeIds }) => `${name}: ${nodeIds.join(" ")}`);
  assert.deepEqual(places, ["two: file:a.ts", "three: file:b.ts file:c.ts"]);
});

test("merge driver: a tour that both changed is merged by title, one that both wrote anew is the newer", () => {
  const step = (order: number, title: string, node: GraphNode) => ({
    order,
    title,
    description: "",
    nodeIds: [node.id],
  });
  const was = aGraph([a, b], { tour: [step(1, "Start", a)] });
  const ours = aGraph([a, b], { tour: [step(1, "Start", a), step(2, "Ours", b)] });
  const theirs = aGraph([a, b], { tour: [step(1, "Start", b), step(2, "Theirs", a)] }, FEB);
  const { tour } = mergeGraphs(was, ours, theirs, "base");
  assert.deepEqual(
    tour.map(({ order, title }) => `${order} ${title}`),
    ["1 Start", "2 Theirs", "3 Ours"],
  );
  const anew = aGraph([a, b], { tour: [step(1, "Elsewhere", a)] });
  assert.deepEqual(mergeGraphs(was, anew, theirs, "base").tour, theirs.tour);
});

test("merge driver: fields, types and nodes of other tools pass through", () => {
  const endpoint = { ...aNode("endpoint:/users"), filePath: "a.ts", route: { verb: "GET" } };
  const was = aGraph([a]);
  const ours = aGraph([{ ...a, colour: "red" }], { plugin: { v: 1 } });
  const theirs = aGraph([a, endpoint, aNode("function:a.ts:f")], {}, FEB);
  const merged = mergeGraphs(was, ours, theirs, "base");
  assert.equal(merged.nodes[0]?.colour, "red");
  assert.deepEqual(merged.nodes.find(({ id }) => id === endpoint.id)?.route, { verb: "GET" });
  assert.deepEqual(merged.plugin, { v: 1 });
});

test("merge driver: the newer commit only where it has the other behind it, else the one both started from", async () => {
  const meta = (gitCommitHash: string, lastAnalyzedAt: string, analyzedFiles: number) =>
    JSON.stringify({ lastAnalyzedAt, gitCommitHash, version: "1.0.0", analyzedFiles });
  const versions = { base: meta("b", JAN, 1), ours: meta("o", FEB, 2), theirs: meta("t", JAN, 1) };
  const merged = await mergeTexts("meta", versions, nothingCovered);
  assert.deepEqual(merged, { lastAnalyzedAt: FEB, gitCommitHash: "b", version: "1.0.0", analyzedFiles: 2 });
  const behind = await mergeTexts("meta", versions, async (older, newer) => older === "o" && newer === "t");
  assert.equal(behind.gitCommitHash, "t");
  const ahead = await mergeTexts("meta", versions, async (older, newer) => older === "t" && newer === "o");
  assert.equal(ahead.gitCommitHash, "o");
});

test("merge driver: fingerprints by path, whichever of the three shapes they come in", async () => {
  const entry = (contentHash: string) => ({ filePath: "", contentHash });
  const base = { files: { "a.ts": entry("1"), "b.ts": entry("1"), "c.ts": entry("1") }, generatedAt: JAN };
  const ours = { "a.ts": entry("2"), "b.ts": entry("2"), "c.ts": entry("1") };
  const theirs = { files: { "b.ts": entry("3"), "a.ts": entry("1") }, generatedAt: FEB, "d.ts": entry("1") };
  const texts = { base: JSON.stringify(base), ours: JSON.stringify(ours), theirs: JSON.stringify(theirs) };
  const { files } = await mergeTexts("fingerprints", texts, nothingCovered);
  const hashes = Object.entries(files as typeof ours).map(([path, { contentHash }]) => `${path} ${contentHash}`);
  assert.deepEqual(hashes, ["a.ts 2", "b.ts 3", "d.ts 1"]);
});

test("merge driver: no base is no deletion; a base that cannot be read neither; a damaged side is an error", async () => {
  const [ours, theirs] = [JSON.stringify(aGraph([a])), JSON.stringify(aGraph([b]))];
  for (const base of ["", null, "{ torn"]) {
    const merged = (await mergeTexts("graph", { base, ours, theirs }, nothingCovered)) as unknown as KnowledgeGraph;
    assert.deepEqual(ids(merged).sort(), [a.id, b.id]);
    assert.deepEqual(checkGraph(merged), []);
  }
  await assert.rejects(mergeTexts("graph", { base: null, ours, theirs: "{ torn" }, nothingCovered), /not JSON/);
  await assert.rejects(mergeTexts("meta", { base: null, ours: "[]", theirs: "{}" }, nothingCovered), /not an object/);
});

test("conflict markers: both sides are taken out and merged, with and without the base between them", async () => {
  const text = (graph: KnowledgeGraph) => JSON.stringify(graph, null, 2);
  const sides = `<<<<<<< HEAD\n${text(aGraph([a, c]))}\n`;
  const other = `=======\n${text(aGraph([a, b]))}\n>>>>>>> topic\n`;
  const merged = async (conflicted: string) =>
    ids((await repairText("graph", conflicted, nothingCovered)) ?? aGraph([]));
  assert.deepEqual((await merged(sides + other)).sort(), [a.id, b.id, c.id]);
  assert.deepEqual(await merged(`${sides}||||||| 1234567\n${text(aGraph([a, c]))}\n${other}`), [a.id, b.id]);
  assert.equal(await repairText("graph", text(aGraph([a])), nothingCovered), null);
});

// A merge that compares each node with each other takes minutes here.
test("merge driver: 20,000 nodes and 60,000 edges merge", { timeout: 60_000 }, () => {
  const nodes = Array.from({ length: 20_000 }, (_, at) =>
    at % 10 === 0 ? aNode(`file:src/f${at}.ts`) : aNode(`function:src/f${at - (at % 10)}.ts:n${at}`),
  );
  const edges = Array.from({ length: 60_000 }, (_, at) =>
    anEdge(nodes[at % 20_000]?.id ?? "", nodes[(at * 7 + 1 + Math.floor(at / 20_000)) % 20_000]?.id ?? "", "calls"),
  );
  const text = JSON.stringify(aGraph(nodes, { edges }));
  const [was, ours, theirs] = [text, text, text].map((json) => JSON.parse(json) as KnowledgeGraph);
  if (was === undefined || ours === undefined || theirs === undefined) throw new Error("unreachable");
  Object.assign(ours.nodes[5] ?? {}, { summary: "Ours" });
  Object.assign(theirs.nodes[7] ?? {}, { summary: "Theirs", lineRange: [3, 4] });
  const merged = mergeGraphs(was, ours, theirs, "base");
  assert.equal(merged.nodes.length, 20_000);
  assert.equal(summaryOf(merged, nodes[5]?.id ?? ""), "Ours");
  assert.equal(summaryOf(merged, nodes[7]?.id ?? ""), "Theirs");
});
