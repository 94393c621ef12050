import { basename } from "node:path";
import type { House } from "./environment.js";
import type { Place } from "./manager.js";
import { workTreeHolds, workTreePlan, workTreeUndo } from "./work-tree.js";

/**
 * A folder that `core.hooksPath` names: one of the project's own (`.githooks`), or one that serves other repositories too.
 * The second is only written to where somebody asked for this place by name.
 */
export const hooksPath: Place = {
  name: "hooks-path",
  detect: (house) => house.owner !== "clone" && !isHuskys(house),
  plan: async (house, ask) => workTreePlan(house, house.hooksDir, ask, house.owner === "shared"),
  undo: (house) => (hooksPath.detect(house) ? workTreeUndo(house.hooksDir) : []),
  holds: (house) => (hooksPath.detect(house) ? workTreeHolds(house.hooksDir) : []),
};

function isHuskys({ hooksDir, huskyDir }: House): boolean {
  return huskyDir !== null && (hooksDir === huskyDir || (basename(hooksDir) === "_" && hooksDir.startsWith(huskyDir)));
}
