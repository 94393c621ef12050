import { expectDiff } from "../git/trees.js";
import { withLockedContext } from "../repository/context.js";
import type { Project } from "../repository/locate.js";
import { collect } from "./collect.js";
import { deferredTasks } from "./deferred-tasks.js";
import type { EarlyDiff } from "./event.js";
import { startWorker } from "./start.js";
import { verifyAndLog } from "./verify-and-log.js";

/** A hook in the foreground does what a worker would, for its own worktree. */
export async function verifyNow(project: Project, event: string, early: EarlyDiff | null): Promise<void> {
  if (early !== null) expectDiff(project.worktree.path, early.from, early.to, early.output);
  const more = await withLockedContext(project, async (locked) => {
    const events = collect(locked.db, project).get(project.worktree.id) ?? [];
    await verifyAndLog(locked, [...new Set([...events, event])]);
    return deferredTasks(locked.db);
  });
  // These may take minutes, and git waits for us.
  if (more.analysis || more.pruning) startWorker(project.commonDir);
}
