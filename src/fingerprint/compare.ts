import { isSizeChange, type PlainFingerprint, plainDetails, sizeDetail } from "./plain.js";
import { withCurrentNames } from "./renames.js";
import { renderedEntry } from "./stored.js";
import { importedNames, isBehaviourDrift, symbolFacts } from "./symbols.js";
import type {
  ChangeLevel,
  ClassFingerprint,
  Drift,
  FileChange,
  FileFingerprint,
  FunctionFingerprint,
} from "./types.js";

/**
 * Two fingerprints of one file: how far the newer one is from the older. Pure. Entries of two extractors are compared
 * by content only; entries without our hashes, as fingerprints.json has them, by the rule of the systems before us.
 *
 * @example compareFingerprints(stored, await fingerprintText("src/a.ts", readFileSync("src/a.ts"))).drift // "body"
 */
export function compareFingerprints(before: PlainFingerprint, after: PlainFingerprint): FileChange {
  if (before.contentHash === after.contentHash) return change(after, "none", []);
  const [old, now] = [ownEntry(before), ownEntry(after)];
  if (before.extractor !== after.extractor && (before.hasStructuralAnalysis || after.hasStructuralAnalysis)) {
    return change(after, "interface", ["extractor changed — conservative classification"]);
  }
  if (!before.hasStructuralAnalysis || !after.hasStructuralAnalysis) {
    if (old?.tokenHash && old.tokenHash === now?.tokenHash)
      return change(after, "cosmetic", ["comments or layout only"]);
    return change(after, "interface", ["no structural analysis available — conservative classification"]);
  }
  if (old !== undefined && old.tokenHash === now?.tokenHash) {
    return change(after, "cosmetic", ["comments or layout only"]);
  }
  const isPlain = old === undefined || now === undefined;
  const details = isPlain ? plainDetails(renderedEntry(before), renderedEntry(after)) : ownDetails(old, now);
  if (details.length > 0) return change(after, "interface", details);
  const behaviour = isPlain ? [] : behaviourDetails(old, now);
  if (behaviour.length > 0) return change(after, "behaviour", behaviour);
  return change(after, "body", ["internal logic changed (no structural impact)"]);
}

/** A function (`retry`, `Queue.push`) or class of a file, by name. */
export type SymbolFingerprint = FunctionFingerprint | ClassFingerprint;

export function findSymbol({ functions, classes }: FileFingerprint, name: string): SymbolFingerprint | undefined {
  return functions.find((one) => one.name === name) ?? classes.find((one) => one.name === name);
}

/** The same for one symbol of a file, whatever became of its neighbours. That it grew is a matter of its body. */
export function compareSymbol(
  before: SymbolFingerprint,
  after: SymbolFingerprint,
): Pick<FileChange, "drift" | "details"> {
  if (before.hash === after.hash) return { drift: "none", details: [] };
  const [wasClass, isClass] = ["kind" in before, "kind" in after];
  if (wasClass !== isClass) return { drift: "interface", details: [`kind changed: ${after.name}`] };
  const details = isClass
    ? classDetails(before as ClassFingerprint, after as ClassFingerprint)
    : functionDetails(before as FunctionFingerprint, after as FunctionFingerprint);
  const seen = details.filter((detail) => !detail.startsWith("significant size change"));
  if (seen.length > 0) return { drift: "interface", details };
  return { drift: "body", details: details.length > 0 ? details : ["internal logic changed (no structural impact)"] };
}

/** An entry of ours, whole. Without the hashes it says no more than any other tool's. */
function ownEntry(entry: PlainFingerprint): FileFingerprint | undefined {
  return isOwn(entry) ? entry : undefined;
}

function isOwn(entry: PlainFingerprint): entry is FileFingerprint {
  const whole = ({ hash, signature }: { hash?: string; signature?: string }) =>
    typeof hash === "string" && typeof signature === "string";
  const { extractor, tokenHash, functions, classes } = entry;
  return typeof extractor === "string" && typeof tokenHash === "string" && [...functions, ...classes].every(whole);
}

function ownDetails(before: FileFingerprint, after: FileFingerprint): string[] {
  const { details, old } = withCurrentNames(before, after);
  return [
    ...details,
    ...named(old.functions, after.functions, "function", functionDetails),
    ...named(old.classes, after.classes, "class", classDetails),
    ...valueDetails(old, after),
    ...(sameSet(importedNames(old), importedNames(after)) ? [] : ["imports changed"]),
    ...(sameSet(old.exports, after.exports) ? [] : ["exports changed"]),
    ...(old.unreadable === after.unreadable ? [] : ["unreadable code changed"]),
  ];
}

/** Of two versions with the same symbols. */
function behaviourDetails(before: FileFingerprint, after: FileFingerprint): string[] {
  const old = new Map(symbolFacts(before).map((symbol) => [`${symbol.kind} ${symbol.name}`, symbol]));
  return symbolFacts(after).flatMap((symbol) => {
    const was = old.get(`${symbol.kind} ${symbol.name}`);
    if (was === undefined || !isBehaviourDrift(was, { ...symbol, isModule: symbol.kind === "module" })) return [];
    return [`behaviour changed: ${symbol.kind === "module" ? "module level" : symbol.name}`];
  });
}

const LEVELS: Readonly<Record<Drift, ChangeLevel>> = {
  none: "NONE",
  cosmetic: "COSMETIC",
  body: "COSMETIC",
  behaviour: "COSMETIC",
  interface: "STRUCTURAL",
  new: "STRUCTURAL",
  gone: "STRUCTURAL",
};

function change({ filePath }: PlainFingerprint, drift: Drift, details: string[]): FileChange {
  return { filePath, changeLevel: LEVELS[drift], drift, details };
}

/** Matches two lists by name: what came, what went, and what is to be said of those in both. */
function named<T extends { name: string }>(
  before: readonly T[],
  after: readonly T[],
  what: string,
  describe: (before: T, after: T) => string[],
): string[] {
  const old = new Map(before.map((entry) => [entry.name, entry]));
  const now = new Set(after.map((entry) => entry.name));
  const details: string[] = [];
  for (const entry of after) {
    const was = old.get(entry.name);
    if (was === undefined) details.push(`new ${what}: ${entry.name}`);
    else for (const detail of describe(was, entry)) details.push(detail);
  }
  for (const name of old.keys()) if (!now.has(name)) details.push(`removed ${what}: ${name}`);
  return details;
}

function functionDetails(before: FunctionFingerprint, after: FunctionFingerprint): string[] {
  const { name } = after;
  const details: string[] = [];
  if (!sameList(before.params, after.params)) details.push(`params changed: ${name}`);
  if ((before.returnType ?? "") !== (after.returnType ?? "")) details.push(`return type changed: ${name}`);
  if (before.exported !== after.exported) details.push(`export status changed: ${name}`);
  if (before.signature !== after.signature) details.push(`signature changed: ${name}`);
  // Equal tokens in another layout are no change of size.
  if (before.hash !== after.hash && isSizeChange(before.lineCount, after.lineCount)) {
    details.push(sizeDetail(name, before.lineCount, after.lineCount));
  }
  return details;
}

function classDetails(before: ClassFingerprint, after: ClassFingerprint): string[] {
  const { name } = after;
  const details: string[] = [];
  if (before.kind !== after.kind) details.push(`kind changed: ${name}`);
  if (!sameSet(before.methods, after.methods)) details.push(`methods changed: ${name}`);
  // The order of an enum's members or a struct's fields is part of what it is.
  const ordered = after.kind === "enum" || after.kind === "struct";
  const same = ordered ? sameList : sameSet;
  if (!same(before.properties, after.properties)) details.push(`properties changed: ${name}`);
  if (!sameSet(before.extends, after.extends) || !sameSet(before.implements, after.implements)) {
    details.push(`inheritance changed: ${name}`);
  }
  if (before.exported !== after.exported) details.push(`export status changed: ${name}`);
  if (before.signature !== after.signature) details.push(`signature changed: ${name}`);
  return details;
}

/** An exported value that came or went is a change of the exports; the package of a Go file is none of them. */
function valueDetails(before: FileFingerprint, after: FileFingerprint): string[] {
  const typesOf = ({ values = [] }: FileFingerprint) => new Map(values.map(({ name, type }) => [name, type]));
  const [old, now] = [typesOf(before), typesOf(after)];
  const exported = new Set([...before.exports, ...after.exports]);
  return [...new Set([...now.keys(), ...old.keys()])]
    .filter((name) => old.get(name) !== now.get(name) && ((old.has(name) && now.has(name)) || !exported.has(name)))
    .map((name) => `type changed: ${name}`);
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at]);
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  const left = new Set(a);
  const right = new Set(b);
  return left.size === right.size && [...left].every((text) => right.has(text));
}

/** How far a drift is from the content that was analysed: of several versions the nearest one is used. */
export const DRIFT_DISTANCE: Record<Drift, number> = {
  ...{ none: 0, cosmetic: 1, body: 2, behaviour: 3 },
  ...{ interface: 4, new: 4, gone: 4 },
};
