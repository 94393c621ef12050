import { rmSync } from "node:fs";
import { join } from "node:path";
import { readTextIfThere, writeFileAtomic } from "../store/files.js";

/** While this file is there, hooks/entry.sh does nothing. Reads go on proving what they say. */
const pausedFile = (stateDir: string) => join(stateDir, "paused");

/** Since when, as written; null where the hooks are not paused. */
export function pausedSince(stateDir: string): string | null {
  return readTextIfThere(pausedFile(stateDir))?.trim() ?? null;
}

export function pauseHooks(stateDir: string): void {
  writeFileAtomic(pausedFile(stateDir), `${new Date().toISOString()}\n`, 0o600);
}

export function resumeHooks(stateDir: string): void {
  rmSync(pausedFile(stateDir), { force: true });
}
