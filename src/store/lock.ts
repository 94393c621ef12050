import { existsSync, lstatSync, mkdirSync, realpathSync, rmdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { lockSync } from "proper-lockfile";
import { errnoOf, isUaError, UaError } from "../errors.js";
import { clock } from "../platform/clock.js";
import { isGone, isRunning, processNumber, processOf } from "../platform/process.js";
import { isWindows } from "../platform/windows.js";
import { faultPoint } from "./fault.js";
import { readTextIfThere } from "./files.js";
import { type Holder, readSetting, SETTINGS, writeSetting } from "./settings.js";
import type { Db } from "./sqlite.js";

/** A holder refreshes its lock well within this time; work without a pause must take less than half of it. */
const STALE_MS = 20_000;
const POLL_MS = 15;
/** After this many polls a waiter polls less often: the holder's work is long. */
const SLOW_POLL_AFTER = 40;

/** The part of fs that proper-lockfile needs. It copies the object, and copying all of Node's fs loads its streams. */
const LOCK_FS = { mkdirSync, realpathSync, rmdirSync, statSync, utimesSync };

export interface Lock {
  /** Throws if the lock was lost: then nothing may be written. */
  assertHeld(): void;
  release(): void;
}

interface Attempt {
  lock: Lock | null;
  /** The current holder, if the attempt failed. */
  holder: Holder | null;
}

/**
 * At most one process works per clone. The lock is a folder (proper-lockfile); its holder is in the state database, and
 * both change in one write transaction. So two processes never replace a dead holder at the same time, and a folder
 * without a living holder is taken over at once; one of another machine or container, whose life cannot be seen, only by its age.
 */
export function tryLock(db: Db, stateDir: string, role: Holder["role"] = "other"): Attempt {
  const path = join(stateDir, "runner.lock");
  const holder = readHolder(db);
  if (isLocked(stateDir, holder)) return { lock: null, holder };
  return db.write(() => take(db, stateDir, path, role));
}

function take(db: Db, stateDir: string, path: string, role: Holder["role"]): Attempt {
  const before = readHolder(db);
  // Looked for first: Node loads a module for what removes folders.
  if ((before === null || isGone(before)) && lstatSync(path, { throwIfNoEntry: false }))
    rmSync(path, { recursive: true, force: true });
  const holder: Holder = { ...processOf(process.pid), role, token: newToken() };
  let lost = false;
  const isOurs = () => !lost && readHolder(db)?.token === holder.token;
  let unlock: () => void;
  try {
    unlock = lockSync(stateDir, {
      lockfilePath: path,
      realpath: false,
      stale: STALE_MS,
      update: STALE_MS / 4,
      fs: LOCK_FS,
      onCompromised: () => {
        lost = true;
      },
    });
  } catch (error) {
    if (errnoOf(error) === "ELOCKED") return { lock: null, holder: before };
    throw error;
  }
  try {
    faultPoint("lock.made");
    writeSetting(db, SETTINGS.lockHolder, holder);
    writeSetting(db, SETTINGS.lockWaiter, null);
  } catch (error) {
    unlock();
    throw error;
  }
  return { lock: held(db, isOurs, unlock), holder };
}

function held(db: Db, isOurs: () => boolean, unlock: () => void): Lock {
  return {
    assertHeld: () => {
      if (!isOurs()) throw new UaError("busy", "the lock was lost to another process", "run the command again");
    },
    release: () =>
      db.write(() => {
        if (!isOurs()) return;
        unlock();
        faultPoint("lock.release");
        writeSetting(db, SETTINGS.lockHolder, null);
      }),
  };
}

let takings = 0;

function newToken(): string {
  return `${processNumber()}-${Date.now().toString(36)}-${++takings}`;
}

function readHolder(db: Db): Holder | null {
  return readSetting(db, SETTINGS.lockHolder);
}

/** `holder`: who has it, as the database says. */
export function isLocked(stateDir: string, holder: Holder | null): boolean {
  return isFresh(join(stateDir, "runner.lock")) && holder !== null && !isGone(holder);
}

function isFresh(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && stat.mtimeMs > Date.now() - STALE_MS;
}

/** A worker stops in the middle of a long verification, because a process waits for the lock. */
export class LockWanted extends Error {
  override readonly name = "LockWanted";
}

export function isLockWanted(error: unknown): boolean {
  return error instanceof Error && error.name === "LockWanted";
}

export const BUSY = ["another ua-hooks process is working in this clone", "try again in a moment"] as const;

/** Another process has the lock, or writes, for longer than the caller waits. */
class LockBusy extends UaError {
  readonly isLock = true;

  constructor(cause: unknown) {
    super("busy", ...BUSY, cause);
  }
}

export function isLockBusy(error: unknown): boolean {
  return isUaError(error) && "isLock" in error;
}

/** Waits for the lock, and lets a running worker know. A statement that waits for another writer counts: it must not wait longer. */
export async function lock(db: Db, stateDir: string, waitMs: number): Promise<Lock> {
  const before = db.get<{ timeout: number }>("PRAGMA busy_timeout")?.timeout ?? waitMs;
  db.exec(`PRAGMA busy_timeout = ${Math.min(before, waitMs)}`);
  try {
    return await waitForLock(db, stateDir, waitMs);
  } catch (error) {
    throw isUaError(error) && error.code === "busy" ? new LockBusy(error) : error;
  } finally {
    db.exec(`PRAGMA busy_timeout = ${before}`);
  }
}

async function waitForLock(db: Db, stateDir: string, waitMs: number): Promise<Lock> {
  const deadline = clock() + waitMs; // monotonic: a clock that is set back must not extend the wait
  for (let looks = 0; ; looks++) {
    const { lock: got } = tryLock(db, stateDir);
    if (got !== null) return got;
    if (clock() >= deadline) {
      throw new UaError("busy", ...BUSY);
    }
    if (!hasWaiter(db)) writeSetting(db, SETTINGS.lockWaiter, 1);
    await pause(looks);
  }
}

/**
 * How a worker takes the lock. null: another worker has it and checks the journal once more after this call, so it sees
 * every line in it. Any other holder verifies one worktree and does not read the journal: wait for it.
 */
export async function lockAsWorker(db: Db, stateDir: string): Promise<Lock | null> {
  for (let looks = 0; ; looks++) {
    const { lock: got, holder } = tryLock(db, stateDir, "runner");
    if (got !== null || holder?.role === "runner") return got;
    await pause(looks);
  }
}

/** Lock files of processes that are gone. The next process takes over; doctor reports them. */
export function staleLockFiles(db: Db, stateDir: string): string[] {
  const holder = readHolder(db);
  const folder = existsSync(join(stateDir, "runner.lock")) && (holder === null || isGone(holder));
  const pid = (readTextIfThere(join(stateDir, "runner.pid")) ?? "").trim();
  // A worker in another container has its number there, too.
  const isServed = isLocked(stateDir, holder) || isRunning({ pid: Number(pid), born: "" });
  const stale = !isWindows && pid !== "" && !isServed;
  return [...(folder ? ["runner.lock"] : []), ...(stale ? ["runner.pid"] : [])];
}

/** Whether a process waits for the lock: a worker yields it between two worktrees. */
export function hasWaiter(db: Db): boolean {
  return readSetting(db, SETTINGS.lockWaiter) !== null;
}

/** Gives a waiting process time to take the free lock. */
export async function yieldLock(db: Db): Promise<void> {
  for (let looks = 0; looks < 10 && hasWaiter(db); looks++) await pause(looks);
}

export function pause(looks = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, looks < SLOW_POLL_AFTER ? POLL_MS : POLL_MS * 8));
}
