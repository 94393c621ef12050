import { renameSync } from "node:fs";
import { errnoOf } from "../errors.js";

/** What differs on Windows, where hooks run in Git for Windows' sh. hooks/ accept `C:/…` beside `/…` for an absolute path. */
export const isWindows = process.platform === "win32";

/** Windows refuses to replace or rename a file that another process has open, also for a moment (a reader, a virus scanner). */
const IN_USE = new Set(["EPERM", "EBUSY", "EACCES"]);
const MOST_TRIES = 60;
const LONGEST_PAUSE_MS = 50;

interface RenameSystem {
  windows: boolean;
  rename(from: string, to: string): void;
}

/** Renames a file, over an existing one. On Windows it tries again for some two seconds while the file is in use. */
export function renameFile(
  from: string,
  to: string,
  { windows, rename }: RenameSystem = { windows: isWindows, rename: renameSync },
): void {
  for (let tries = 1; ; tries++) {
    try {
      rename(from, to);
      return;
    } catch (error) {
      if (!windows || tries === MOST_TRIES || !IN_USE.has(errnoOf(error) ?? "")) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.min(tries, LONGEST_PAUSE_MS));
    }
  }
}

/** A path as sh, git and .gitignore write it. Node takes it, too. */
export function withSlashes(path: string, windows = isWindows): string {
  return windows ? path.replaceAll("\\", "/") : path;
}

/** Windows has no such bits: Node reports the same ones for every file, and git runs a hook without them. */
export function hasMode(stat: { mode: number }, mode: number, windows = isWindows): boolean {
  return windows || (stat.mode & 0o777) === mode;
}
