import { pairSymbols } from "../../src/fingerprint/pairs.js";
import { importedNames, isBehaviourDrift, type SymbolFacts } from "../../src/fingerprint/symbols.js";
import type { FileFingerprint } from "../../src/fingerprint/types.js";

/** Drift by symbol as a function of two contents alone: what the program finds by way of its baseline (verification/symbol-changes.ts). */

/** In the order of how much they say; `new` and `gone` count as `interface` for the file. What moved and was renamed is `renamed`. */
const SYMBOL_DRIFTS = [
  ...(["none", "cosmetic", "moved", "renamed", "body", "behaviour", "interface"] as const),
  ...(["new", "gone"] as const),
];
type SymbolDrift = (typeof SYMBOL_DRIFTS)[number];

export interface SymbolChange {
  path: string;
  kind: SymbolFacts["kind"];
  name: string;
  drift: SymbolDrift;
  /** Where and under which name it was, if that was another place or name. */
  from?: { path: string; name: string };
}

/**
 * How far each symbol of a set of files is from what it was, in the order of the newer ones; those that went come last.
 * Pure. A file that was renamed as a whole is to be given by its new path on both sides; the code of a file outside of its
 * functions and classes is found nowhere else.
 *
 * @example compareSymbols(symbolFacts(before), symbolFacts(after)).filter(({ drift }) => drift === "behaviour")
 */
export function compareSymbols(before: readonly SymbolFacts[], after: readonly SymbolFacts[]): SymbolChange[] {
  const old = new Map(before.map((symbol) => [keyOf(symbol), symbol]));
  const now = new Map(after.map((symbol) => [keyOf(symbol), symbol]));
  const gone = before.filter((symbol) => !now.has(keyOf(symbol)));
  const came = after.filter((symbol) => !old.has(keyOf(symbol)));
  const isDeclared = ({ kind }: SymbolFacts) => kind !== "module";
  const found = pairSymbols(gone.filter(isDeclared), came.filter(isDeclared));
  const pairs = new Map(found.map((pair) => [pair.after, pair]));
  const paired = new Set([...pairs.values()].map((pair) => pair.before));
  const changes = after.map((symbol): SymbolChange => {
    const { path, kind, name } = symbol;
    const was = old.get(keyOf(symbol));
    const pair = pairs.get(symbol);
    if (was !== undefined) return { path, kind, name, drift: driftOf(was, symbol) };
    if (pair === undefined) return { path, kind, name, drift: "new" };
    return { path, kind, name, drift: pair.change, from: { path: pair.before.path, name: pair.before.name } };
  });
  const left = gone.filter((symbol) => !paired.has(symbol));
  return [...changes, ...left.map(({ path, kind, name }): SymbolChange => ({ path, kind, name, drift: "gone" }))];
}

const keyOf = ({ path, kind, name }: SymbolFacts) => `${kind} ${name}\n${path}`;

function driftOf(before: SymbolFacts, after: SymbolFacts): SymbolDrift {
  if (before.hash === after.hash && before.signature === after.signature)
    return before.textHash === after.textHash ? "none" : "cosmetic";
  if (before.signature !== after.signature) return "interface";
  return isBehaviourDrift(before, { ...after, isModule: after.kind === "module" }) ? "behaviour" : "body";
}

/**
 * The drift of a file that is there on both sides: the largest drift of its symbols and of those that left it, by changes
 * that may be of other files too. What no symbol has (imports, names that are passed on, the order of declarations) counts
 * as well, so that nothing but comments and layout is ever `cosmetic`. The extractor of both must be the same.
 */
export function furthestDrift(
  { before, after }: { before: FileFingerprint; after: FileFingerprint },
  changes: readonly SymbolChange[],
): SymbolDrift {
  if (before.contentHash === after.contentHash) return "none";
  if (!before.hasStructuralAnalysis || !after.hasStructuralAnalysis) return "interface";
  if (before.tokenHash === after.tokenHash) return "cosmetic";
  if (besideSymbols(before) !== besideSymbols(after)) return "interface";
  const own = changes.filter(({ path, from }) => path === after.filePath || from?.path === after.filePath);
  const ranks = own.map(({ drift }) => Math.min(SYMBOL_DRIFTS.indexOf(drift), SYMBOL_DRIFTS.indexOf("interface")));
  const rank = ranks.reduce((most, one) => Math.max(most, one), 0);
  // Every symbol is what it was, and the tokens are not: their order is another one.
  return rank <= SYMBOL_DRIFTS.indexOf("cosmetic") ? "body" : (SYMBOL_DRIFTS[rank] ?? "interface");
}

/** What is imported, and what is exported that is no symbol of the file. */
function besideSymbols({ imports, exports, functions, classes }: FileFingerprint): string {
  const names = new Set([...functions, ...classes].map(({ name }) => name));
  const others = exports.filter((name) => !names.has(name));
  return JSON.stringify([[...new Set(importedNames({ imports }))].sort(), others.sort()]);
}
