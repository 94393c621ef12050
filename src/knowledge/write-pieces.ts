import { canonicalPiece, elementsText, type GraphPiece, NO_FILE } from "../graph/pieces.js";
import type { GraphHead } from "../graph/types.js";
import type { Db } from "../store/sqlite.js";
import { pathKey } from "../store/state.js";
import type { AnalysisSource } from "./known.js";
import { writeLinks } from "./links-table.js";
import { pack } from "./packed.js";
import { headText, versionOf } from "./stored-graph.js";

export interface SourcedPiece {
  path: string;
  piece: GraphPiece;
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
  for (const { path, piece, source } of pieces) {
    if (piece.nodes.length + piece.edges.length === 0) continue;
    left.delete(pathKey(path));
    writePiece(db, scope, { path, piece: canonicalPiece(piece), source }, find);
  }
  for (const key of left) {
    db.run("DELETE FROM pieces WHERE scope = ? AND path = ?", scope, key);
    db.run("DELETE FROM links WHERE scope = ? AND source = ?", scope, key);
    db.run("DELETE FROM node_paths WHERE scope = ? AND path = ?", scope, key);
  }
  const version = versionOf(db, scope) + 1;
  const sql = "INSERT OR REPLACE INTO heads(scope, version, data) VALUES(?, ?, ?)";
  db.run(sql, scope, version, pack(headText(head)));
}

function writePiece(
  db: Db,
  scope: string,
  { path, piece, source }: SourcedPiece,
  find: (id: string) => string | undefined,
): void {
  const [nodes, edges] = [pack(elementsText(piece.nodes)), pack(elementsText(piece.edges))];
  const stored = db.get<{ nodes: Uint8Array; edges: Uint8Array; source: string }>(
    "SELECT nodes, edges, source FROM pieces WHERE scope = ? AND path = ?",
    ...[scope, pathKey(path)],
  );
  if (stored?.source === source && nodes.equals(stored.nodes) && edges.equals(stored.edges)) return;
  const sql = "INSERT OR REPLACE INTO pieces(scope, path, source, nodes, edges) VALUES(?, ?, ?, ?, ?)";
  db.run(sql, scope, pathKey(path), source, nodes, edges);
  writeLinks(db, scope, [{ path, piece }], (id) => find(id) ?? undefined);
}

/** How many files the graph of a scope describes. */
export function countFiles(db: Db, scope: string): number {
  const sql = "SELECT count(*) AS count FROM pieces WHERE scope = ? AND path != ?";
  return db.get<{ count: number }>(sql, scope, NO_FILE)?.count ?? 0;
}
