import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isWindows } from "../platform/windows.js";
import { faultPoint } from "../store/fault.js";
import { readTextIfThere, writeFileAtomic } from "../store/files.js";

/**
 * runner.pid: what hooks/entry.sh looks at. The shell that starts a worker writes it at once, and the worker writes it again in
 * every round, because the shell of a second worker may have put that one's there. In one step: a hook that reads an empty file
 * starts a second worker.
 */
export function writePid(stateDir: string, pid = process.pid): void {
  faultPoint("runner.pid");
  if (isWindows) return; // sh has numbers of its own there, and can only look for the one that it wrote
  const file = pidFile(stateDir);
  if (readTextIfThere(file) !== lineOf(pid)) writeFileAtomic(file, lineOf(pid), 0o600);
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
