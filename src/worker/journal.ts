import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../errors.js";
import { isEvent } from "../git/hook-events.js";
import { faultPoint } from "../store/fault.js";
import { readTextIfThere } from "../store/files.js";

export function hasJournal(stateDir: string): boolean {
  return (statSync(join(stateDir, "journal"), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * Takes what sh has appended: events by view. It is a wake-up call and a name for the marker, no more: a line that
 * comes in while we take it, or is lost with us, changes no verdict. Renamed first, so that a writer goes to a new file.
 */
export function takeJournal(stateDir: string): Map<string, string[]> {
  const taken = join(stateDir, "journal.taken");
  if (!existsSync(taken)) {
    if (!hasJournal(stateDir)) return new Map();
    renameSync(join(stateDir, "journal"), taken);
  }
  faultPoint("journal.taken");
  const events = parseJournal(readOrNothing(taken));
  rmSync(taken, { force: true });
  return events;
}

/** Root's shell may have written it with a umask that keeps its owner out: it is only a hint, and goes. */
function readOrNothing(file: string): string {
  try {
    return readTextIfThere(file) ?? "";
  } catch (error) {
    if (errnoOf(error) === "EACCES") return "";
    throw error;
  }
}

/** `post-commit .` a line; a torn or foreign line is passed over. */
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
