import { listTree } from "../git/trees.js";
import type { FileAnalysis } from "../graph/analyses.js";
import { moveAnalysis } from "../graph/rename.js";
import type { LoadedContext } from "../repository/context.js";
import { readSetting, SETTINGS } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import type { Comparison } from "../verification/compare.js";
import type { Move } from "../verification/renames.js";
import { configEntries } from "./adopt.js";
import { ABSENT, isKnown, type Known, knownAnalysis, putAbsence, putAnalysis } from "./known.js";
import type { GraphPlan } from "./plan.js";

/** What is known already and the graph does not say yet. */
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

/** A file that moved is known under its new name, and that the old one is free. */
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

/** What is known of a file under the name that it has now. */
export function movedAnalysis(db: Db, from: string, to: string, oid: string): Known {
  const known = knownAnalysis(db, from, oid);
  const nothing: FileAnalysis = { nodes: [], edges: [], inboundFrom: [] };
  return known === null
    ? { analysis: nothing, source: "found" }
    : { analysis: moveAnalysis(known.analysis, from, to), source: known.source };
}
