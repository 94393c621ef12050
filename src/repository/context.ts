import type { Db } from "../store/sqlite.js";
import type { Config } from "./config.js";
import type { Project } from "./locate.js";
import type { Rules } from "./rules.js";

/** What one process knows about the worktree it works for: opened once, handed down. */
export interface LoadedContext {
  db: Db;
  project: Project;
  config: Config;
  rules: Rules;
}
