import type { TreeChange } from "../git/trees.js";
import type { AtHead } from "../knowledge/at-head.js";
import { blobsWith } from "../knowledge/statements.js";
import { symbolsAt } from "../knowledge/symbols.js";
import type { Db } from "../store/sqlite.js";
import { keyPath } from "../store/state.js";

/**
 * Paths with a symbol whose hash or body one of the changed or stated paths had, has, or is stated to have: such a symbol becomes `moved`
 * because another file lost it, although its own file did not change.
 */
export function* pathsLike(
  db: Db,
  {
    scope,
    atHead,
    changes,
    stated,
  }: { scope: string; atHead: AtHead; changes: readonly TreeChange[]; stated: ReadonlySet<string> },
): Generator<string> {
  const found = new Set<string>();
  for (const { path, oldOid, oid } of changes) {
    const [before, after] = [oldOid, oid].map((blob) => namesIn(atHead, path, blob));
    for (const [hash, symbol] of [...(before ?? []), ...(after ?? [])]) {
      if (before?.has(hash) === true && after?.has(hash) === true) continue;
      for (const blob of blobsWith(db, symbol)) found.add(blob);
    }
  }
  for (const path of stated) {
    for (const row of atHead.statements.rowsAbout(path)) for (const blob of blobsWith(db, row)) found.add(blob);
  }
  const sql = "SELECT path FROM graph_pieces WHERE scope = ? AND blob = ?";
  for (const blob of found) for (const { path } of db.all<{ path: string }>(sql, scope, blob)) yield keyPath(path);
}

function namesIn(atHead: AtHead, path: string, blob: string | null) {
  const fact = blob === null ? undefined : atHead.factOf(path, blob);
  const symbols = fact === undefined || blob === null ? [] : symbolsAt(path, blob, fact);
  return new Map(
    symbols.filter(({ type }) => type === "function" || type === "class").map((symbol) => [symbol.hash, symbol]),
  );
}
