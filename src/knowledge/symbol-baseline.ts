import type { Behaviour } from "../fingerprint/types.js";
import { isNumber, isText, objectOf, parseJson } from "../store/check.js";
import type { Db } from "../store/sqlite.js";
import { keyPath, pathKey } from "../store/state.js";
import type { SymbolState, SymbolType } from "./symbol-states.js";

/** The analysed state of a symbol; null: it was not there. */
export interface AnalysedSymbol {
  type: SymbolType;
  name: string;
  state: SymbolState | null;
}

/** By `symbolKey`. */
export type AnalysedSymbols = ReadonlyMap<string, SymbolState | null>;

export const symbolKey = ({ type, name }: { type: string; name: string }): string => `${type} ${name}`;

/** Symbols with another analysed content than their file's analysed blob has, by path: a worktree's own, then its graph's. */
export function analysedSymbols(db: Db, scope: string, worktree: string): Map<string, AnalysedSymbols> {
  const found = new Map<string, Map<string, SymbolState | null>>();
  for (const owner of new Set([scope, worktree])) {
    for (const row of db.all<SymbolRow>("SELECT path, type, name, state FROM symbol_baseline WHERE owner = ?", owner)) {
      const state = row.state === null ? null : parseJson(row.state, isState);
      // One that cannot be read counts as never described.
      const path = keyPath(row.path);
      const known = found.get(path) ?? new Map<string, SymbolState | null>();
      known.set(symbolKey(row), state);
      found.set(path, known);
    }
  }
  return found;
}

interface SymbolRow {
  path: string;
  type: string;
  name: string;
  state: string | null;
}

const isBehaviour = (value: unknown): value is Behaviour => Array.isArray(value) && value.length === 4;
const isTrue = (value: unknown): value is boolean => value === true;
const isState = objectOf<SymbolState>(
  { hash: isText },
  {
    ...{ bareHash: isText, signature: isText, beside: isText },
    ...{ behaviour: isBehaviour, isAside: isTrue, lines: isNumber },
  },
);

export function putAnalysedSymbols(db: Db, owner: string, path: string, symbols: readonly AnalysedSymbol[]): void {
  const sql = "INSERT OR REPLACE INTO symbol_baseline(owner, path, type, name, state) VALUES(?, ?, ?, ?, ?)";
  for (const { type, name, state } of symbols)
    db.run(sql, owner, pathKey(path), type, name, state === null ? null : JSON.stringify(state));
}

/**
 * The analysed content of a file, of which some symbols are analysed apart, is left for another one: when it comes back, what was not
 * analysed of it is asked about, although its analysis is stored. Called before those symbols are replaced.
 */
export function notePartlyAnalysed(db: Db, scope: string, path: string, next: string | null): void {
  db.run(
    `INSERT OR IGNORE INTO partly_analysed(path, oid)
     SELECT path, analysed_oid FROM baseline WHERE scope = ?1 AND path = ?2 AND analysed_oid IS NOT NULL AND analysed_oid IS NOT ?3
     AND EXISTS (SELECT 1 FROM symbol_baseline WHERE owner = ?1 AND path = ?2)`,
    ...[scope, pathKey(path), next],
  );
}

/** Every symbol of this content is analysed. */
export function noteWhollyAnalysed(db: Db, path: string, oid: string): void {
  db.run("DELETE FROM partly_analysed WHERE path = ? AND oid = ?", pathKey(path), oid);
}

/** All symbols of a file are analysed as its analysed blob has them. */
export function clearAnalysedSymbols(db: Db, owner: string, path: string): void {
  db.run("DELETE FROM symbol_baseline WHERE owner = ? AND path = ?", owner, pathKey(path));
}

export function moveAnalysedSymbols(db: Db, owner: string, { from, to }: { from: string; to: string }): void {
  notePartlyAnalysed(db, owner, from, null);
  clearAnalysedSymbols(db, owner, to);
  db.run("UPDATE symbol_baseline SET path = ? WHERE owner = ? AND path = ?", pathKey(to), owner, pathKey(from));
}

/** The analysed blobs of the files that have such symbols. */
export function analysedApart(db: Db, scope: string): Map<string, string | null> {
  const rows = db.all<{ path: string; oid: string | null }>(
    `SELECT DISTINCT s.path AS path, b.analysed_oid AS oid FROM symbol_baseline s
     LEFT JOIN baseline b ON b.scope = s.owner AND b.path = s.path WHERE s.owner = ?`,
    scope,
  );
  return new Map(rows.map(({ path, oid }) => [path, oid]));
}

/** Files that are analysed at another blob than before, as a whole: the graph was changed from outside. */
export function dropAnalysedApart(db: Db, scope: string, before: ReadonlyMap<string, string | null>): void {
  for (const [path, oid] of analysedApart(db, scope)) {
    if (before.get(path) !== oid) db.run("DELETE FROM symbol_baseline WHERE owner = ? AND path = ?", scope, path);
  }
}
