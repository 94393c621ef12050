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
import { loadConfig } from "../repository/config.js";
import type { Context } from "../repository/context.js";
import { type Project, projectOf } from "../repository/locate.js";
import { loadRules } from "../repository/rules.js";
import { listViews } from "../repository/worktrees.js";
import { readLog } from "../store/log.js";
import { openState } from "../store/state.js";
import { type Judgement, judge } from "../verification/compare.js";
import { type Replayed, replay } from "../verification/replay.js";
import { type Situation, situationOf } from "../verification/status.js";
import { totalsOf } from "../verification/totals.js";
import { countShades, toFiles } from "./files.js";
import { recordsOf } from "./records.js";
import { toRuns, toTimes, withoutPlaces } from "./runs.js";
import type { HistoryPart, PendingPart, Report, Worktree } from "./types.js";

export interface Wish {
  /** How many commits of history to look at; 0: none. */
  last: number;
  hooks: Report["hooks"];
  onProgress(done: number, total: number): void;
}

/** More than this a page does not list; the log keeps some thousands. */
const MOST_RUNS = 500;

/** Everything the report says of one view. Proves first (law 3), then only reads. */
export async function collectReport(project: Project, { last, hooks, onProgress }: Wish): Promise<Report> {
  const clean = withoutPlaces([project.stateDir, project.commonDir, project.dataDir, project.root, project.view.path]);
  const situation = await situationOf(project);
  const marker = situation.found?.marker ?? null;
  const config = await loadConfig(project.root);
  const rules = await loadRules(project.root, project.dataDir, config);
  const db = await openState(project.stateDir);
  try {
    const judging: Context = { db, project, config, rules };
    const view = await filesOf(judging, situation, marker);
    const log = readLog(project.stateDir, MOST_RUNS);
    const heads = log.flatMap(({ head }) => (typeof head === "string" ? [head] : []));
    const runs = toRuns(log, await subjectsOf(project.view.path, heads), clean);
    return {
      schema: "ua-hooks.report/1",
      generatedAt: new Date().toISOString(),
      version: UA_HOOKS_VERSION,
      project: projectPart(project, situation),
      status: situation.status,
      reason: clean(situation.reason),
      pending: marker === null ? null : pendingPart(marker),
      hooks: { ...hooks, warning: hooks.warning === null ? null : clean(hooks.warning) },
      drift: countShades(view.files),
      ...view,
      history: await historyPart(judging, situation, last, onProgress),
      runs,
      times: toTimes(runs, config.execution, await timeGit(project)),
      worktrees: await worktreesOf(project, situation, clean),
      records: await recordsOf(db, project),
    };
  } finally {
    db.close();
  }
}

function projectPart({ root, commonDir, view }: Project, s: Situation): Report["project"] {
  return {
    name: basename(root ?? commonDir).replace(/\.git$/, ""),
    worktree: view.id,
    head: s.found?.head ?? { commit: null },
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

async function filesOf(judging: Context, situation: Situation, marker: Marker | null) {
  const { db, project, rules } = judging;
  const head = situation.found?.head.commit ?? (await readHead(project.view.gitDir, project.commonDir)).commit;
  if (head === null) return { files: [], uncovered: 0 };
  const baseline = new Baseline(db, project.scope, project.view.id);
  const judgement = await judged(judging, situation, head);
  const [rows, analysed] = [sharedRows(db, project.scope), baseline.allOids()];
  return toFiles({
    tree: await listTreeSizes(project.view.path, head),
    covers: (path) => rules.covers(path, rows.get(path)?.inGraph ?? false),
    analysed: (path) => analysed.get(path) ?? null,
    changes: judgement?.fileChanges ?? null,
    imports: baseline.allImports(),
    pending: new Set(marker === null ? [] : [...marker.filesToReanalyze, ...marker.deletedFiles]),
    dependents: new Set(marker?.dependents),
    dirty: new Set(situation.dirty),
  });
}

/** null where there is nothing to judge by: no graph, switched off, or git could not say. */
async function judged(judging: Context, { found }: Situation, commit: string): Promise<Judgement | null> {
  if (found === null || (found.outcome !== "settled" && found.outcome !== "pending")) return null;
  if (!isAdopted(judging.db, judging.project)) return null;
  return judge(judging, { commit }, { keep: false });
}

async function historyPart(
  { project, config, rules }: Context,
  { found }: Situation,
  last: number,
  onProgress: Wish["onProgress"],
): Promise<HistoryPart | null> {
  if (last === 0 || found === null || found.head.commit === null) return null;
  const started = clock();
  const selection = [`--max-count=${last}`, found.head.commit];
  const each: Replayed[] = [];
  for await (const one of replay({ cwd: project.view.path, selection, config, rules, onProgress })) each.push(one);
  const { parses: _, seconds: __, ...totals } = totalsOf(each, config, clock() - started);
  return {
    ...totals,
    tokensPerFile: config.tokensPerFile,
    each: each.map(({ commit, subject, action, changed, structural }) => ({
      ...{ commit, subject, action, changed, structural },
    })),
  };
}

/** A yardstick for the times of our runs; null where git cannot say what changed. */
async function timeGit({ view }: Project): Promise<number | null> {
  const started = clock();
  return dirtyPaths(view.path).then(
    () => Math.round(clock() - started),
    () => null,
  );
}

async function worktreesOf(here: Project, known: Situation, clean: (text: string) => string): Promise<Worktree[]> {
  const found: Worktree[] = [];
  for (const view of listViews(here)) {
    const current = view.id === here.view.id;
    const project = projectOf(view, here, process.env);
    const s = current ? known : await situationOf(project).catch(messageOf);
    const shared = { id: view.id, folder: basename(view.path), current };
    if (typeof s === "string") {
      const nothing = { head: null, branch: null, pendingFiles: 0, dirtyFiles: 0 };
      found.push({ ...shared, ...nothing, status: "unknown", reason: clean(s) });
      continue;
    }
    const { head, marker } = s.found ?? { head: { commit: null }, marker: null };
    found.push({
      ...shared,
      ...{ head: head.commit, branch: head.branch ?? null, status: s.status, reason: clean(s.reason) },
      pendingFiles: marker === null ? 0 : marker.filesToReanalyze.length + marker.deletedFiles.length,
      dirtyFiles: s.dirty.length,
    });
  }
  return found;
}
