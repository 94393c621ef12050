import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import type { GraphUpdate } from "../../src/graph/merge.js";
import type { GraphNode, KnowledgeGraph } from "../../src/graph/types.js";
import fc from "../support/fast-check.js";
import { parseGraph } from "../support/parse-graph.js";
import { applyUpdate, checkGraph } from "../support/whole-graph.js";
import { arbitraryGraph, arbitraryUpdate } from "./graph-model.js";
import { aNode, anEdge } from "./support.js";

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
