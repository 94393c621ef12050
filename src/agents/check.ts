import { join, relative } from "node:path";
import { type Project, projectOf, type View } from "../repository/locate.js";
import { listViews } from "../repository/worktrees.js";
import { readTextIfThere } from "../store/files.js";
import { hasOurs, withOurs } from "./settings-entries.js";
import { PLACES, type Place } from "./settings-files.js";
import { speaksForItself } from "./understand-anything.js";
import { readRecord, type Written } from "./written-files.js";

/** How one agent is set up in a worktree, for `status` and `doctor`. */
export interface AgentState {
  client: string;
  /** From the worktree that is asked about. */
  file: string;
  state: "installed" | "outdated" | "gone" | "damaged";
  /** Who speaks there: only one of the two does. */
  speaks: "ua-hooks" | "understand-anything";
}

export function checkAgents(project: Project, env: NodeJS.ProcessEnv): AgentState[] {
  const views = listViews(project);
  return [...readRecord(project.stateDir)].flatMap(([file, written]): AgentState[] => {
    const place = PLACES.get(written.client);
    const view = place === undefined ? undefined : viewOf(views, file, place);
    if (place === undefined || view === undefined) return []; // a skill, or a worktree that is gone
    const isForeign = speaksForItself(written.client, projectOf(view, project, env), env);
    return [
      {
        ...{ client: written.client, file: relative(project.view.path, file), state: stateOf(file, place, written) },
        speaks: isForeign ? "understand-anything" : "ua-hooks",
      },
    ];
  });
}

function viewOf(views: readonly View[], file: string, place: Place): View | undefined {
  return views.find(({ path }) => file === join(path, place.file) || file === join(path, place.shared));
}

function stateOf(file: string, place: Place, { after }: Written): AgentState["state"] {
  const now = readTextIfThere(file);
  if (now === null) return "gone";
  if (place.entries === undefined) return now === after ? "installed" : "outdated";
  try {
    if (withOurs(now, place, file) === now) return "installed";
    return hasOurs(now, file) ? "outdated" : "gone";
  } catch {
    return "damaged";
  }
}
