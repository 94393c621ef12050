import type { Drift } from "../fingerprint/types.js";
import { keepSymbolsBehind } from "../knowledge/behind.js";
import { describedAt } from "../knowledge/described.js";
import { Facts, factKey, storedFacts } from "../knowledge/facts.js";
import { ABSENT } from "../knowledge/known.js";
import type { GraphPlan } from "../knowledge/plan.js";
import { analysedSymbols, moveAnalysedSymbols } from "../knowledge/symbol-baseline.js";
import { symbolStates } from "../knowledge/symbol-states.js";
import type { LoadedContext } from "../repository/context.js";
import { isAsked } from "./asked.js";
import type { Comparison } from "./compare.js";
import type { Move } from "./renames.js";
import type { SymbolVerdict } from "./symbol-changes.js";

/** A file whose structure changed, and about which nothing is asked. */
interface AnsweredFile {
  path: string;
  oid: string;
  /** null: it is new. */
  analysedOid: string | null;
  /** Symbols that stay at what was analysed. */
  aging: readonly SymbolVerdict[];
  drift: Drift;
}

/** Files whose symbols are all described at HEAD, here or elsewhere: the graph takes their structure from HEAD at no cost. */
export function answeredFiles({ fileChanges, asked, renamedFiles, restores }: Comparison): AnsweredFile[] {
  const taken = new Set([...renamedFiles.map(({ to }) => to), ...restores.map(({ path }) => path)]);
  return fileChanges.flatMap(({ filePath: path, oid, analysedOid, changeLevel, drift }) => {
    if (changeLevel !== "STRUCTURAL" || taken.has(path)) return [];
    if (drift === "interface" ? analysedOid === null : drift !== "new") return [];
    const found = asked.get(path);
    if (oid === null || oid === analysedOid || isAsked(found)) return [];
    return [{ path, oid, analysedOid, aging: found?.aging ?? [], drift: "interface" }];
  });
}

/**
 * Files about which nothing is asked, with other doc comments than the analysed ones, or with a symbol that changed its behaviour: the graph
 * takes the new sentences at no cost, and says which descriptions may be false.
 */
export async function quietFiles(
  { db, project, config }: LoadedContext,
  { fileChanges, asked, renamedFiles, restores }: Comparison,
): Promise<AnsweredFile[]> {
  const taken = new Set([...renamedFiles.map(({ to }) => to), ...restores.map(({ path }) => path)]);
  const quiet = fileChanges.flatMap(({ filePath: path, oid, analysedOid, changeLevel, drift, symbols }) => {
    if (changeLevel === "STRUCTURAL" || oid === null || analysedOid === null || oid === analysedOid) return [];
    if (taken.has(path) || isAsked(asked.get(path)) || (symbols === undefined && drift !== "cosmetic")) return [];
    return [{ path, oid, analysedOid, aging: symbols ?? [], drift }];
  });
  const wanted = quiet.flatMap(({ path, oid, analysedOid }) => [
    { path, oid },
    { path, oid: analysedOid },
  ]);
  const stored = new Facts(storedFacts(db, { keep: true }), project.worktree.path, config);
  const facts = await stored.of(wanted);
  const heads = new Map(quiet.map(({ path, oid }) => [path, oid]));
  const nearnessOf = describedAt(db, project.scope, { heads, facts: stored });
  const docsAt = (path: string, oid: string) => JSON.stringify(facts.get(factKey({ path, oid }))?.docs ?? null);
  return quiet.filter(({ path, oid, analysedOid, aging }) => {
    const mayBeFalse = aging.some(
      (one) => one.change === "behaviour" && nearnessOf({ path, oid }, one) === "behaviour",
    );
    return mayBeFalse || docsAt(path, oid) !== docsAt(path, analysedOid);
  });
}

export function withAnswered(plan: GraphPlan, answered: readonly AnsweredFile[]): GraphPlan {
  if (answered.length === 0) return plan;
  return {
    ...plan,
    structural: [...plan.structural, ...answered.map(({ path, oid }) => ({ path, oid }))],
    drift: [...(plan.drift ?? []), ...answered.map(({ path, drift }): [string, Drift] => [path, drift])],
  };
}

/** Before the graph advances: what was not described of these files stays at what was analysed; moved files take theirs along. */
export async function keepBehind(
  { db, project, config }: LoadedContext,
  { moves, answered }: { moves: readonly Pick<Move, "from" | "to">[]; answered: readonly AnsweredFile[] },
): Promise<void> {
  const { scope, worktree } = project;
  for (const move of moves) moveAnalysedSymbols(db, scope, move);
  if (answered.length === 0) return;
  const wanted = answered.flatMap(({ path, analysedOid: oid }) => (oid === null ? [] : [{ path, oid }]));
  const facts = await new Facts(storedFacts(db, { keep: true }), worktree.path, config).of(wanted);
  const apart = analysedSymbols(db, scope, scope);
  for (const { path, oid, analysedOid: was, aging: open } of answered) {
    const before = was === null ? [] : symbolStates(path, was, facts.get(factKey({ path, oid: was })));
    keepSymbolsBehind(db, scope, { path, oid, before, apart: apart.get(path) ?? new Map(), open });
  }
}

/**
 * The structural analyzer renews no sentence that was written: the symbols of its files with one that may have become false stay at
 * what was analysed, and all others are as analysed.
 */
export async function keepDescribedBehind(
  context: LoadedContext,
  { fileChanges }: Comparison,
  { structural, moves }: GraphPlan,
): Promise<void> {
  const { db, project, config } = context;
  const facts = new Facts(storedFacts(db, { keep: true }), project.worktree.path, config);
  const heads = new Map(fileChanges.map(({ filePath, oid }) => [filePath, oid]));
  const nearnessOf = describedAt(db, project.scope, { heads, facts });
  const isBehind = (path: string, oid: string) => (symbol: SymbolVerdict) => {
    const nearness = KEPT.has(symbol.change) ? null : nearnessOf({ path, oid }, symbol);
    return nearness !== null && nearness !== "exact";
  };
  const verdicts = new Map(fileChanges.map((verdict) => [verdict.filePath, verdict]));
  const answered = structural.flatMap(({ path, oid }): AnsweredFile[] => {
    const { analysedOid = null, symbols = [] } = verdicts.get(path) ?? {};
    if (oid === ABSENT || analysedOid === null) return [];
    return [{ path, oid, analysedOid, aging: symbols.filter(isBehind(path, oid)), drift: "interface" }];
  });
  await keepBehind(context, { moves, answered });
}

const KEPT: ReadonlySet<string> = new Set(["gone", "moved", "renamed"]);
