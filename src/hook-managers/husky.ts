import { join } from "node:path";
import { EVENTS } from "../git/hook-events.js";
import type { HookManager } from "./manager.js";
import { workTreeHolds, workTreePlan, workTreeUndo } from "./work-tree.js";

/**
 * husky 9 sets core.hooksPath to `.husky/_`. It rewrites the files there at every install; they start `.husky/<hook>`
 * with `sh -e`. So our block goes into `.husky/<hook>`, which husky never writes.
 */
export const husky: HookManager = {
  name: "husky",
  detect: ({ huskyDir }) => huskyDir !== null,
  plan: async (environment, ask) =>
    environment.huskyDir === null ? { steps: [] } : workTreePlan(environment, environment.huskyDir, ask),
  undo: ({ huskyDir }) => (huskyDir === null ? [] : workTreeUndo(huskyDir)),
  files: ({ top, hooksDir, huskyDir }) => [
    ...[join(top, ".husky"), join(hooksDir, "h")],
    ...(huskyDir === null ? [] : EVENTS.map((event) => join(huskyDir, event))),
  ],
  holds: ({ huskyDir }) => (huskyDir === null ? [] : workTreeHolds(huskyDir)),
};
