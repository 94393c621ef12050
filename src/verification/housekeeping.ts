import { messageOf } from "../errors.js";
import type { Project } from "../repository/locate.js";
import { logFailure } from "../store/log.js";
import { takeRewrites } from "../store/rewrites.js";
import type { Db } from "../store/sqlite.js";
import { removeOrphans } from "./orphans.js";

/**
 * With the lock held: takes in post-rewrite's pairs and removes what gone worktrees and killed writes left behind.
 * `logged`: failures that this run has in the log already.
 */
export function housekeeping(db: Db, project: Project, logged = new Set<string>()): void {
  const steps = [() => takeRewrites(db, project.stateDir, new Date().toISOString()), () => removeOrphans(db, project)];
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      // A folder that cannot be written keeps no worktree from being verified; it is logged once a run.
      if (!logged.has(messageOf(error))) logFailure(project.stateDir, error);
      logged.add(messageOf(error));
    }
  }
}
