import { analysisPlan, analyzeWithCommand, RETRIES, trustedCommand } from "../analyzers/command.js";
import { trustState } from "../analyzers/trust.js";
import { isUaError, messageOf } from "../errors.js";
import { CONFIG, readArtefact } from "../knowledge/artefacts.js";
import type { Marker } from "../marker/marker.js";
import { isHeadlessName } from "../repository/config.js";
import { type Context, withLock } from "../repository/context.js";
import { type Project, projectOf } from "../repository/locate.js";
import { isRebasing, listWorktrees } from "../repository/worktrees.js";
import { writeLog } from "../store/log.js";
import { readWorktree } from "../sync/switch.js";
import { modeOf } from "../verification/config.js";
import { describesGraph } from "../verification/graph-worktree.js";
import { runHeadless } from "./run-headless.js";
import { type Applied, applyResult, claimUpdate, releaseUpdate } from "./update.js";

/** `run` with an analyzer command: while it runs, the lease is held and the lock is not. */
export async function runCommand(
  context: Context,
  { full, holder = "ua-hooks run" }: { full: boolean; holder?: string },
): Promise<Applied | null> {
  const { project } = context;
  const config = await context.config();
  const confirm = () => withLock(context, async ({ db }) => trustedCommand(db, config, project));
  const command = await confirm();
  const { analyzerTimeoutMs: timeoutMs } = config;
  // The lease covers all attempts: another claim meanwhile would do the same work twice.
  const minutes = Math.ceil(((RETRIES + 1) * timeoutMs) / 60_000) + 1;
  const claimed = await claimUpdate(context, { holder, full, renew: null, minutes });
  if (claimed === null) return null;
  const { marker } = claimed;
  const lease = marker.lease?.id ?? null;
  try {
    const result = await analyzeWithCommand(command, planOf(project, marker), { timeoutMs, confirm });
    const applied = await applyResult(context, result, lease);
    if (applied.marker?.lease?.id !== lease) return applied;
    // Files that it left out, or that changed meanwhile, can be claimed by others.
    return { ...applied, marker: await releaseUpdate(context, { lease, error: null }) };
  } catch (error) {
    await releaseUpdate(context, { lease, error: messageOf(error), tries: RETRIES + 1 });
    throw error;
  }
}

function planOf(project: Project, marker: Marker) {
  const { outputLanguage } = readArtefact(project, CONFIG) ?? {};
  const language = typeof outputLanguage === "string" ? { outputLanguage } : {};
  return analysisPlan(marker, { root: project.worktree.path, head: marker.head.commit, ...language });
}

/** Commits may arrive while the command runs; after this many rounds the next event continues. */
const MOST_ROUNDS = 5;

/**
 * `mode: inline` with a command, after the worker has finished and released the lock: runs it for what is pending in
 * the worktree that the graph describes. Never a full update, which does not start automatically, and never after three
 * failures.
 */
export async function analyzeInline(repository: Context): Promise<void> {
  const project = await graphWorktree(repository);
  if (project === null) return;
  const context = repository.forWorktree(project);
  for (let round = 0; round < MOST_ROUNDS && (await isDue(context)); round++) {
    const started = Date.now();
    const result = await analyze(context).then(
      (applied) => ({ files: applied?.applied.length ?? 0, reason: `${applied?.applied.length ?? 0} files applied` }),
      (error: unknown) => ({ files: 0, reason: messageOf(error), isOthers: isBusy(error) }),
    );
    if ("isOthers" in result && result.isOthers) return;
    const entry = { at: new Date().toISOString(), view: project.worktree.id, events: ["analyzer"], head: null };
    const outcome = result.files > 0 ? "settled" : "unknown";
    writeLog(project.stateDir, { ...entry, outcome, reason: result.reason, parses: 0, ms: Date.now() - started });
    if (result.files === 0) return;
  }
}

async function analyze(context: Context): Promise<{ applied: readonly string[] } | null> {
  const { analyzer } = await context.config();
  const holder = "ua-hooks inline";
  return isHeadlessName(analyzer)
    ? runHeadless(context, { analyzer, maxTokens: null, holder, afterBurst: true })
    : runCommand(context, { full: false, holder });
}

const isBusy = (error: unknown) => isUaError(error) && error.code === "busy";

async function graphWorktree({ project: repository, database }: Context): Promise<Project | null> {
  const db = await database();
  const worktrees = listWorktrees(repository).filter((worktree) => !isRebasing(worktree));
  const all = worktrees.map((worktree) => projectOf(worktree, repository, {}));
  return all.find((project) => project.scope === "." && describesGraph(db, project)) ?? null;
}

async function isDue(context: Context): Promise<boolean> {
  const config = await context.config();
  const { analyzer } = config;
  if (modeOf(await context.database(), config) !== "inline" || analyzer === "structural") return false;
  const { marker } = await readWorktree(context);
  if (marker === null || marker.state !== "pending" || marker.action === "FULL_UPDATE") return false;
  return trustState(await context.database(), { analyzer }, context.project).trusted;
}
