import { listTree } from "../git/trees.js";
import type { FileAnalysis } from "../graph/analyses.js";
import { moveAnalysis } from "../graph/rename.js";
import type { LoadedContext } from "../repository/context.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import type { Comparison } from "../verification/compare.js";
import type { Move } from "../verification/renames.js";
import { configEntries } from "./adopt.js";
import { hasDescriptions, putDescription } from "./descriptions.js";
import { Facts, factKey, storedFacts } from "./facts.js";
import { choiceContext, FileDescriptions } from "./file-descriptions.js";
import { ABSENT, isKnown, type Known, knownAnalysis, putAbsence, putAnalysis } from "./known.js";
import type { GraphPlan } from "./plan.js";

/** Stored analyses that the graph does not have yet. */
export async function planFor(context: LoadedContext, comparison: Comparison): Promise<GraphPlan> {
  const { head: commit, restores, moves } = comparison;
  const moved = moves.flatMap(({ from, to, oid }) => [
    { path: to, oid },
    { path: from, oid: ABSENT },
  ]);
  const configs = comparison.configsChanged ? await newConfigs(context, commit) : null;
  return {
    ...{ commit, restores: [...restores, ...moved], structural: [] },
    moves: moves.map(({ from, to }) => ({ from, to })),
    ...(configs === null ? {} : { configs }),
  };
}

async function newConfigs({ db, project }: LoadedContext, commit: string): Promise<[string, string][] | null> {
  const configs = configEntries(await listTree(project.worktree.path, commit));
  return JSON.stringify(configs) === JSON.stringify(readSetting(db, SETTINGS.configs, project.scope)) ? null : configs;
}

/** Notes how many files came back to a content that was analysed before, so that no model had to be asked. */
export function countPutBack({ db, project: { scope } }: LoadedContext, { restores }: Comparison): void {
  const files = restores.filter(({ oid }) => oid !== ABSENT).length;
  if (files === 0) return;
  db.write(() => {
    writeSetting(db, SETTINGS.filesPutBack, (readSetting(db, SETTINGS.filesPutBack, scope) ?? 0) + files, scope);
  });
}

/** What was written about the files that have another name now is theirs under it as well, also where they are pending. */
export async function keepMovedTexts(
  { db, project, config }: LoadedContext,
  { moves, renamedFiles, fileChanges }: Pick<Comparison, "moves" | "renamedFiles" | "fileChanges">,
): Promise<void> {
  if (moves.length + renamedFiles.length === 0 || !hasDescriptions(db)) return;
  const analysed = new Map(fileChanges.map(({ filePath, analysedOid }) => [filePath, analysedOid]));
  const renamed = renamedFiles.map(({ from, to }) => ({ from, to, oid: analysed.get(to) ?? "" }));
  const all = [...moves, ...renamed].map(({ from: path, to, oid }) => ({ path, to, oid }));
  const facts = await new Facts(storedFacts(db, { keep: true }), project.worktree.path, config).of(all);
  const around = choiceContext(db, project.scope);
  db.write(() => {
    for (const { to, ...file } of all) {
      const texts = new FileDescriptions(around, { ...file, fact: facts.get(factKey(file)) }).underName(to);
      for (const text of texts) putDescription(db, text, "own");
    }
  });
}

/** Stores the analysis of a moved file under its new path, and the absence of the old one. */
export function keepMoved(db: Db, moves: readonly Move[]): void {
  const at = new Date().toISOString();
  db.write(() => {
    for (const { from, to, oid } of moves) {
      if (!isKnown(db, to, oid)) putAnalysis(db, to, oid, movedAnalysis(db, from, to, oid), at);
      putAbsence(db, to, at);
      putAbsence(db, from, at);
    }
  });
}

/** The analysis of a file under its new path. */
export function movedAnalysis(db: Db, from: string, to: string, oid: string): Known {
  const known = knownAnalysis(db, from, oid);
  const nothing: FileAnalysis = { nodes: [], edges: [], inboundFrom: [] };
  return known === null
    ? { analysis: nothing, source: "found" }
    : { analysis: moveAnalysis(known.analysis, from, to), source: known.source };
}
