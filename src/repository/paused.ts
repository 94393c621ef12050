import { rmSync } from "node:fs";
import { join } from "node:path";
import { readTextIfThere, writeFileAtomic } from "../store/files.js";

/** While this file exists, hooks/entry.sh does nothing. Reads still verify. */
const pausedFile = (stateDir: string) => join(stateDir, "paused");

/** The time at which the hooks were paused; null if they are not. */
export function pausedSince(stateDir: string): string | null {
  return readTextIfThere(pausedFile(stateDir))?.trim() ?? null;
}

export function pauseHooks(stateDir: string): void {
  writeFileAtomic(pausedFile(stateDir), `${new Date().toISOString()}\n`, 0o600);
}

export function resumeHooks(stateDir: string): void {
  rmSync(pausedFile(stateDir), { force: true });
}
