import assert from "node:assert/strict";
import { test } from "node:test";
import type { GraphUpdate } from "../../src/graph/merge.js";
import { type GraphPiece, NO_FILE } from "../../src/graph/pieces.js";
import type { KnowledgeGraph } from "../../src/graph/types.js";
import { applyToStored } from "../../src/knowledge/graph-change.js";
import { StoredGraph } from "../../src/knowledge/stored-graph.js";
import { writeWholeGraph } from "../../src/knowledge/write-pieces.js";
import type { Db } from "../../src/store/sqlite.js";
import { openEmptyState } from "../../src/store/state.js";
import { arbitraryGraph, arbitraryUpdate } from "../graph/graph-model.js";
import fc from "../support/fast-check.js";
import { parseGraph } from "../support/parse-graph.js";
import { applyUpdate, checkGraph } from "../support/whole-graph.js";

const NOTHING: GraphUpdate = { files: [], deleted: [], renamed: [], nodes: [], edges: [], commit: "", at: "" };

/** Stores a graph as adoption does. */
function store(db: Db, { nodes, edges, ...head }: KnowledgeGraph): void {
  const paths = new Map(nodes.map(({ id, filePath }) => [id, filePath ?? NO_FILE]));
  const pieces = new Map<string, GraphPiece>();
  const at = (path: string) => {
    const piece = pieces.get(path) ?? { nodes: [], edges: [] };
    pieces.set(path, piece);
    return piece;
  };
  for (const node of nodes) at(node.filePath ?? NO_FILE).nodes.push(node);
  for (const edge of edges) at(paths.get(edge.source) || paths.get(edge.target) || NO_FILE).edges.push(edge);
  const sourced = [...pieces].map(([path, piece]) => ({ path, piece, source: "found" as const }));
  db.write(() => writeWholeGraph(db, ".", { head, pieces: sourced, find: (id) => paths.get(id) }));
}

const loaded = (db: Db): StoredGraph => {
  const graph = StoredGraph.load(db, ".");
  if (graph === null) throw new Error("nothing is stored");
  return graph;
};
const rendered = (graph: StoredGraph) => Buffer.concat([...graph.text()]).toString("utf8");

/** All that a graph says, in an order that does not depend on how it came about. */
function content({ nodes, edges, layers, tour, project }: KnowledgeGraph): unknown {
  const sorted = (list: readonly unknown[]) => list.map((one) => JSON.stringify(sortedKeys(one))).sort();
  const members = layers.map(({ nodeIds, ...layer }) => ({ ...layer, nodeIds: [...nodeIds].sort() }));
  return {
    nodes: sorted(nodes),
    edges: sorted(edges),
    layers: sorted(members),
    tour: tour.map((step) => JSON.stringify(step)),
    project,
  };
}

function sortedKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

test("an update of the stored pieces is the same as one of the whole graph, and stays so after a restart", async (t) => {
  const db = await openEmptyState();
  t.after(() => db.close());
  fc.assert(
    fc.property(arbitraryGraph, arbitraryUpdate, (given, update) => {
      const before = applyUpdate(given, NOTHING);
      store(db, before);
      const text = rendered(loaded(db));
      assert.equal(text, `${JSON.stringify(JSON.parse(text), null, 2)}\n`, "the form of every other JSON file");
      assert.deepEqual(content(parseGraph(text)), content(before));
      const graph = loaded(db);
      applyToStored(graph, update);
      const changed = rendered(graph);
      assert.deepEqual(checkGraph(parseGraph(changed)), []);
      assert.deepEqual(content(parseGraph(changed)), content(applyUpdate(before, update)));
      db.write(() => graph.save());
      assert.equal(rendered(loaded(db)), changed);
    }),
    { numRuns: 400 },
  );
});

test("equal states give equal bytes, whatever the way there", async (t) => {
  const [here, there] = [await openEmptyState(), await openEmptyState()];
  t.after(() => {
    here.close();
    there.close();
  });
  fc.assert(
    fc.property(arbitraryGraph, arbitraryUpdate, (given, update) => {
      const before = applyUpdate(given, NOTHING);
      store(here, before);
      const graph = loaded(here);
      applyToStored(graph, update);
      store(there, parseGraph(rendered(graph)));
      const { nodes, edges } = parseGraph(rendered(graph));
      const again = parseGraph(rendered(loaded(there)));
      assert.deepEqual([again.nodes, again.edges], [nodes, edges]);
    }),
    { numRuns: 200 },
  );
});
