import type { Event } from "../git/hook-events.js";
import type { Ask, HookEnvironment } from "./environment.js";
import type { FileStep } from "./plan.js";

export type ManagerName =
  | "config"
  | "husky"
  | "lefthook"
  | "pre-commit"
  | "prek"
  | "simple-git-hooks"
  | "hooks-path"
  | "native";

/** As people read them. */
export const MANAGER_LABELS: Record<ManagerName, string> = {
  config: "git's config (git 2.54 or later)",
  husky: "husky's folder",
  lefthook: "lefthook's local config",
  "pre-commit": "pre-commit's config",
  prek: "prek's config",
  "simple-git-hooks": "simple-git-hooks' config",
  "hooks-path": "the folder of core.hooksPath",
  native: "the clone's hook files",
};

/** The steps of one place, and what to report about them. */
export interface ManagerPlan {
  steps: FileStep[];
  /** Files in the work tree that only contain our block: they are excluded in this clone. */
  exclude?: string[];
  /** What could not be done, and what to do about it. */
  notes?: string[];
}

/**
 * One place where hooks can be installed. The steps of a plan run in a transaction, which undoes them if a later one
 * fails; `undo` is for uninstall.
 */
export interface HookManager {
  name: ManagerName;
  /** Whether this place exists here. */
  detect(environment: HookEnvironment): boolean;
  /** The steps that install our hooks, from the current files. */
  plan(environment: HookEnvironment, ask: Ask): Promise<ManagerPlan>;
  /** The steps that remove every trace. */
  undo(environment: HookEnvironment): FileStep[];
  /** Its own files that `holds` depends on, also those that do not exist yet; hook files are known. They are watched (repair.ts). */
  files?(environment: HookEnvironment): string[];
  /** The events for which our hooks are installed here, even if git does not use the place. */
  holds(environment: HookEnvironment): Event[];
}
