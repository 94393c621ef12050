import { existsSync, mkdirSync, realpathSync, rmdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { lockSync } from "proper-lockfile";
import { errnoOf, UaError } from "../errors.js";
import { clock } from "../platform/clock.js";
import { isRunning, processOf } from "../platform/process.js";
import { faultPoint } from "./fault.js";
import { readTextIfThere } from "./files.js";
import { type Holder, readSetting, SETTINGS, writeSetting } from "./settings.js";
import type { Db } from "./sqlite.js";

/** A holder refreshes its lock well within this; work without a pause must stay below half of it. */
const STALE_MS = 20_000;
const POLL_MS = 15;
/** Beyond this many looks a waiter looks less often: whoever holds the lock is at something long. */
const SLOW_POLL_AFTER = 40;

/** What proper-lockfile needs of fs. It copies what it is given, and a copy of all of Node's loads its streams. */
const LOCK_FS = { mkdirSync, realpathSync, rmdirSync, statSync, utimesSync };

export interface Lock {
  /** Throws where the lock was lost: nothing may be written any more. */
  assertHeld(): void;
  release(): void;
}

interface Attempt {
  lock: Lock | null;
  /** Who has it, where we could not. */
  holder: Holder | null;
}

/**
 * At most one process works per clone. The lock is a folder (proper-lockfile); who has it stands in the state database,
 * and both change inside one write transaction. So two takers never judge a dead holder at the same time, and a folder
 * without a living holder is an orphan and taken over at once; one from another machine or container only by its age.
 */
export function tryLock(db: Db, stateDir: string, role: Holder["role"] = "other"): Attempt {
  const path = join(stateDir, "runner.lock");
  const holder = readHolder(db);
  if (isFresh(path) && holder !== null && !isGone(holder)) return { lock: null, holder };
  return db.write(() => take(db, stateDir, path, role));
}

function take(db: Db, stateDir: string, path: string, role: Holder["role"]): Attempt {
  const before = readHolder(db);
  if (before === null || isGone(before)) rmSync(path, { recursive: true, force: true });
  const holder: Holder = { ...processOf(process.pid), host: hostname(), role, token: newToken() };
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
      if (!isOurs()) throw new UaError("busy", "the lock was lost to another process", "run it again");
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
  return `${process.pid}-${Date.now().toString(36)}-${++takings}`;
}

function readHolder(db: Db): Holder | null {
  return readSetting(db, SETTINGS.lockHolder);
}

function isGone(holder: Holder): boolean {
  return holder.host === hostname() && !isRunning(holder);
}

function isFresh(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && stat.mtimeMs > Date.now() - STALE_MS;
}

/** Waits for the lock as long as a person or an agent would, and lets a runner that is at work know. */
export async function lock(db: Db, stateDir: string, waitMs: number): Promise<Lock> {
  const deadline = clock() + waitMs; // a clock that is set back must not make us wait for a day
  for (let looks = 0; ; looks++) {
    const { lock: got } = tryLock(db, stateDir);
    if (got !== null) return got;
    if (clock() >= deadline) {
      throw new UaError("busy", "another ua-hooks process is at work in this clone", "try again in a moment");
    }
    if (!hasWaiter(db)) writeSetting(db, SETTINGS.lockWaiter, 1);
    await pause(looks);
  }
}

/**
 * A runner's way to the lock. null: another runner has it, and its last look comes after this one, so that it sees
 * every line that is in the journal now. Anyone else verifies one view only and looks at no journal: wait for the end.
 */
export async function lockAsWorker(db: Db, stateDir: string): Promise<Lock | null> {
  for (let looks = 0; ; looks++) {
    const { lock: got, holder } = tryLock(db, stateDir, "runner");
    if (got !== null || holder?.role === "runner") return got;
    await pause(looks);
  }
}

/** Files that a holder or runner left which is gone. The next one takes over by itself; people want to know. */
export function staleLockFiles(db: Db, stateDir: string): string[] {
  const holder = readHolder(db);
  const folder = existsSync(join(stateDir, "runner.lock")) && (holder === null || isGone(holder));
  const pid = (readTextIfThere(join(stateDir, "runner.pid")) ?? "").trim();
  const stale = pid !== "" && !isRunning({ pid: Number(pid), born: "" });
  return [...(folder ? ["runner.lock"] : []), ...(stale ? ["runner.pid"] : [])];
}

/** Whether somebody waits for the lock: a runner lets them in between two views. */
export function hasWaiter(db: Db): boolean {
  return readSetting(db, SETTINGS.lockWaiter) !== null;
}

/** The lock is free: gives whoever waits the time to take it. */
export async function yieldLock(db: Db): Promise<void> {
  for (let looks = 0; looks < 10 && hasWaiter(db); looks++) await pause(looks);
}

export function pause(looks = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, looks < SLOW_POLL_AFTER ? POLL_MS : POLL_MS * 8));
}
