import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../errors.js";
import { isEvent } from "../git/hook-events.js";
import { renameFile } from "../platform/windows.js";
import { faultPoint } from "../store/fault.js";
import { readTextIfThere } from "../store/files.js";

export function hasJournal(stateDir: string): boolean {
  return (statSync(join(stateDir, "journal"), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * Reads the events that sh has appended, by worktree. They only start the worker and are named in the marker: a line
 * that arrives meanwhile, or is lost, changes no verdict. Renamed first, so that writers use a new file.
 */
export function takeJournal(stateDir: string): Map<string, string[]> {
  const taken = join(stateDir, "journal.taken");
  if (!existsSync(taken)) {
    if (!hasJournal(stateDir)) return new Map();
    renameFile(join(stateDir, "journal"), taken);
  }
  faultPoint("journal.taken");
  const events = parseJournal(readOrNothing(taken));
  rmSync(taken, { force: true });
  return events;
}

/** Root's shell may have written it with a umask that keeps its owner out: the journal is only a hint, so it is dropped. */
function readOrNothing(file: string): string {
  try {
    return readTextIfThere(file) ?? "";
  } catch (error) {
    if (errnoOf(error) === "EACCES") return "";
    throw error;
  }
}

/** `post-commit .` per line; an incomplete or foreign line is skipped. */
export function parseJournal(text: string): Map<string, string[]> {
  const events = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const space = line.indexOf(" ");
    const event = line.slice(0, space);
    const worktree = line.slice(space + 1);
    if (space < 0 || worktree === "" || !isEvent(event)) continue;
    const known = events.get(worktree) ?? [];
    if (!known.includes(event)) events.set(worktree, [...known, event]);
  }
  return events;
}
