import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../errors.js";
import { parseCount } from "../fingerprint/count.js";
import { allViewRows, forgetView } from "../freshness/views.js";
import { markerPath } from "../marker/marker.js";
import { type Project, projectOf, type View } from "../project/locate.js";
import { isRebasing, listViews, viewToken } from "../project/views.js";
import { faultPoint } from "../store/fault.js";
import type { Db } from "../store/sqlite.js";
import { openState } from "../store/state.js";
import { hasJournal, takeJournal, takeRewrites } from "./journal.js";
import { type Lock, tryLock } from "./lock.js";
import { writeLog } from "./log.js";
import { proofPath, proveView } from "./proof.js";
import { verifyView } from "./verify.js";

/** How long a runner waits for a rebase to end before it leaves the view to the next event or read. */
const REBASE_PATIENCE_MS = 5_000;
const POLL_MS = 20;

/**
 * The detached worker, one per clone. It compares every worktree's HEAD with its verified sha, so that it does not
 * matter which events woke it. On its way out: unlink runner.pid, release, look once more; an event that found the
 * pid alive has written its journal line before that look, one that did not starts a runner of its own.
 */
export async function runAll(repository: Project): Promise<void> {
  const { stateDir } = repository;
  const db = await openState(stateDir);
  try {
    // A view that could not be verified at this HEAD is not tried again and again.
    const given = new Map<string, string>();
    do {
      const lock = tryLock(db, stateDir);
      if (lock === null) return;
      try {
        writeFileSync(join(stateDir, "runner.pid"), `${process.pid}\n`, { mode: 0o600 });
        await work(db, lock, repository, given);
      } finally {
        faultPoint("runner.leaving");
        leave(stateDir);
        faultPoint("runner.unlinked");
        lock.release();
      }
      faultPoint("runner.released");
    } while (hasJournal(stateDir) || (await openViews(repository, given)).length > 0);
  } finally {
    db.close();
  }
}

/** Only our own: a starter that lost the race has written its own pid there. */
function leave(stateDir: string): void {
  const file = join(stateDir, "runner.pid");
  try {
    if (readFileSync(file, "utf8").trim() === String(process.pid)) rmSync(file, { force: true });
  } catch {
    // somebody else cleaned up
  }
}

async function work(db: Db, lock: Lock, repository: Project, given: Map<string, string>): Promise<void> {
  const { stateDir } = repository;
  const events = new Map<string, string[]>();
  let patience = Date.now() + REBASE_PATIENCE_MS;
  for (;;) {
    for (const [view, names] of takeJournal(stateDir)) events.set(view, [...(events.get(view) ?? []), ...names]);
    takeRewrites(db, stateDir, new Date().toISOString());
    forgetRemoved(db, repository);
    const open = await openViews(repository, given);
    const ready = open.filter(({ view }) => !isRebasing(view));
    for (const project of ready) {
      await workOn(db, lock, project, events.get(project.view.id) ?? [], given);
      events.delete(project.view.id);
      patience = Date.now() + REBASE_PATIENCE_MS;
    }
    if (ready.length > 0 || hasJournal(stateDir)) continue;
    if (open.length === 0 || Date.now() > patience) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    lock.assertHeld();
  }
}

async function workOn(
  db: Db,
  lock: Lock,
  project: Project,
  events: string[],
  given: Map<string, string>,
): Promise<void> {
  faultPoint("runner.work");
  const done = await verifyAndLog(db, lock, project, events);
  if (!done) given.set(project.view.id, await headKey(project));
}

/** One view, verified; what came of it goes to the log, also where nothing could. */
export async function verifyAndLog(db: Db, lock: Lock, project: Project, events: string[]): Promise<boolean> {
  const started = performance.now();
  const entry = { at: new Date().toISOString(), view: project.view.id, events };
  const parsed = parseCount();
  const spent = () => ({ parses: parseCount() - parsed, ms: Math.round(performance.now() - started) });
  try {
    const { head, outcome, reason, judgement } = await verifyView(db, lock, project, events);
    const action = judgement === null ? {} : { action: judgement.action };
    writeLog(project.stateDir, { ...entry, head: head.commit, outcome, ...action, reason, ...spent() });
    return true;
  } catch (error) {
    lock.assertHeld();
    writeLog(project.stateDir, { ...entry, head: null, outcome: "unknown", reason: messageOf(error), ...spent() });
    return false;
  }
}

/** The views whose cheap proof fails, less those that were given up on at this very HEAD. */
async function openViews(repository: Project, given: ReadonlyMap<string, string>): Promise<Project[]> {
  const open: Project[] = [];
  for (const view of listViews(repository)) {
    const project = projectOf(view, repository, process.env);
    if (given.get(view.id) === (await headKey(project))) continue;
    if (await isOpen(project)) open.push(project);
  }
  return open;
}

async function isOpen(project: Project): Promise<boolean> {
  try {
    return (await proveView(project)).proven === null;
  } catch {
    return false; // removed while we looked
  }
}

async function headKey(project: Project): Promise<string> {
  try {
    return JSON.stringify((await proveView(project)).head);
  } catch {
    return "";
  }
}

/** Worktrees that are gone, or whose name another one took, leave nothing behind. */
export function forgetRemoved(db: Db, repository: Project): void {
  const there = new Map<string, View>(listViews(repository).map((view) => [view.id, view]));
  for (const row of allViewRows(db)) {
    const view = there.get(row.id);
    if (view !== undefined && viewToken(view, false) === row.token) continue;
    if (row.id === "." && repository.mainPath !== null) continue;
    const ghost: View = { id: row.id, path: row.path, gitDir: repository.commonDir, linked: true };
    const project = { ...repository, view: ghost, scope: row.scope };
    if (row.scope === ".") rmSync(markerPath(project), { force: true });
    rmSync(proofPath(project), { force: true });
    forgetView(db, row.id);
  }
  sweepTemporaries(repository.stateDir);
}

/** What a killed write left: the lock is ours, so no temporary file here is anybody's. */
function sweepTemporaries(stateDir: string): void {
  const dir = join(stateDir, "proofs");
  for (const name of existsSync(dir) ? readdirSync(dir) : []) {
    if (name.endsWith(".tmp")) rmSync(join(dir, name), { force: true });
  }
}
