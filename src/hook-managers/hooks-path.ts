import { basename } from "node:path";
import type { HookEnvironment } from "./environment.js";
import type { HookManager } from "./manager.js";
import { workTreeHolds, workTreePlan, workTreeUndo } from "./work-tree.js";

/**
 * A folder that `core.hooksPath` names: one of the project's own (`.githooks`), or one that serves other repositories too.
 * The second is only written to where somebody asked for this place by name.
 */
export const hooksPath: HookManager = {
  name: "hooks-path",
  detect: (environment) => environment.owner !== "clone" && !isHuskys(environment),
  plan: async (environment, ask) =>
    workTreePlan(environment, environment.hooksDir, ask, environment.owner === "shared"),
  undo: (environment) => (hooksPath.detect(environment) ? workTreeUndo(environment.hooksDir) : []),
  holds: (environment) => (hooksPath.detect(environment) ? workTreeHolds(environment.hooksDir) : []),
};

function isHuskys({ hooksDir, huskyDir }: HookEnvironment): boolean {
  return huskyDir !== null && (hooksDir === huskyDir || (basename(hooksDir) === "_" && hooksDir.startsWith(huskyDir)));
}
