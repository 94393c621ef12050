import type { RefreshPolicy } from "../repository/config.js";
import { detailOf, isOnlyBeside, type SymbolVerdict } from "./symbol-changes.js";
import type { PathVerdict } from "./verdicts.js";

/** What a model is asked about one file. */
export interface Asked {
  /** Everything in it: it is new, or cannot be compared by symbol. */
  isWhole: boolean;
  symbols: SymbolVerdict[];
  /** Symbols with a changed body or behaviour that nothing is asked about. */
  aging: SymbolVerdict[];
  /** Those of the file's verdict that are about what is asked; missing where it is asked about as a whole. */
  details?: string[];
}

export type AskedFiles = ReadonlyMap<string, Asked>;

/** Whether a description counts that was written for exactly this content of a symbol. */
export type IsDescribed = (verdict: PathVerdict, symbol: SymbolVerdict) => boolean;

/**
 * What is asked about each file, by the config's `refresh`; files of which nothing is asked have only aging symbols.
 * Pure, but for what is stored.
 */
export function askedFiles(
  verdicts: readonly PathVerdict[],
  refresh: RefreshPolicy,
  isDescribed: IsDescribed,
): Map<string, Asked> {
  return new Map(
    verdicts.flatMap((one) => (one.drift === "gone" ? [] : [[one.filePath, asked(one, refresh, isDescribed)]])),
  );
}

function asked(verdict: PathVerdict, refresh: RefreshPolicy, isDescribed: IsDescribed): Asked {
  const { changeLevel, symbols } = verdict;
  const isStructural = changeLevel === "STRUCTURAL";
  if (symbols === undefined) return { isWhole: isStructural, symbols: [], aging: [] };
  const isOpen = (symbol: SymbolVerdict) => !isKept(symbol) && (isOnlyBeside(symbol) || !isDescribed(verdict, symbol));
  const open = symbols.filter(isOpen);
  const wanted = open.filter((symbol) => asksAbout(symbol, refresh, { isStructural }));
  const isAging = ({ change }: SymbolVerdict) => change === "body" || change === "behaviour";
  const aging = open.filter((one) => isAging(one) && !wanted.includes(one));
  // Of a file that is not listed all that changed is said.
  const isQuiet = wanted.length === 0 && !isStructural;
  return {
    isWhole: false,
    symbols: wanted,
    aging,
    ...(isQuiet ? {} : { details: detailsOfAsked(verdict.details, wanted) }),
  };
}

/** Its description goes with it, or there is nothing left to describe. */
const isKept = ({ change }: SymbolVerdict) => change === "gone" || change === "moved" || change === "renamed";

function asksAbout(
  symbol: SymbolVerdict,
  refresh: RefreshPolicy,
  { isStructural }: { isStructural: boolean },
): boolean {
  if (refresh === "every") return true;
  const { type, change, resized, beside } = symbol;
  if (beside === true && refresh === "structural") return isStructural;
  if (isOnlyBeside(symbol)) return false;
  const isLarge = change === "new" || change === "interface" || resized === true;
  if (refresh === "behaviour") return isLarge || change === "behaviour";
  return isStructural && (isLarge || (type === "file" && change === "behaviour"));
}

export const isAsked = (one: Asked | undefined): boolean =>
  one !== undefined && (one.isWhole || one.symbols.length > 0);

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
