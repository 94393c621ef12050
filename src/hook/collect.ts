import { messageOf } from "../errors.js";
import type { Project } from "../project/locate.js";
import type { Db } from "../store/sqlite.js";
import { tidy } from "./forget.js";
import { takeJournal, takeRewrites } from "./journal.js";
import { writeLog } from "./log.js";

/** With the lock held: what came in since the last time. Returns the events by view. */
export function collect(db: Db, project: Project, told = new Set<string>()): Map<string, string[]> {
  const events = takeJournal(project.stateDir);
  keepHouse(db, project, told);
  return events;
}

/** The same for a reader: the events are for a runner, which verifies all views. */
export function keepHouse(db: Db, project: Project, told = new Set<string>()): void {
  const steps = [() => takeRewrites(db, project.stateDir, new Date().toISOString()), () => tidy(db, project)];
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      // A folder that is not ours to change keeps no view from being verified; it is told once a run.
      if (!told.has(messageOf(error))) noteFailure(project.stateDir, error);
      told.add(messageOf(error));
    }
  }
}

/** What went wrong beside the verification of a view. */
export function noteFailure(stateDir: string, error: unknown): void {
  const entry = { at: new Date().toISOString(), view: ".", events: [], head: null, outcome: "unknown" };
  writeLog(stateDir, { ...entry, reason: messageOf(error), parses: 0, ms: 0 });
}
