import { existsSync } from "node:fs";
import { messageOf, UaError } from "../errors.js";
import { checkHooks } from "../hook-managers/watch.js";
import { type Marker, readMarker } from "../marker/marker.js";
import { codeFolder, withCodeCache } from "../platform/code-cache.js";
import { launcherCommand } from "../repository/launcher.js";
import { locateProjectSync, type Project } from "../repository/locate.js";
import { stateDb } from "../store/files.js";
import { checkStamp } from "../verification/stamp.js";
import type { HookInput } from "./clients.js";
import { formatHooksWarning, formatNotification, formatUnknown } from "./notification.js";

/** What there is to say, and the HEAD (or trouble) that it is said about. */
export interface AgentMessage {
  about: string;
  text: string;
}

/** Where the agent works, or where it started us; null where nothing of ours is set up. */
export function projectFor({ cwd }: HookInput, started: string, env: NodeJS.ProcessEnv): Project | null {
  for (const dir of cwd === null || cwd === started ? [started] : [cwd, started]) {
    try {
      // A GIT_DIR in the agent's environment is for its own git calls: its folder decides.
      const { UNDERSTAND_NO_WORKTREE_REDIRECT: own } = env;
      const project = locateProjectSync({
        cwd: dir,
        env: own === undefined ? {} : { UNDERSTAND_NO_WORKTREE_REDIRECT: own },
      });
      if (existsSync(stateDb(project.stateDir))) return project;
    } catch {
      // not a repository, or a folder that is gone: perhaps the other one
    }
  }
  return null;
}

/** The cheap proof, and where it fails the verification (invariant "reads verify first"). null: nothing to say. */
export async function messageFor(project: Project): Promise<AgentMessage | null> {
  try {
    const { warning } = await checkHooks(project);
    const { proven } = await checkStamp(project);
    if (proven !== null && proven.outcome !== "pending") return messageAbout(project, warning);
    const marker = (proven === null ? null : readMarker(project)) ?? (await verified(project));
    // Claimed: somebody is at it. Failed: it is shown by `status` and no longer pushed at anybody.
    if (marker === null || marker.state !== "pending") return messageAbout(project, warning);
    return { about: marker.head.commit, text: formatNotification(marker, commandFor(project)) };
  } catch (error) {
    if (error instanceof UaError && error.code === "busy") return null; // whoever is at it, the next event tells
    return { about: `unknown ${messageOf(error)}`, text: formatUnknown(messageOf(error), commandFor(project)) };
  }
}

/** Hooks that a manager's re-install dropped stay silent for months unless somebody says so; where more is due, it is next. */
function messageAbout(project: Project, warning: string | null): AgentMessage | null {
  if (warning === null) return null;
  return { about: `hooks ${warning}`, text: formatHooksWarning(warning, commandFor(project)) };
}

const commandFor = ({ stateDir }: Project) => launcherCommand(stateDir) ?? "ua-hooks";

async function verified(project: Project): Promise<Marker | null> {
  const read = async () => {
    const { withContext } = await import("../repository/context.js");
    return withContext(project, (await import("../verification/read.js")).readWorktree);
  };
  return (await withCodeCache(codeFolder(project.stateDir), "hook", read)).marker;
}
