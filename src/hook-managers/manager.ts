import type { Event } from "../git/hook-events.js";
import type { Ask, HookEnvironment } from "./environment.js";
import type { FileStep } from "./plan.js";

export type ManagerName = "config" | "husky" | "lefthook" | "pre-commit" | "simple-git-hooks" | "hooks-path" | "native";

/** What a place would have written, and what has to be said about it. */
export interface ManagerPlan {
  steps: FileStep[];
  /** Files of the work tree that are ours alone: git is told to pass over them in this clone. */
  exclude?: string[];
  /** What could not be done, and what would help. */
  notes?: string[];
}

/**
 * One place where our hooks can live. Applying is the same for all: a plan's steps are carried out in a transaction, which
 * takes them back where a later one fails; `undo` is for uninstall.
 */
export interface HookManager {
  name: ManagerName;
  /** Whether the house has this place at all. */
  detect(environment: HookEnvironment): boolean;
  /** What has to be written so that we are in it, from the files as they are now. */
  plan(environment: HookEnvironment, ask: Ask): Promise<ManagerPlan>;
  /** What has to be written so that no trace is left. */
  undo(environment: HookEnvironment): FileStep[];
  /** The events that we are in for, whether or not git comes by there. */
  holds(environment: HookEnvironment): Event[];
}
