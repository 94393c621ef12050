import { compareFingerprints, DRIFT_DISTANCE } from "../fingerprint/compare.js";
import type { FileChange, FileFingerprint } from "../fingerprint/types.js";
import type { Baseline } from "../knowledge/baseline.js";
import { type Facts, factKey } from "../knowledge/facts.js";
import { analysedSymbols } from "../knowledge/symbol-baseline.js";
import { symbolStates } from "../knowledge/symbol-states.js";
import type { Db } from "../store/sqlite.js";
import { changedSymbols, detailOf, type SymbolVerdict } from "./symbol-changes.js";
import type { ComparedPaths, PathVerdict } from "./verdicts.js";

/** Two fingerprints of one file: the file as a whole, and each symbol. */
export function compareFacts(
  before: FileFingerprint,
  after: FileFingerprint,
): FileChange & { symbols?: SymbolVerdict[] } {
  const change = compareFingerprints(before, after);
  if (change.drift === "none" || change.drift === "cosmetic") return change;
  return { ...change, symbols: changedSymbols(statesOf(before), statesOf(after)) };
}

const statesOf = (fact: FileFingerprint) => symbolStates(fact.filePath, fact.blobOid ?? fact.contentHash, fact);

/**
 * Takes into account which symbols were analysed apart from their files: those of a file that was described in part, and what
 * a linked worktree described. A file whose blob is the analysed one can have such symbols as well. Where the graph describes HEAD's content,
 * only its own symbols count: what a linked worktree described is about another one.
 */
export async function compareApart(
  db: Db,
  { verdicts, restores }: ComparedPaths,
  { heads, only }: { heads: ReadonlyMap<string, string | null>; only?: ReadonlySet<string> },
  { baseline, facts }: { baseline: Baseline; facts: Facts },
): Promise<PathVerdict[]> {
  const apart = analysedSymbols(db, baseline.scope, baseline.view);
  if (apart.size === 0) return verdicts;
  const ofGraph = analysedSymbols(db, baseline.scope, baseline.scope);
  const known = new Map(verdicts.map((verdict) => [verdict.filePath, verdict]));
  const described = new Map(restores.map(({ path, oid }) => [path, oid]));
  for (const [path, all] of apart) {
    if (only?.has(path) === false) continue;
    const own = baseline.get(path)?.oid ?? null;
    const verdict = known.get(path);
    const head = heads.has(path) ? (heads.get(path) ?? null) : own;
    const oid = verdict === undefined ? head : verdict.oid;
    if (oid === null) continue;
    const isGraphs = baseline.ofGraph(path)?.oid === oid;
    const analysed = isGraphs ? oid : own;
    const symbols = isGraphs ? new Map([...all].filter(([key]) => ofGraph.get(path)?.has(key))) : all;
    if (symbols.size === 0) continue;
    const then = described.get(path) ?? analysed;
    const wanted = [oid, then ?? oid].map((one) => ({ path, oid: one }));
    const found = await facts.of(wanted);
    const [now, before] = wanted.map((one) => found.get(factKey(one)));
    if (now === undefined) continue;
    const states = symbolStates(path, oid, now);
    const changes = changedSymbols(
      then === null || before === undefined ? [] : symbolStates(path, then, before),
      states,
      symbols,
    );
    const whole = verdict ?? { ...UNCHANGED, filePath: path, oid, analysedOid: analysed };
    if (changes.length > 0 || verdict !== undefined) known.set(path, withSymbols(whole, changes));
  }
  return [...known.values()].sort((a, b) => (a.filePath < b.filePath ? -1 : 1));
}

const UNCHANGED = { changeLevel: "NONE", drift: "none", details: [] as string[] } as const;

/** A file is as far from what is known as its furthest symbol. */
function withSymbols(verdict: PathVerdict, symbols: SymbolVerdict[]): PathVerdict {
  if (verdict.drift === "gone") return verdict;
  const isStructural = symbols.some(
    ({ change, resized, beside }) => STRUCTURAL.has(change) || resized === true || beside === true,
  );
  const isBehaviour = symbols.some(({ change }) => change === "behaviour");
  const drift = isStructural ? "interface" : isBehaviour ? "behaviour" : symbols.length > 0 ? "body" : "none";
  // Of a new file, what is described is not asked again.
  if (DRIFT_DISTANCE[drift] <= DRIFT_DISTANCE[verdict.drift]) return { ...verdict, symbols };
  const changeLevel = isStructural ? "STRUCTURAL" : "COSMETIC";
  return { ...verdict, drift, changeLevel, details: symbols.map(detailOf), symbols };
}

const STRUCTURAL: ReadonlySet<string> = new Set(["interface", "new"]);
