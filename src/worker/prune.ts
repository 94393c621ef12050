import { findPrunable, prune } from "../knowledge/prune.js";
import type { Project } from "../repository/locate.js";
import { faultPoint } from "../store/fault.js";
import { openState } from "../store/state.js";
import { withLock } from "../store/with-lock.js";
import { housekeeping } from "../verification/housekeeping.js";

/** Nobody waits, and the lock is free while git walks through its history. */
export async function pruneState(repository: Project): Promise<number> {
  const db = await openState(repository.stateDir);
  const found = await findPrunable(db, repository.worktree.path).finally(() => db.close());
  return withLock(repository, async (open) => {
    housekeeping(open, repository); // what a removed worktree held on to goes first
    faultPoint("prune.write");
    return prune(open, found);
  });
}
