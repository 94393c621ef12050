import { type Config, DEFAULTS } from "../repository/config.js";
import { isPruningDue } from "../store/growth.js";
import type { Db } from "../store/sqlite.js";
import { getSetting } from "../store/state.js";

/** What a runner may do when its work is done and the lock is free: things that take their time. */
export interface DeferredTasks {
  /** The configured command is to go on with what is pending. */
  analysis: boolean;
  pruning: boolean;
}

export function deferredTasks(db: Db): DeferredTasks {
  return { analysis: wantsCommand(db), pruning: isPruningDue(db) };
}

/** The config as a hook last read it. */
function wantsCommand(db: Db): boolean {
  const { mode, analyzer } = { ...DEFAULTS, ...(JSON.parse(getSetting(db, "config:.") ?? "{}") as Partial<Config>) };
  return mode === "inline" && analyzer !== "structural";
}
