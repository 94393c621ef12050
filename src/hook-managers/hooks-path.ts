import { basename } from "node:path";
import type { HookEnvironment } from "./environment.js";
import type { HookManager } from "./manager.js";
import { workTreeHolds, workTreePlan, workTreeUndo } from "./work-tree.js";
import { wrongHooksPath } from "./wrong-path.js";

/**
 * The folder of `core.hooksPath`: in the work tree (`.githooks`), or one that other repositories use too. The second is
 * only written if the user chose it with --manager.
 */
export const hooksPath: HookManager = {
  name: "hooks-path",
  detect: (environment) => environment.owner !== "clone" && !isHuskys(environment),
  // No folder where nobody wants one.
  plan: async (environment, ask) =>
    wrongHooksPath(environment)?.isMissing === true
      ? { steps: [] }
      : workTreePlan(environment, environment.hooksDir, ask, { shared: environment.owner === "shared" }),
  undo: (environment) => (hooksPath.detect(environment) ? workTreeUndo(environment.hooksDir) : []),
  holds: (environment) => (hooksPath.detect(environment) ? workTreeHolds(environment.hooksDir) : []),
};

function isHuskys({ hooksDir, huskyDir }: HookEnvironment): boolean {
  return huskyDir !== null && (hooksDir === huskyDir || (basename(hooksDir) === "_" && hooksDir.startsWith(huskyDir)));
}
