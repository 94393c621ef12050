import type { HookManager } from "./manager.js";
import { workTreeHolds, workTreePlan, workTreeUndo } from "./work-tree.js";

/**
 * husky 9 sends git to `.husky/_`, whose files it writes anew at every install and which start `.husky/<hook>` with `sh -e`. So
 * ours go into `.husky/<hook>`, which it never writes; `.husky/_` is not ours.
 */
export const husky: HookManager = {
  name: "husky",
  detect: ({ huskyDir }) => huskyDir !== null,
  plan: async (environment, ask) =>
    environment.huskyDir === null ? { steps: [] } : workTreePlan(environment, environment.huskyDir, ask),
  undo: ({ huskyDir }) => (huskyDir === null ? [] : workTreeUndo(huskyDir)),
  holds: ({ huskyDir }) => (huskyDir === null ? [] : workTreeHolds(huskyDir)),
};
