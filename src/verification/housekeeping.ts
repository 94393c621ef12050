import { messageOf } from "../errors.js";
import type { Project } from "../repository/locate.js";
import { logFailure } from "../store/log.js";
import { takeRewrites } from "../store/rewrites.js";
import type { Db } from "../store/sqlite.js";
import { removeOrphans } from "./orphans.js";

/**
 * Called with the lock held: processes post-rewrite's pairs and removes leftovers of removed worktrees and killed
 * writes.
 * `logged`: errors that this run has logged already.
 */
export function housekeeping(db: Db, project: Project, logged = new Set<string>()): void {
  const steps = [() => takeRewrites(db, project.stateDir, new Date().toISOString()), () => removeOrphans(db, project)];
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      // A folder that is not writable must not prevent verification; it is logged once per run.
      if (!logged.has(messageOf(error))) logFailure(project.stateDir, error);
      logged.add(messageOf(error));
    }
  }
}
