import { compareFingerprints, DRIFT_DISTANCE } from "../fingerprint/compare.js";
import { isSizeChange } from "../fingerprint/plain.js";
import type { FileChange, FileFingerprint } from "../fingerprint/types.js";
import type { Answer, AtHead, FileAtHead, StatedState } from "../knowledge/at-head.js";
import { placeKey, type SymbolAt } from "../knowledge/symbols.js";
import { detailOf, type SymbolVerdict, withRenames } from "./symbol-changes.js";
import type { PathVerdict } from "./verdicts.js";

/**
 * How far a path is from what was answered; null: it is as answered. Each symbol is compared with its own nearest answer, so a file that
 * was described in part needs no bookkeeping. Pure. The path was prepared.
 */
export function driftOf(head: AtHead, path: string): PathVerdict | null {
  const file = head.file(path);
  if (file.blob === null) return file.isGone ? whole(file, "gone", "file deleted") : null;
  if (file.isAnswered) return null;
  if (file.isCosmetic) return { ...COSMETIC, ...contentsOf(file) };
  const answers = new Map(file.symbols.all().map((symbol) => [placeKey(symbol), file.answer(symbol)]));
  const isAnyStated = [...answers.values()].some((answer) => answer !== null);
  if (!file.hasContent && !isAnyStated) return whole(file, "new", "new file");
  const symbols = symbolVerdicts(file, answers);
  if (symbols.length === 0) return null;
  if (!file.hasContent) return { ...whole(file, "new", "new file"), symbols };
  const before = answeredFingerprint(head, file, answers);
  if (before === null || file.fact === undefined) return whole(file, "interface", CONTENT_ONLY);
  return { ...withSymbols(compareFingerprints(before, file.fact), symbols), ...contentsOf(file), symbols };
}

const COSMETIC: FileChange & { symbols: SymbolVerdict[] } = {
  filePath: "",
  changeLevel: "COSMETIC",
  drift: "cosmetic",
  details: ["comments or layout only"],
  symbols: [],
};

const CONTENT_ONLY = "content changed (the analysed version is not there to compare)";

function contentsOf(file: FileAtHead): Pick<PathVerdict, "filePath" | "oid" | "analysedOid"> {
  return { filePath: file.path, oid: file.blob, analysedOid: file.nearestContent?.hash ?? null };
}

function whole(file: FileAtHead, drift: "new" | "gone" | "interface", detail: string): PathVerdict {
  return { ...contentsOf(file), changeLevel: "STRUCTURAL", drift, details: [detail] };
}

type Answers = ReadonlyMap<string, Answer | null>;

/** What is open of each symbol, and the symbols that are gone. */
function symbolVerdicts(file: FileAtHead, answers: Answers): SymbolVerdict[] {
  const changed = file.symbols.all().flatMap((symbol): SymbolVerdict[] => {
    if (symbol.type === "beside") return [];
    const answer = answers.get(placeKey(symbol)) ?? null;
    const beside = symbol.type === "file" && isBesideOpen(answers);
    const change = answer === null ? "new" : answer.nearness;
    if (change === "exact") return beside ? [{ ...verdictOn(symbol, "interface"), beside: true }] : [];
    const found = verdictOn(symbol, change);
    if (change === "new") return [found];
    if (isResized(answer?.state, symbol)) found.resized = true;
    if (change === "renamed" && answer !== null && answer.state.name !== symbol.name) found.from = answer.state.name;
    if (beside && change !== "interface") found.beside = true;
    return [found];
  });
  const gone = file.goneSymbols().flatMap((state) => (state.type === "beside" ? [] : [verdictOn(state, "gone")]));
  return withRenames([...changed, ...gone.map((one) => ({ ...one, lineRange: null }))]);
}

const isBesideOpen = (answers: Answers) => answers.has("beside ") && answers.get("beside ")?.nearness !== "exact";

function verdictOn(symbol: SymbolAt, change: SymbolVerdict["change"]): SymbolVerdict {
  const { id, type, name, lineRange, hash, bareHash } = symbol;
  const found: SymbolVerdict = { id, type: type as SymbolVerdict["type"], name, change, lineRange, hash };
  if (bareHash !== undefined) found.bareHash = bareHash;
  return found;
}

const isResized = (was: StatedState | undefined, now: SymbolAt): boolean =>
  was?.lines !== undefined && now.lines !== undefined && isSizeChange(was.lines, now.lines);

/**
 * The fingerprint of the answered state: that of the nearest answered content, in which each symbol that was answered apart from it has its
 * own nearest answer. The rules for two contents (fingerprint/compare.ts) are then about what is really open. null: it cannot be read.
 */
function answeredFingerprint(head: AtHead, file: FileAtHead, answers: Answers): FileFingerprint | null {
  const blob = file.nearestContent?.hash ?? null;
  const base = blob === null ? undefined : head.factOf(file.path, blob);
  const now = file.fact;
  if (base === undefined || now === undefined) return null;
  /** The fingerprint that has a symbol as it was answered; null where the base has it so. */
  const source = (key: string): FileFingerprint | null => {
    const answer = answers.get(key) ?? null;
    if (answer === null || answer.state.path !== file.path || answer.state.blob === blob) return null;
    if (answer.nearness === "exact") return now;
    return answer.state.blob === null ? null : (head.factOf(file.path, answer.state.blob) ?? null);
  };
  const isGoneOrThere = goneFilter(file);
  const pick = <T extends { name: string }>(type: "function" | "class", of: (fact: FileFingerprint) => T[]): T[] => {
    const there = new Map(of(base).map((one) => [one.name, one]));
    for (const one of of(now)) {
      const from = source(`${type} ${one.name}`);
      const entry = from === null ? undefined : of(from).find(({ name }) => name === one.name);
      if (entry !== undefined) there.set(one.name, entry);
    }
    return [...there.values()].filter(({ name }) => isGoneOrThere(type, name));
  };
  const functions = pick("function", (fact) => fact.functions);
  const classes = pick("class", (fact) => fact.classes);
  const [ofFile, beside] = [source("file "), source("beside ")];
  const isBase = ofFile === null && beside === null;
  if (isBase && isSameList(functions, base.functions) && isSameList(classes, base.classes)) return base;
  const { moduleCode, values, unreadable, ...rest } = base;
  const { moduleCode: code, values: typed, unreadable: text } = ofFile ?? { moduleCode, values, unreadable };
  return {
    ...rest,
    ...(code === undefined ? {} : { moduleCode: code }),
    ...(typed === undefined ? {} : { values: typed }),
    ...(text === undefined ? {} : { unreadable: text }),
    functions,
    classes,
    imports: (beside ?? base).imports,
    exports: (beside ?? base).exports,
    contentHash: "",
    tokenHash: "",
  };
}

/** A symbol of the base that is gone counts only while its absence was not answered. */
function goneFilter(file: FileAtHead): (type: "function" | "class", name: string) => boolean {
  const gone = new Set(file.goneSymbols().map(placeKey));
  return (type, name) => file.symbols.get(type, name) !== undefined || gone.has(placeKey({ type, name }));
}

const isSameList = (a: readonly unknown[], b: readonly unknown[]) =>
  a.length === b.length && a.every((one, at) => one === b[at]);

const LARGE: ReadonlySet<string> = new Set(["interface", "new"]);

/** A file is as far from what was answered as its furthest symbol. */
function withSymbols(change: FileChange, symbols: readonly SymbolVerdict[]): FileChange {
  const isLarge = symbols.some(
    ({ change: how, resized, beside }) => LARGE.has(how) || resized === true || beside === true,
  );
  const isBehaviour = symbols.some(({ change: how }) => how === "behaviour");
  const drift = isLarge ? "interface" : isBehaviour ? "behaviour" : "body";
  if (DRIFT_DISTANCE[drift] <= DRIFT_DISTANCE[change.drift]) return change;
  return { ...change, drift, changeLevel: isLarge ? "STRUCTURAL" : "COSMETIC", details: symbols.map(detailOf) };
}
