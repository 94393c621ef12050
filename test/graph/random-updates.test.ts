import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { applyUpdate, type GraphUpdate } from "../../src/graph/merge.js";
import type { GraphEdge, GraphNode, KnowledgeGraph } from "../../src/graph/types.js";
import { checkGraph, parseGraph } from "../../src/graph/validate.js";
import { aNode, anEdge } from "./support.js";

const paths = ["a.ts", "src/a.ts", "src/b.ts", "src/x/c.ts", "lib/d.py"];
const arbitraryPath = fc.constantFrom(...paths);

const arbitraryNode: fc.Arbitrary<GraphNode> = fc
  .record({
    path: arbitraryPath,
    name: fc.constantFrom("", ":f", ":g"),
    kind: fc.constantFrom("file", "function", "class", "endpoint", "concept"),
    summary: fc.constantFrom("Prose", "Function with 1 parameter", ""),
  })
  .map(({ path, name, kind, summary }) => {
    if (kind === "concept")
      return { id: `concept:${path}`, type: kind, name: "", summary, tags: [], complexity: "simple" };
    return aNode(kind === "file" ? `file:${path}` : `${kind}:${path}${name}`, { summary });
  });

const arbitraryId = fc.oneof(
  arbitraryNode.map(({ id }) => id),
  fc.constant("file:gone.ts"),
);
const arbitraryEdge: fc.Arbitrary<GraphEdge> = fc
  .tuple(arbitraryId, arbitraryId, fc.constantFrom("imports", "contains", "calls"))
  .map(([source, target, type]) => anEdge(source, target, type));
const arbitraryLayers = fc.array(
  fc.record({
    id: fc.constantFrom("layer:src", "layer:one", "layer:two"),
    name: fc.constant(""),
    description: fc.constant(""),
    nodeIds: fc.array(arbitraryId, { maxLength: 6 }),
  }),
  { maxLength: 4 },
);
const arbitraryTour = fc.array(
  fc.record({
    order: fc.nat(9),
    title: fc.constant(""),
    description: fc.constant(""),
    nodeIds: fc.array(arbitraryId, { maxLength: 3 }),
  }),
  { maxLength: 3 },
);

/** Of the right shape and otherwise as broken as other tools leave them. */
const arbitraryGraph: fc.Arbitrary<KnowledgeGraph> = fc.record({
  version: fc.constant("1.0.0"),
  project: fc.constant({ name: "", languages: [], frameworks: [], description: "", analyzedAt: "", gitCommitHash: "" }),
  nodes: fc.array(arbitraryNode, { maxLength: 12 }),
  edges: fc.array(arbitraryEdge, { maxLength: 12 }),
  layers: arbitraryLayers,
  tour: arbitraryTour,
});

const arbitraryUpdate: fc.Arbitrary<GraphUpdate> = fc.record(
  {
    files: fc.subarray(paths),
    deleted: fc.subarray(paths, { maxLength: 1 }),
    renamed: fc.array(fc.record({ from: arbitraryPath, to: fc.constantFrom("new.ts", "src/new.ts", "src/b.ts") }), {
      maxLength: 1,
    }),
    nodes: fc.array(arbitraryNode, { maxLength: 8 }),
    edges: fc.array(arbitraryEdge, { maxLength: 8 }),
    commit: fc.constant("c"),
    at: fc.constant("t"),
    structural: fc.boolean(),
    layers: arbitraryLayers,
    tour: arbitraryTour,
    drift: fc.constant(new Map(paths.map((path) => [path, "interface" as const]))),
  },
  { requiredKeys: ["files", "deleted", "renamed", "nodes", "edges", "commit", "at"] },
);

/** The nodes that an update does not speak about, each once. */
function untouched(graph: KnowledgeGraph, update: GraphUpdate): GraphNode[] {
  const touched = new Set([
    ...update.files,
    ...update.deleted,
    ...update.renamed.flatMap(({ from, to }) => [from, to]),
  ]);
  const given = new Set(update.nodes.map(({ id }) => id));
  const seen = new Set<string>();
  return graph.nodes.filter(({ id, filePath }) => {
    if (filePath === undefined ? given.has(id) : touched.has(filePath)) return false;
    return !seen.has(id) && seen.add(id);
  });
}

const texts = (nodes: readonly GraphNode[]) => nodes.map((node) => JSON.stringify(node));

test("any update makes any graph sound, and leaves everything else byte for byte and in order", () => {
  fc.assert(
    fc.property(arbitraryGraph, arbitraryUpdate, (graph, update) => {
      const before = JSON.stringify(graph);
      const updated = applyUpdate(graph, update);
      assert.deepEqual(checkGraph(updated), []);
      assert.deepEqual(texts(untouched(updated, update)), texts(untouched(graph, update)));
      assert.equal(JSON.stringify(graph), before, "the graph that came in stays as it was");
    }),
    { numRuns: 1000 },
  );
});

/** Made by Understand-Anything on its own code; lies beside the project where it is present at all. */
const fixture = resolve("../shared/fixtures/understand-anything/knowledge-graph.json");

test("a real graph goes through 100 random updates", { skip: !existsSync(fixture) && "no sample graph here" }, () => {
  const original = parseGraph(readFileSync(fixture, "utf8"));
  assert.deepEqual(checkGraph(original), []);
  const files = [...new Set(original.nodes.map(({ filePath }) => filePath ?? ""))];
  const random = fc.sample(
    fc.record({ picks: fc.subarray(files, { minLength: 1, maxLength: 4 }), roll: fc.nat(3) }),
    100,
  );
  let graph = original;
  random.forEach(({ picks, roll }, round) => {
    const update = randomUpdate(graph, picks, roll, round);
    const updated = applyUpdate(graph, update);
    assert.deepEqual(checkGraph(updated), []);
    assert.deepEqual(texts(untouched(updated, update)), texts(untouched(graph, update)));
    graph = updated;
  });
  const summaries = new Map(original.nodes.map(({ id, summary }) => [id, summary]));
  const kept = graph.nodes.filter(({ id, summary }) => summaries.get(id) === summary);
  assert.ok(kept.length > 0);
});

function randomUpdate(graph: KnowledgeGraph, picks: readonly string[], roll: number, round: number): GraphUpdate {
  const inPicks = new Set(picks);
  const own = graph.nodes.filter(({ filePath }) => filePath !== undefined && inPicks.has(filePath));
  const update: GraphUpdate = {
    files: [],
    deleted: [],
    renamed: [],
    nodes: [],
    edges: [],
    commit: `c${round}`,
    at: "t",
  };
  if (roll === 0) return { ...update, deleted: picks.slice(0, 1) };
  if (roll === 1) return { ...update, renamed: picks.slice(0, 1).map((from) => ({ from, to: `moved/${round}.ts` })) };
  const nodes = own.filter((_, index) => (index + round) % 5 !== 0 || own[index]?.type === "file");
  const added = picks.map((path) => aNode(`function:${path}:added${round}`));
  const isOwn = new Set(own.map(({ id }) => id));
  return {
    ...update,
    files: picks,
    nodes: [...nodes.map((node) => ({ ...node, lineRange: [round, round + 9] as [number, number] })), ...added],
    edges: [
      ...graph.edges.filter(({ source }) => isOwn.has(source)),
      ...picks.map((path) => anEdge(`file:${path}`, `function:${path}:added${round}`, "contains")),
    ],
    structural: roll === 2,
  };
}
