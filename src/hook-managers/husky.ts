import type { Place } from "./manager.js";
import { workTreeHolds, workTreePlan, workTreeUndo } from "./work-tree.js";

/**
 * husky 9 sends git to `.husky/_`, whose files it writes anew at every install and which start `.husky/<hook>` with `sh -e`. So
 * ours go into `.husky/<hook>`, which it never writes; `.husky/_` is not ours.
 */
export const husky: Place = {
  name: "husky",
  detect: ({ huskyDir }) => huskyDir !== null,
  plan: async (house, ask) => (house.huskyDir === null ? { steps: [] } : workTreePlan(house, house.huskyDir, ask)),
  undo: ({ huskyDir }) => (huskyDir === null ? [] : workTreeUndo(huskyDir)),
  holds: ({ huskyDir }) => (huskyDir === null ? [] : workTreeHolds(huskyDir)),
};
