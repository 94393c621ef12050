import type { FileChange } from "../fingerprint/types.js";
import type { Comparison } from "../verification/compare.js";
import type { SymbolVerdict } from "../verification/symbol-changes.js";

/** A symbol that an agent is asked about. */
export type MarkerSymbol = Pick<SymbolVerdict, "id" | "change" | "lineRange">;

/** A file of a marker. Of a new file no symbols are listed: all of it is asked about. */
export interface MarkerChange extends FileChange {
  symbols?: MarkerSymbol[];
  /** How many more there are than the listed ones. */
  moreSymbols?: number;
  /** Symbols with a changed body or behaviour that nothing is asked about. */
  aging?: number;
}

/** Of one file; the rest is counted. */
const MOST_SYMBOLS = 30;

/** Only what has to be done: a file with changed comments is left out. */
export function markerChanges(comparison: Comparison): MarkerChange[] {
  const { fileChanges, renamedFiles, filesToReanalyze, deletedFiles } = comparison;
  const listed = new Set([...filesToReanalyze, ...deletedFiles, ...renamedFiles.map(({ to }) => to)]);
  return changesOf(
    comparison,
    fileChanges.filter(({ filePath }) => listed.has(filePath)),
  );
}

/** Files with the symbols that are asked about. */
export function changesOf({ asked }: Pick<Comparison, "asked">, changes: readonly FileChange[]): MarkerChange[] {
  return changes.map(({ filePath, changeLevel, drift, details: all }) => {
    const { isWhole = true, symbols = [], aging = [], details = all } = asked.get(filePath) ?? {};
    const more = symbols.length - MOST_SYMBOLS;
    return {
      ...{ filePath, changeLevel, drift, details },
      ...(isWhole ? {} : { symbols: symbols.slice(0, MOST_SYMBOLS).map(shown) }),
      ...(more > 0 ? { moreSymbols: more } : {}),
      ...(aging.length > 0 ? { aging: aging.length } : {}),
    };
  });
}

const shown = ({ id, change, lineRange }: SymbolVerdict): MarkerSymbol => ({ id, change, lineRange });
