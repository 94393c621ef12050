import { trustedExecution } from "../analyzers/trust.js";
import { expectDiff } from "../git/trees.js";
import { type LockedContext, withLockedContext } from "../repository/context.js";
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
    if (!(await mayWait(locked))) return null;
    const events = collect(locked.db, project).get(project.worktree.id) ?? [];
    await verifyAndLog(locked, [...new Set([...events, event])], { measuresTokens: false });
    return deferredTasks(locked.db);
  });
  // These may take minutes, and git waits for us.
  if (more === null || more.analysis || more.pruning) startWorker(project.commonDir);
}

/** The commit that brought us here may have brought other values than those that the user trusted (analyzers/trust.ts). */
async function mayWait({ db, project, config: load }: LockedContext): Promise<boolean> {
  if (process.env.UA_HOOKS_FOREGROUND === "1") return true;
  const config = await load().catch(() => null); // a broken one: the last valid one counts, which was trusted
  return config === null || trustedExecution(db, config, project) === "foreground";
}
