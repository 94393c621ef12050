import type { Head } from "../git/head.js";
import { clock } from "../platform/clock.js";
import { type Context, withContext } from "../repository/context.js";
import { isSetUp } from "../repository/installed.js";
import { type Project, projectOf } from "../repository/locate.js";
import { isRebasing, listWorktrees } from "../repository/worktrees.js";
import { faultPoint } from "../store/fault.js";
import { hasWaiter, isLockWanted, type Lock, LockWanted, lockAsWorker, pause, yieldLock } from "../store/lock.js";
import { logFailure } from "../store/log.js";
import type { Db } from "../store/sqlite.js";
import { checkStamp } from "../verification/stamp.js";
import { checkInstallation } from "./check-installation.js";
import { collect } from "./collect.js";
import { type DeferredTasks, deferredTasks, NO_TASKS } from "./deferred-tasks.js";
import { hasJournal } from "./journal.js";
import { removePid, writePid } from "./pid-file.js";
import { verifyAndLog } from "./verify-and-log.js";

/** How long a worker waits for the end of a rebase before it leaves the worktree to the next event or read. */
const REBASE_WAIT_MS = 5_000;
/** Number of verifications at one HEAD after which the stamp must match; otherwise its files change all the time. */
const MOST_TRIES = 3;

/** A worker's state between two takings of the lock. */
interface WorkerRun {
  /** Of the worktree that the worker was started in; every other worktree gets one that shares its database. */
  context: Context;
  db: Db;
  repository: Project;
  events: Map<string, Set<string>>;
  tries: Map<string, { head: string; count: number }>;
  /** Until when it waits for a rebase. */
  waitDeadline: number;
  /** Errors that are logged already. */
  logged: Set<string>;
}

const soon = () => clock() + REBASE_WAIT_MS;

/**
 * The detached worker, one per clone. It compares every worktree's HEAD with its verified sha, so it does not matter
 * which events started it. At the end: unlink runner.pid, release the lock, check once more. An event that found the
 * pid alive has written its journal line before that check; any other starts a new worker.
 */
export async function runWorker(repository: Project): Promise<void> {
  try {
    await withContext(repository, async (context) => {
      const more = await runWith(context, await context.database());
      if (more.analysis) await (await import("../updates/run-command.js")).analyzeInline(context);
      if (more.documents) await (await import("./documents.js")).refreshDocuments(context);
      if (more.pruning) await (await import("./prune.js")).pruneState(context);
    });
    await checkInstallation(repository);
  } catch (error) {
    logFailure(repository.stateDir, error);
  }
}

async function runWith(context: Context, db: Db): Promise<DeferredTasks> {
  const { project: repository } = context;
  const { stateDir } = repository;
  const run: WorkerRun = {
    ...{ context, db, repository, waitDeadline: soon() },
    ...{ events: new Map(), tries: new Map(), logged: new Set() },
  };
  let more = true;
  while (more) {
    const lock = await takeOver(db, stateDir);
    if (lock === null) return NO_TASKS;
    if (!isSetUp(repository)) {
      lock.release(); // uninstalled meanwhile, with its state
      return NO_TASKS;
    }
    const wanted = await workAndLeave(run, lock);
    if (wanted) await yieldLock(db);
    more = wanted || hasJournal(stateDir) || (await staleWorktrees(run)).ready.length > 0;
    faultPoint("runner.looked");
  }
  return deferredTasks(db);
}

/** null: another worker is running and will see everything that is in the journal now. */
async function takeOver(db: Db, stateDir: string): Promise<Lock | null> {
  const lock = await lockAsWorker(db, stateDir);
  if (lock !== null) return lock;
  // Until here an event may have found this pid alive and relied on it. From here on none does, and the others have
  // written their line before this second attempt: the other worker's last check is still to come, or it is gone.
  faultPoint("runner.declined");
  removePid(stateDir);
  return lockAsWorker(db, stateDir);
}

/** True if a process waits for the lock: then runner.pid stays, because we continue. */
async function workAndLeave(run: WorkerRun, lock: Lock): Promise<boolean> {
  const { stateDir } = run.repository;
  let wanted = false;
  try {
    wanted = await work(run, lock);
  } finally {
    faultPoint("runner.leaving");
    if (!wanted) removePid(stateDir);
    faultPoint("runner.unlinked");
    lock.release();
  }
  faultPoint("runner.released");
  return wanted;
}

async function work(run: WorkerRun, lock: Lock): Promise<boolean> {
  const { db, repository } = run;
  for (;;) {
    lock.assertHeld();
    writePid(repository.stateDir);
    for (const [worktree, names] of collect(db, repository, run.logged)) {
      run.events.set(worktree, new Set([...(run.events.get(worktree) ?? []), ...names]));
      run.waitDeadline = soon();
    }
    const { ready, rebasing } = await staleWorktrees(run);
    for (const project of ready) {
      if (!(await workOn(run, lock, project))) return true;
      run.waitDeadline = soon();
      if (hasWaiter(db)) return true;
    }
    if (ready.length > 0) continue;
    if (hasWaiter(db)) return true;
    if (rebasing === 0 && !hasJournal(repository.stateDir)) return false;
    if (clock() > run.waitDeadline) return false;
    if (rebasing > 0) await pause(Number.POSITIVE_INFINITY);
  }
}

/**
 * False: a process waits for the lock, and the worktree is not done. Many changed files are parsed in batches: after each one a
 * waiting process gets the lock, and what is parsed already is not parsed again.
 */
async function workOn(run: WorkerRun, lock: Lock, project: Project): Promise<boolean> {
  const { id } = project.worktree;
  const events = [...(run.events.get(id) ?? [])];
  run.events.delete(id);
  faultPoint("runner.work");
  const { head } = await checkStamp(project).catch(() => ({ head: null }));
  const locked = { ...run.context.forWorktree(project), db: run.db, lock };
  const done = await verifyAndLog(locked, events, { afterBatch: () => stopIfWanted(run.db) }).catch(
    (error: unknown) => {
      if (!isLockWanted(error)) throw error;
      return null;
    },
  );
  if (done === null) {
    run.events.set(id, new Set([...events, ...(run.events.get(id) ?? [])]));
    return false;
  }
  const before = run.tries.get(id);
  const count = before?.head === headKey(head) ? before.count : 0;
  run.tries.set(id, { head: headKey(head), count: done ? count + 1 : MOST_TRIES });
  faultPoint("runner.worked");
  return true;
}

function stopIfWanted(db: Db): void {
  if (hasWaiter(db)) throw new LockWanted();
}

/** The worktrees whose stamp does not match, without those that were given up at this HEAD. */
async function staleWorktrees({ repository, tries }: WorkerRun): Promise<{ ready: Project[]; rebasing: number }> {
  const ready: Project[] = [];
  let rebasing = 0;
  for (const worktree of listWorktrees(repository)) {
    // Independent of our environment: a worktree with its own data records that in its git dir.
    const project = projectOf(worktree, repository, {});
    const look = await checkStamp(project).catch(() => null); // null: removed meanwhile
    if (look === null) continue;
    const tried = tries.get(worktree.id);
    if (look.stamped !== null) tries.delete(worktree.id);
    else if (tried?.head === headKey(look.head) && tried.count >= MOST_TRIES) continue;
    else if (isRebasing(worktree)) rebasing++;
    else ready.push(project);
  }
  return { ready, rebasing };
}

function headKey(head: Head | null): string {
  return JSON.stringify(head);
}
