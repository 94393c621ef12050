import { hashOf } from "./hash.js";
import { pairSymbols } from "./pairs.js";
import { isGeneratedPath, isTestPath } from "./paths.js";
import type { Behaviour, ClassFingerprint, FileFingerprint, FunctionFingerprint, OwnFingerprint } from "./types.js";

/** One symbol of a file in the form in which any two are compared; it says enough to tell drift after the text is gone. */
export interface SymbolFacts extends OwnFingerprint {
  path: string;
  /** `module`: the code of the file outside of its functions and classes. */
  kind: "function" | "class" | "module";
  /** Qualified: `Queue.push`; empty for a module. */
  name: string;
  /** Hash of all that is visible from outside. */
  signature: string;
  /** True in a test or a generated file: there a changed body never counts as behaviour. */
  isAside: boolean;
}

/** Same-named declarations are one symbol already; a file without structural analysis has none. */
export function symbolFacts(file: FileFingerprint): SymbolFacts[] {
  const { filePath: path, functions, classes, moduleCode } = file;
  const isAside = isTestPath(path) || isGeneratedPath(path) || file.isGenerated === true;
  const shared = { path, isAside };
  return [
    ...functions.map((one) => ({ ...shared, kind: "function" as const, ...ownOf(one), ...seenOfFunction(one) })),
    ...classes.map((one) => ({ ...shared, kind: "class" as const, ...ownOf(one), ...seenOfClass(one) })),
    ...(moduleCode === undefined
      ? []
      : [{ ...shared, kind: "module" as const, name: "", ...ownOf(moduleCode), signature: seenOfModule(file) }]),
  ];
}

function ownOf({ hash, bareHash, behaviour, textHash }: OwnFingerprint): OwnFingerprint {
  return {
    hash,
    ...(bareHash === undefined ? {} : { bareHash }),
    ...(behaviour === undefined ? {} : { behaviour }),
    ...(textHash === undefined ? {} : { textHash }),
  };
}

const spelled = (...parts: unknown[]) => hashOf(JSON.stringify(parts));

function seenOfFunction({ name, params, returnType, exported, signature }: FunctionFingerprint) {
  return { name, signature: spelled(params, returnType ?? "", exported, signature) };
}

function seenOfClass(one: ClassFingerprint) {
  const sorted = (list: readonly string[]) => [...new Set(list)].sort();
  const isOrdered = one.kind === "enum" || one.kind === "struct";
  const properties = isOrdered ? one.properties : sorted(one.properties);
  const lists = [sorted(one.methods), properties, sorted(one.extends), sorted(one.implements)];
  return { name: one.name, signature: spelled(one.kind, ...lists, one.exported, one.signature) };
}

function seenOfModule({ values = [], unreadable = "" }: FileFingerprint): string {
  return spelled(values.map(({ name, type }) => `${name}: ${type}`).sort(), unreadable);
}

/** In the order of how much they say; `new` and `gone` count as `interface` for the file. What moved and was renamed is `renamed`. */
export const SYMBOL_DRIFTS = [
  ...(["none", "cosmetic", "moved", "renamed", "body", "behaviour", "interface"] as const),
  ...(["new", "gone"] as const),
];
export type SymbolDrift = (typeof SYMBOL_DRIFTS)[number];

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

/** What the rule for behaviour needs of a symbol. */
type Behaving = Partial<Pick<SymbolFacts, "hash" | "behaviour" | "isAside"> & { isModule: boolean }>;

/**
 * Of two contents of one symbol; never in a test or a generated file. What a module calls registers things: routes, handlers, parts
 * of a schema; there another set of calls is enough.
 */
export function isBehaviourDrift(before: Behaving, after: Behaving): boolean {
  if (before.hash === after.hash || before.isAside === true || after.isAside === true) return false;
  const isCalling = after.isModule === true && (before.behaviour?.[3] ?? "") !== (after.behaviour?.[3] ?? "");
  return isCalling || isBehaviourChange(before.behaviour, after.behaviour);
}

const NOTHING: Behaviour = [0, 0, 0, ""];
/** One or two comparisons more or less are most often the same condition, written otherwise. */
const MANY_COMPARISONS = 3;
/** A sentence about a symbol with so few branches, comparisons and calls speaks of each of them. */
const FEW = 8;

/** Whether a sentence about the symbol may have become false. */
export function isBehaviourChange(before: Behaviour = NOTHING, after: Behaviour = NOTHING): boolean {
  const [branches, throws, comparisons, callees] = before;
  const [branchesNow, throwsNow, comparisonsNow, calleesNow] = after;
  if (branches !== branchesNow || throws !== throwsNow) return true;
  if (Math.abs(comparisons - comparisonsNow) >= MANY_COMPARISONS) return true;
  const isSmall = branches + comparisons + callCount(callees) <= FEW;
  return isSmall && (comparisons !== comparisonsNow || callees !== calleesNow);
}

/** How many calls a hash of callees is of: it begins with their number. */
const callCount = (callees: string): number => Number.parseInt(callees, 10) || 0;

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
  return spelled([...new Set(importedNames({ imports }))].sort(), others.sort());
}

/** Order does not matter, nor how often a thing is named, or whether one statement names two things or two statements name one each. */
export function importedNames({ imports }: Pick<FileFingerprint, "imports">): string[] {
  return imports.flatMap(({ source, specifiers }) => [source, ...specifiers.map((name) => `${source}\u0000${name}`)]);
}
