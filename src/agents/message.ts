import { existsSync } from "node:fs";
import { isUaError, messageOf } from "../errors.js";
import { checkHooks } from "../hook-managers/watch.js";
import { type Marker, readMarker } from "../marker/marker.js";
import { clock } from "../platform/clock.js";
import { codeFolder, withCodeCache } from "../platform/code-cache.js";
import { isOutOfTime } from "../platform/deadline.js";
import { launcherCommand } from "../repository/launcher.js";
import { locateProjectSync, type Project } from "../repository/locate.js";
import { stateDb } from "../store/files.js";
import { checkStamp } from "../verification/stamp.js";
import type { HookInput } from "./clients.js";
import { formatHooksWarning, formatNotification, formatUnknown } from "./notification.js";

/** A message, and the HEAD (or error) that it is about. */
export interface AgentMessage {
  about: string;
  text: string;
}

/** The project of the agent's folder, or of the folder it started us in; null if ua-hooks is not installed there. */
export function projectFor({ cwd }: HookInput, started: string, env: NodeJS.ProcessEnv): Project | null {
  for (const dir of cwd === null || cwd === started ? [started] : [cwd, started]) {
    try {
      // GIT_DIR in the agent's environment is for its own git calls: its folder decides.
      const { UNDERSTAND_NO_WORKTREE_REDIRECT: own } = env;
      const project = locateProjectSync({
        cwd: dir,
        env: own === undefined ? {} : { UNDERSTAND_NO_WORKTREE_REDIRECT: own },
      });
      if (existsSync(stateDb(project.stateDir))) return project;
    } catch {
      // not a repository, or a folder that is gone: try the other one
    }
  }
  return null;
}

/**
 * Checks the freshness stamp; if it does not match, verifies (invariant "reads verify first"). null if there is no
 * message, "late" where verification takes longer than the time that is left.
 */
export async function messageFor(project: Project, timeLeftMs: number): Promise<AgentMessage | "late" | null> {
  try {
    const { warning } = await checkHooks(project);
    const { stamped } = await checkStamp(project);
    if (stamped !== null && stamped.outcome !== "pending") return messageAbout(project, warning);
    const marker = (stamped === null ? null : readMarker(project)) ?? (await verified(project, timeLeftMs));
    // Claimed: another agent works on it. Failed: `status` shows it, agents are no longer notified.
    if (marker === null || marker.state !== "pending") return messageAbout(project, warning);
    return { about: marker.head.commit, text: formatNotification(marker, commandFor(project)) };
  } catch (error) {
    if (isUaError(error) && error.code === "busy") return null; // another process verifies; the next event reports
    if (isOutOfTime(error)) return "late";
    return { about: `unknown ${messageOf(error)}`, text: formatUnknown(messageOf(error), commandFor(project)) };
  }
}

/** Hooks removed by a hook manager's install would stay unnoticed for months; a pending update is reported first. */
function messageAbout(project: Project, warning: string | null): AgentMessage | null {
  if (warning === null) return null;
  return { about: `hooks ${warning}`, text: formatHooksWarning(warning, commandFor(project)) };
}

/** A wait for the database blocks the deadline's timer, so it is much shorter. A wait for the lock does not. */
const STATEMENT_WAIT_MS = 250;

const commandFor = ({ stateDir }: Project) => launcherCommand(stateDir) ?? "ua-hooks";

async function verified(project: Project, timeLeftMs: number): Promise<Marker | null> {
  const read = async () => {
    const { withContext } = await import("../repository/context.js");
    (await import("../platform/deadline.js")).parseUntilOnly(clock() + timeLeftMs);
    return withContext(project, (await import("../verification/read.js")).readWorktree, {
      statementWaitMs: STATEMENT_WAIT_MS,
    });
  };
  return (await withCodeCache(codeFolder(project.stateDir), "hook", read)).marker;
}
