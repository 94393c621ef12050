import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import { housekeeping } from "../verification/housekeeping.js";
import { takeJournal } from "./journal.js";

/** Called with the lock held: reads new events. Returns them by worktree. */
export function collect(db: Db, project: Project, logged = new Set<string>()): Map<string, string[]> {
  const events = takeJournal(project.stateDir);
  housekeeping(db, project, logged);
  return events;
}
