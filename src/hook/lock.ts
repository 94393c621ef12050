import { existsSync, rmdirSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { lockSync } from "proper-lockfile";
import { errnoOf, UaError } from "../errors.js";
import { faultPoint } from "../store/fault.js";
import type { Db } from "../store/sqlite.js";
import { getSetting, setSetting } from "../store/state.js";

/** A holder refreshes its lock well within this; work without a pause must stay below half of it. */
const STALE_MS = 20_000;
const HOLDER = "lock.holder";

export interface Lock {
  /** Throws where the lock was lost: nothing may be written any more. */
  assertHeld(): void;
  release(): void;
}

/**
 * At most one process works per clone. Taking the lock happens inside a write transaction of the state database, so
 * that two takers never judge a dead holder at the same time and one removes the other's new lock. A holder that is
 * dead is found by its pid and taken over at once; one on another machine or in another container only by age.
 */
export function tryLock(db: Db, stateDir: string): Lock | null {
  return db.write(() => {
    const path = join(stateDir, "runner.lock");
    if (existsSync(path) && isDead(getSetting(db, HOLDER))) rmdirSync(path);
    let lost: Error | null = null;
    let release: () => void;
    try {
      release = lockSync(stateDir, {
        lockfilePath: path,
        realpath: false,
        stale: STALE_MS,
        update: STALE_MS / 4,
        onCompromised: (error) => {
          lost = error;
        },
      });
    } catch (error) {
      if (errnoOf(error) === "ELOCKED") return null;
      throw error;
    }
    setSetting(db, HOLDER, JSON.stringify({ pid: process.pid, host: hostname() }));
    faultPoint("lock.taken");
    return {
      assertHeld: () => {
        if (lost !== null) throw new UaError("busy", "the lock was lost to another process", "run it again");
      },
      release: () => {
        if (lost === null) release();
      },
    };
  });
}

function isDead(holder: string | null): boolean {
  if (holder === null) return false;
  const { pid, host } = JSON.parse(holder) as { pid: number; host: string };
  return host === hostname() && pid !== process.pid && !isAlive(pid);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === "EPERM"; // somebody else's, but there
  }
}

/** Waits for the lock as long as a person or an agent would. */
export async function lock(db: Db, stateDir: string, waitMs: number): Promise<Lock> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const held = tryLock(db, stateDir);
    if (held !== null) return held;
    if (Date.now() >= deadline) {
      throw new UaError("busy", "another ua-hooks process is at work in this clone", "try again in a moment");
    }
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
