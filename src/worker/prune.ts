import { findPrunable, prune } from "../knowledge/prune.js";
import { type Context, withLock } from "../repository/context.js";
import { faultPoint } from "../store/fault.js";
import { housekeeping } from "../verification/housekeeping.js";

/** Removes what no worktree needs any more. The lock is free while git walks through its history. */
export async function pruneState(context: Context): Promise<number> {
  const { project } = context;
  const found = await findPrunable({ db: await context.database(), project, config: await context.config() });
  return withLock(context, async ({ db }) => {
    housekeeping(db, project); // first what a removed worktree still referred to
    faultPoint("prune.write");
    return prune(db, found);
  });
}
