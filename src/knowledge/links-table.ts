import { isSymbolId, placeOf } from "../graph/ids.js";
import { type GraphPiece, NO_FILE } from "../graph/pieces.js";
import type { Db } from "../store/sqlite.js";
import { pathKey } from "../store/state.js";

/** The path that an id names; undefined for an id that is not made like ours. */
export function pathInId(id: string): string | undefined {
  if (id.startsWith("file:")) return id.slice("file:".length);
  return isSymbolId(id) ? placeOf(id).path : undefined;
}

export interface PieceOwner {
  path: string;
  piece: GraphPiece;
}

/** Forgets the links of the pieces of these files, and where their nodes are. */
export function dropLinks(db: Db, scope: string, paths: Iterable<string>): void {
  for (const path of paths) {
    db.run("DELETE FROM node_paths WHERE scope = ? AND path = ?", scope, pathKey(path));
    db.run("DELETE FROM links WHERE scope = ? AND source = ?", scope, pathKey(path));
  }
}

/** Stores the links of these pieces, and where their nodes are. There are none of them yet. `owners` is gone through twice. */
export function writeLinks(
  db: Db,
  scope: string,
  owners: Iterable<PieceOwner>,
  find: (id: string) => string | undefined,
): void {
  for (const { path, piece } of owners) {
    const key = pathKey(path);
    for (const { id } of piece.nodes) {
      if (pathInId(id) === path && path !== NO_FILE) continue;
      db.run("INSERT OR REPLACE INTO node_paths(scope, id, path) VALUES(?, ?, ?)", scope, id, key);
    }
  }
  for (const { path, piece } of owners) {
    const key = pathKey(path);
    const targets = new Map<string, boolean>();
    const own = new Set(piece.nodes.map(({ id }) => id));
    for (const { source, target, type } of piece.edges) {
      // An edge from a node without a file belongs to the file of its target.
      for (const id of [target, source]) {
        const to = own.has(id) ? path : find(id);
        if (to === undefined || to === path || to === NO_FILE) continue;
        targets.set(to, targets.get(to) === true || (type === "imports" && id === target));
      }
    }
    for (const [target, isImport] of targets) {
      const sql = "INSERT INTO links(scope, source, target, imports) VALUES(?, ?, ?, ?)";
      db.run(sql, scope, key, pathKey(target), isImport ? 1 : 0);
    }
  }
}
