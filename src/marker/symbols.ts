import type { FileChange } from "../fingerprint/types.js";
import type { Comparison } from "../verification/compare.js";
import { detailOf } from "../verification/file-symbols.js";
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

/** `params changed: f`, and not what is about the file, or about something that is gone. */
const OF_SYMBOL = /^(?!removed |renamed )[^:]+: (.+?)(?: \(.*\))?$/s;

/**
 * The file was compared with the content that was described last, on another branch, say. A symbol of it that has a description for this
 * content is not asked about, and is no reason.
 */
function detailsOfAsked(details: string[], asked: readonly SymbolVerdict[]): string[] {
  const names = new Set(asked.map(({ name }) => name));
  const kept = details.filter((detail) => names.has(OF_SYMBOL.exec(detail)?.[1] ?? "") || !OF_SYMBOL.test(detail));
  return kept.length > 0 || asked.length === 0 ? kept : asked.map(detailOf);
}

/** Files with the symbols that are asked about. */
export function changesOf({ asked }: Pick<Comparison, "asked">, changes: readonly FileChange[]): MarkerChange[] {
  return changes.map(({ filePath, changeLevel, drift, details: all }) => {
    const { isWhole = true, symbols = [], aging = [] } = asked.get(filePath) ?? {};
    const details = isWhole ? all : detailsOfAsked(all, symbols);
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
