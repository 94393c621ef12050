import type { Db } from "../store/sqlite.js";
import type { SymbolVerdict } from "../verification/symbol-changes.js";
import {
  type AnalysedSymbols,
  clearAnalysedSymbols,
  notePartlyAnalysed,
  noteWhollyAnalysed,
  putAnalysedSymbols,
  symbolKey,
} from "./symbol-baseline.js";
import type { FileSymbolState } from "./symbol-states.js";

/** A file that the graph is to describe at another content than before. */
export interface AdvancedFile {
  path: string;
  oid: string;
  /** Its symbols as they were analysed. */
  before: readonly FileSymbolState[];
  /** Symbols whose analysed content is not the one of `before`. */
  apart: AnalysedSymbols;
  /** The changed symbols that were neither described nor vouched for at the new content. */
  open: readonly SymbolVerdict[];
}

/**
 * When the graph advances to another content of a file, the symbols of it that were not described stay at what was analysed.
 * Written before the graph: for the old content, it says what the baseline says.
 */
export function keepSymbolsBehind(db: Db, scope: string, { path, oid, before, apart, open }: AdvancedFile): void {
  const old = new Map(before.map((one) => [symbolKey(one), one.state]));
  const behind = open.map(({ type, name }) => {
    const key = symbolKey({ type, name });
    return { type, name, state: (apart.has(key) ? apart.get(key) : old.get(key)) ?? null };
  });
  db.write(() => {
    notePartlyAnalysed(db, scope, path, oid);
    if (behind.length === 0) noteWhollyAnalysed(db, path, oid);
    clearAnalysedSymbols(db, scope, path);
    putAnalysedSymbols(db, scope, path, behind);
  });
}
