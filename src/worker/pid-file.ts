import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../errors.js";
import { faultPoint } from "../store/fault.js";

/**
 * runner.pid, which hooks/entry.sh reads. The process that starts a worker writes it at once, and the worker writes it
 * again in every round, because a starter that lost the race has written its own pid.
 */
export function writePid(stateDir: string, pid = process.pid): void {
  faultPoint("runner.pid");
  try {
    writeFileSync(pidFile(stateDir), lineOf(pid), { mode: 0o600 });
  } catch (error) {
    if (errnoOf(error) !== "EACCES") throw error;
    rmSync(pidFile(stateDir), { force: true }); // root's shell wrote it, and we act as the owner (platform/owner.ts)
    writeFileSync(pidFile(stateDir), lineOf(pid), { mode: 0o600 });
  }
}

/** Only if it is our own. */
export function removePid(stateDir: string): void {
  try {
    if (readFileSync(pidFile(stateDir), "utf8") === lineOf(process.pid)) rmSync(pidFile(stateDir), { force: true });
  } catch {
    // already removed
  }
}

function pidFile(stateDir: string): string {
  return join(stateDir, "runner.pid");
}

function lineOf(pid: number): string {
  return `${pid}\n`;
}
