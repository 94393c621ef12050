import { basename } from "node:path";
import { messageOf } from "../errors.js";
import { readHead } from "../git/head.js";
import { subjectsOf } from "../git/history.js";
import { dirtyPaths } from "../git/status.js";
import { listTreeSizes } from "../git/trees.js";
import { isAdopted } from "../knowledge/adopted.js";
import { Baseline, sharedRows } from "../knowledge/baseline.js";
import type { Marker } from "../marker/marker.js";
import { clock } from "../platform/clock.js";
import type { Context, LoadedContext } from "../repository/context.js";
import { type Project, projectOf } from "../repository/locate.js";
import { listWorktrees } from "../repository/worktrees.js";
import { readLog } from "../store/log.js";
import { type Comparison, compareWithBaseline } from "../verification/compare.js";
import { type Replayed, replay } from "../verification/replay.js";
import { type WorktreeStatus, worktreeStatus } from "../verification/status.js";
import { totalsOf } from "../verification/totals.js";
import { describedByDay, descriptionsPart, reportSymbols } from "./descriptions.js";
import { countShades, toFiles } from "./files.js";
import { recordsOf } from "./records.js";
import { toRuns, toTimes, withoutPlaces } from "./runs.js";
import type { HistoryPart, PendingPart, Report, ReportWorktree } from "./types.js";
import { toWeeks } from "./weeks.js";

export interface ReportOptions {
  /** Number of commits in the history part; 0: none. */
  last: number;
  hooks: Report["hooks"];
  onProgress(done: number, total: number): void;
}

/** Maximum number of runs on the page; the log has some thousands. */
const MOST_RUNS = 500;

/** All data of the report for one worktree. Verifies first (invariant "reads verify first"), then only reads. */
export async function collectReport(context: Context, { last, hooks, onProgress }: ReportOptions): Promise<Report> {
  const { project } = context;
  const clean = withoutPlaces([
    project.stateDir,
    project.commonDir,
    project.dataDir,
    project.root,
    project.worktree.path,
  ]);
  const situation = await worktreeStatus(context);
  const marker = situation.verification?.marker ?? null;
  const loaded = await context.load();
  const worktree = await filesOf(loaded, situation, marker);
  const logged = readLog(project.stateDir, Number.POSITIVE_INFINITY);
  const log = logged.slice(-MOST_RUNS);
  const heads = log.flatMap(({ head }) => (typeof head === "string" ? [head] : []));
  const runs = toRuns(log, await subjectsOf(project.worktree.path, heads), clean);
  return {
    schema: "ua-hooks.report/1",
    generatedAt: new Date().toISOString(),
    version: UA_HOOKS_VERSION,
    project: projectPart(project, situation),
    status: situation.status,
    reason: clean(situation.reason),
    pending: marker === null ? null : pendingPart(marker),
    hooks: { ...hooks, warning: hooks.warning === null ? null : clean(hooks.warning) },
    drift: countShades(worktree.files),
    ...worktree,
    history: await historyPart(loaded, situation, last, onProgress),
    runs,
    weeks: toWeeks(logged, describedByDay(loaded.db)),
    times: toTimes(runs, loaded.config.execution, await timeGit(project)),
    worktrees: await worktreesOf(context, situation, clean),
    records: await recordsOf(context),
    descriptions: descriptionsPart(loaded.db, project),
  };
}

function projectPart({ root, commonDir, worktree }: Project, s: WorktreeStatus): Report["project"] {
  return {
    name: basename(root ?? commonDir).replace(/\.git$/, ""),
    worktree: worktree.id,
    head: s.verification?.head ?? { commit: null },
    baseline: { commit: s.baseline },
    relation: s.distance.relation,
    commitsBehind: s.distance.behind,
    commitsAhead: s.distance.ahead,
    dirtyFiles: s.dirty.length,
  };
}

function pendingPart(marker: Marker): PendingPart {
  const { action, reason, state, generation, estimatedTokens } = marker;
  return {
    ...{ action, reason, state, generation, estimatedTokens },
    filesToReanalyze: marker.filesToReanalyze.length,
    deletedFiles: marker.deletedFiles.length,
    dependents: marker.dependents.length,
  };
}

async function filesOf(context: LoadedContext, situation: WorktreeStatus, marker: Marker | null) {
  const { db, project, rules } = context;
  const head =
    situation.verification?.head.commit ?? (await readHead(project.worktree.gitDir, project.commonDir)).commit;
  if (head === null) return { files: [], uncovered: 0 };
  const baseline = new Baseline(db, project.scope, project.worktree.id);
  const comparison = await comparedFiles(context, situation, head);
  const [rows, analysed] = [sharedRows(db, project.scope), baseline.allOids()];
  return toFiles({
    tree: await listTreeSizes(project.worktree.path, head),
    covers: (path) => rules.covers(path, rows.get(path)?.inGraph ?? false),
    analysed: (path) => analysed.get(path) ?? null,
    changes: comparison?.fileChanges ?? null,
    symbolsOf: reportSymbols(db, project, comparison?.fileChanges ?? []),
    imports: baseline.allImports(),
    pending: new Set(marker === null ? [] : [...marker.filesToReanalyze, ...marker.deletedFiles]),
    dependents: new Set(marker?.dependents),
    dirty: new Set(situation.dirty),
  });
}

/** null if there is nothing to compare: no graph, disabled, or git failed. */
async function comparedFiles(
  context: LoadedContext,
  { verification: found }: WorktreeStatus,
  commit: string,
): Promise<Comparison | null> {
  if (found === null || (found.outcome !== "settled" && found.outcome !== "pending")) return null;
  if (!isAdopted(context.db, context.project)) return null;
  return compareWithBaseline(context, { commit }, { keep: false });
}

async function historyPart(
  { project, config, rules }: LoadedContext,
  { verification: found }: WorktreeStatus,
  last: number,
  onProgress: ReportOptions["onProgress"],
): Promise<HistoryPart | null> {
  if (last === 0 || found === null || found.head.commit === null) return null;
  const started = clock();
  const selection = [`--max-count=${last}`, found.head.commit];
  const each: Replayed[] = [];
  const options = { cwd: project.worktree.path, selection, config, rules, policies: [config.refresh] };
  for await (const one of replay({ ...options, onProgress })) each.push(one);
  const { parses: _, seconds: __, ...totals } = totalsOf(each, config, clock() - started);
  return {
    ...totals,
    each: each.map(({ commit, subject, action, changed, structural }) => ({
      ...{ commit, subject, action, changed, structural },
    })),
  };
}

/** For comparison with the times of our runs; null if git fails. */
async function timeGit({ worktree }: Project): Promise<number | null> {
  const started = clock();
  return dirtyPaths(worktree.path).then(
    () => Math.round(clock() - started),
    () => null,
  );
}

async function worktreesOf(
  context: Context,
  known: WorktreeStatus,
  clean: (text: string) => string,
): Promise<ReportWorktree[]> {
  const { project: here } = context;
  const found: ReportWorktree[] = [];
  for (const worktree of listWorktrees(here)) {
    const current = worktree.id === here.worktree.id;
    const project = projectOf(worktree, here, process.env);
    const s = current ? known : await worktreeStatus(context.forWorktree(project)).catch(messageOf);
    const shared = { id: worktree.id, folder: basename(worktree.path), current };
    if (typeof s === "string") {
      const nothing = { head: null, branch: null, pendingFiles: 0, dirtyFiles: 0 };
      found.push({ ...shared, ...nothing, status: "unknown", reason: clean(s) });
      continue;
    }
    const { head, marker } = s.verification ?? { head: { commit: null }, marker: null };
    found.push({
      ...shared,
      ...{ head: head.commit, branch: head.branch ?? null, status: s.status, reason: clean(s.reason) },
      pendingFiles: marker === null ? 0 : marker.filesToReanalyze.length + marker.deletedFiles.length,
      dirtyFiles: s.dirty.length,
    });
  }
  return found;
}
