import { isPruningDue } from "../store/growth.js";
import type { Db } from "../store/sqlite.js";
import { lastValidConfig } from "../verification/config.js";

/** Long tasks that a worker does when its work is done and the lock is free. */
export interface DeferredTasks {
  /** The configured command has to analyze what is pending. */
  analysis: boolean;
  pruning: boolean;
}

export function deferredTasks(db: Db): DeferredTasks {
  return { analysis: wantsCommand(db), pruning: isPruningDue(db) };
}

/** The config as a hook last read it. */
function wantsCommand(db: Db): boolean {
  const { mode, analyzer } = lastValidConfig(db, ".");
  return mode === "inline" && analyzer !== "structural";
}
