import type { Head } from "../git/head.js";
import type { Config } from "../project/config.js";
import type { Project } from "../project/locate.js";
import type { Rules } from "../project/rules.js";
import type { Db } from "../store/sqlite.js";
import { getSetting } from "../store/state.js";
import { Baseline } from "./baseline.js";
import { findCandidates, type Reference } from "./candidates.js";
import { type Action, decide } from "./decide.js";
import { Facts } from "./facts.js";
import { foldRenames, type Rename } from "./renames.js";
import { judgePaths, storedVerdicts, type Verdict } from "./verdicts.js";
import { referenceFor } from "./views.js";

/** What is pending for a view: a pure function of the baseline and HEAD's tree (law 2). */
export interface Judgement {
  head: string;
  branch: string | undefined;
  action: Action;
  reason: string;
  filesToReanalyze: string[];
  deletedFiles: string[];
  renamedFiles: Rename[];
  rerunArchitecture: boolean;
  rerunTour: boolean;
  fileChanges: Verdict[];
  dependents: string[];
  estimatedTokens: number;
  /** Every path whose blob is not the analysed one, renames not folded: what the next judgement starts from. */
  verdicts: Verdict[];
  trackedArtefacts: string[];
  timings: { phase0: number; phase1: number };
}

export interface Situation {
  db: Db;
  project: Project;
  config: Config;
  rules: Rules;
}

/** Phase 0 and Phase 1 for one view. Writes nothing but facts, and those only where `keep` is set. */
export async function judge(
  { db, project, config, rules }: Situation,
  head: Head & { commit: string },
  { keep }: { keep: boolean },
): Promise<Judgement> {
  const started = performance.now();
  const { view, scope } = project;
  const baseline = new Baseline(db, scope, view.id);
  const reference: Reference | null = referenceFor(db, project, rules.id);
  const candidates = await findCandidates(db, view.path, baseline, rules, head.commit, reference);
  const phase0 = performance.now() - started;

  const facts = new Facts(db, view.path, config, keep);
  const verdicts = await judgePaths(candidates.paths, baseline, facts, storedVerdicts(db, view.id));
  const { renames, verdicts: fileChanges } = foldRenames(verdicts);
  const decision = decide(
    {
      verdicts: fileChanges,
      renames,
      graphFiles: Number(getSetting(db, `graphFiles:${scope}`) ?? 0),
      hasDirectory: (directory, except) => baseline.hasDirectory(directory, except),
    },
    config.thresholds,
  );
  return {
    head: head.commit,
    branch: head.branch,
    ...decision,
    renamedFiles: renames,
    fileChanges,
    dependents: dependentsOf(fileChanges, renames, baseline, decision),
    estimatedTokens: decision.filesToReanalyze.length * config.tokensPerFile,
    verdicts,
    trackedArtefacts: candidates.trackedArtefacts,
    timings: { phase0: round(phase0), phase1: round(performance.now() - started - phase0) },
  };
}

const round = (ms: number) => Math.round(ms * 10) / 10;

/** Files that import something whose interface changed, and are not themselves listed. A body change stops at its file. */
function dependentsOf(
  changes: readonly Verdict[],
  renames: readonly Rename[],
  baseline: Baseline,
  listed: { filesToReanalyze: string[]; deletedFiles: string[] },
): string[] {
  const known = new Set([...listed.filesToReanalyze, ...listed.deletedFiles, ...renames.map(({ from }) => from)]);
  const found = new Set<string>();
  const moved = [...changes.filter((v) => v.changeLevel === "STRUCTURAL").map((v) => v.filePath), ...renames.map((r) => r.from)];
  for (const path of moved) {
    for (const importer of baseline.importersOf(path)) if (!known.has(importer)) found.add(importer);
  }
  return [...found].sort();
}
