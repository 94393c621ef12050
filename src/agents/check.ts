import { join, relative } from "node:path";
import { type Project, projectOf, type Worktree } from "../repository/locate.js";
import { listWorktrees } from "../repository/worktrees.js";
import { MOST_TEXT_BYTES, readTextIfThere } from "../store/files.js";
import { hasOurs, withOurs } from "./settings-entries.js";
import { SETTINGS_FILES, type SettingsFile } from "./settings-files.js";
import { notifiesItself } from "./understand-anything.js";
import { readWrittenFiles, type WrittenFile } from "./written-files.js";

/** How one agent is set up in a worktree, for `status` and `doctor`. */
export interface AgentState {
  client: string;
  /** Path from the top of the worktree. */
  file: string;
  state: "installed" | "outdated" | "gone" | "damaged";
  /** Which of the two sends messages: never both. */
  speaks: "ua-hooks" | "understand-anything";
}

export function checkAgents(project: Project, env: NodeJS.ProcessEnv): AgentState[] {
  const worktrees = listWorktrees(project);
  return [...readWrittenFiles(project.stateDir)].flatMap(([file, written]): AgentState[] => {
    const place = SETTINGS_FILES.get(written.client);
    const worktree = place === undefined ? undefined : worktreeOf(worktrees, file, place);
    if (place === undefined || worktree === undefined) return []; // a skill, or a worktree that is gone
    const isForeign = notifiesItself(written.client, projectOf(worktree, project, env), env);
    return [
      {
        ...{
          client: written.client,
          file: relative(project.worktree.path, file),
          state: stateOf(file, place, written),
        },
        speaks: isForeign ? "understand-anything" : "ua-hooks",
      },
    ];
  });
}

function worktreeOf(worktrees: readonly Worktree[], file: string, place: SettingsFile): Worktree | undefined {
  return worktrees.find(({ path }) => file === join(path, place.file) || file === join(path, place.shared));
}

function stateOf(file: string, place: SettingsFile, { after }: WrittenFile): AgentState["state"] {
  const now = readTextIfThere(file, MOST_TEXT_BYTES);
  if (now === null) return "gone";
  if (place.entries === undefined) return now === after ? "installed" : "outdated";
  try {
    if (withOurs(now, place, file) === now) return "installed";
    return hasOurs(now, file) ? "outdated" : "gone";
  } catch {
    return "damaged";
  }
}
