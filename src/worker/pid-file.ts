import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../errors.js";
import { faultPoint } from "../store/fault.js";

/**
 * runner.pid: what hooks/entry.sh looks at. Whoever starts a runner writes it at once, and the runner writes it again
 * in every round, since a starter that lost the race has put its own there.
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

/** Only our own. */
export function removePid(stateDir: string): void {
  try {
    if (readFileSync(pidFile(stateDir), "utf8") === lineOf(process.pid)) rmSync(pidFile(stateDir), { force: true });
  } catch {
    // somebody else cleaned up
  }
}

function pidFile(stateDir: string): string {
  return join(stateDir, "runner.pid");
}

function lineOf(pid: number): string {
  return `${pid}\n`;
}
