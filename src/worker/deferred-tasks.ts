import { isPruningDue } from "../store/growth.js";
import type { Db } from "../store/sqlite.js";
import { lastValidConfig } from "../verification/config.js";

/** Long tasks that a worker does when its work is done and the lock is free. */
export interface DeferredTasks {
  /** The configured command has to analyze what is pending. */
  analysis: boolean;
  pruning: boolean;
  /** The lines of documents are to be judged at the commits that the worktrees have now. */
  documents: boolean;
}

export const NO_TASKS: DeferredTasks = { analysis: false, pruning: false, documents: false };

export function deferredTasks(db: Db): DeferredTasks {
  return { analysis: wantsCommand(db), pruning: isPruningDue(db), documents: true };
}

/** The config as a hook last read it. */
function wantsCommand(db: Db): boolean {
  const { mode, analyzer } = lastValidConfig(db, ".");
  return mode === "inline" && analyzer !== "structural";
}
