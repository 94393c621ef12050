import { canonicalPiece, elementsText, type GraphPiece, NO_FILE } from "../graph/pieces.js";
import type { GraphHead } from "../graph/types.js";
import type { Db } from "../store/sqlite.js";
import { keyPath, pathKey } from "../store/state.js";
import type { ReadyPiece } from "./graph-file.js";
import type { AnalysisSource } from "./known.js";
import { dropLinks, writeLinks } from "./links-table.js";
import { pack } from "./packed.js";
import { headText, versionOf } from "./stored-graph.js";

export interface SourcedPiece {
  path: string;
  piece: GraphPiece | ReadyPiece;
  source: AnalysisSource;
}

export interface WholeGraph {
  head: GraphHead;
  /** One after the other, so that only one is in memory. */
  pieces: Iterable<SourcedPiece>;
  find(id: string): string | undefined;
}

/** Stores a whole graph in place of what was there. Pieces that are the same already are not written. To be called in a transaction. */
export function writeWholeGraph(db: Db, scope: string, { head, pieces, find }: WholeGraph): void {
  const left = new Set(
    db.all<{ path: string }>("SELECT path FROM pieces WHERE scope = ?", scope).map(({ path }) => path),
  );
  for (const given of pieces) {
    if (given.piece.nodes.length + given.piece.edges.length === 0) continue;
    const isThere = left.delete(pathKey(given.path));
    writePiece(db, scope, given, { isThere, find });
  }
  for (const key of left) {
    db.run("DELETE FROM pieces WHERE scope = ? AND path = ?", scope, key);
    dropLinks(db, scope, [keyPath(key)]);
  }
  const version = versionOf(db, scope) + 1;
  const sql = "INSERT OR REPLACE INTO heads(scope, version, data) VALUES(?, ?, ?)";
  db.run(sql, scope, version, pack(headText(head)));
}

/** `isThere`: the file has a piece already. */
function writePiece(
  db: Db,
  scope: string,
  { path, piece, source }: SourcedPiece,
  { isThere, find }: { isThere: boolean; find: WholeGraph["find"] },
): void {
  const isReady = piece.nodes instanceof Uint8Array;
  const made = canonicalPiece({ nodes: isReady ? [] : (piece as GraphPiece).nodes, edges: piece.edges });
  const nodes = isReady ? (piece as ReadyPiece).nodes : pack(elementsText(made.nodes));
  const edges = pack(elementsText(made.edges));
  if (isThere) {
    const stored = db.get<{ nodes: Uint8Array; edges: Uint8Array; source: string }>(
      "SELECT nodes, edges, source FROM pieces WHERE scope = ? AND path = ?",
      ...[scope, pathKey(path)],
    );
    const isSame = (bytes: Uint8Array, before: Uint8Array) => Buffer.compare(bytes, before) === 0;
    if (stored?.source === source && isSame(nodes, stored.nodes) && isSame(edges, stored.edges)) return;
    dropLinks(db, scope, [path]);
  }
  const sql = "INSERT OR REPLACE INTO pieces(scope, path, source, nodes, edges) VALUES(?, ?, ?, ?, ?)";
  db.run(sql, scope, pathKey(path), source, nodes, edges);
  writeLinks(db, scope, [{ path, piece: made }], find);
}

/** How many files the graph of a scope describes. */
export function countFiles(db: Db, scope: string): number {
  const sql = "SELECT count(*) AS count FROM pieces WHERE scope = ? AND path != ?";
  return db.get<{ count: number }>(sql, scope, NO_FILE)?.count ?? 0;
}
