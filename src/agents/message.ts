import { isUaError, messageOf } from "../errors.js";
import { checkHooks } from "../hook-managers/watch.js";
import { type Marker, readMarker } from "../marker/marker.js";
import { clock } from "../platform/clock.js";
import { codeFolder, withCodeCache } from "../platform/code-cache.js";
import { isOutOfTime } from "../platform/deadline.js";
import { isSetUp } from "../repository/installed.js";
import { launcherCommand } from "../repository/launcher.js";
import { locateProjectSync, type Project } from "../repository/locate.js";
import { checkStamp } from "../verification/stamp.js";
import type { HookInput } from "./clients.js";
import { STATEMENT_WAIT_MS } from "./conversation.js";
import { formatHooksWarning, formatNotification, formatUnknown } from "./notification.js";
import type { MessageItems } from "./notified.js";

/** A message, and what it is about; no items if there is nothing to report. */
export interface AgentMessage extends MessageItems {
  text: string;
  /** Not of what is pending, but of what keeps us from knowing it. */
  isTrouble: boolean;
}

/** The agent that gets the message. */
export interface MessageReader {
  client: string;
  /** The name under which its conversation would hold the lease. */
  holder: string | null;
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
      if (isSetUp(project)) return project;
    } catch {
      // not a repository, or a folder that is gone: try the other one
    }
  }
  return null;
}

/**
 * Checks the freshness stamp; if it does not match, verifies (invariant "reads verify first"). null if another process
 * verifies just now, "late" where verification takes longer than the time that is left.
 */
export async function messageFor(
  project: Project,
  reader: MessageReader,
  timeLeftMs: number,
): Promise<AgentMessage | "late" | null> {
  try {
    const { warning } = await checkHooks(project);
    const { stamped } = await checkStamp(project);
    if (stamped !== null && stamped.outcome !== "pending") return warningMessage(project, warning);
    const marker = (stamped === null ? null : readMarker(project)) ?? (await verified(project, timeLeftMs));
    return (marker === null ? null : markerMessage(project, marker, reader)) ?? warningMessage(project, warning);
  } catch (error) {
    if (isUaError(error) && error.code === "busy") return null; // the next event reports
    if (isOutOfTime(error)) return "late";
    const reason = messageOf(error);
    return {
      items: [`unknown ${JSON.stringify(reason)}`],
      isComplete: false,
      isTrouble: true,
      text: formatUnknown(reason, commandFor(project)),
    };
  }
}

/** null: the conversation itself works on the update, or it failed three times, which `status` shows. */
function markerMessage(project: Project, marker: Marker, { client, holder }: MessageReader): AgentMessage | null {
  if (marker.state === "failed" || (marker.lease !== null && marker.lease.holder === holder)) return null;
  const text = formatNotification(marker, commandFor(project), { client, holder });
  // What is pending is still to be reported when a lease of another holder has ended.
  if (marker.lease !== null) return { items: [`lease ${marker.lease.id}`], isComplete: false, isTrouble: false, text };
  return { items: pendingItems(marker), isComplete: true, isTrouble: false, text };
}

/**
 * What is pending, independent of HEAD: a commit that changes none of it is not reported again. The baseline moves when all of it
 * was delivered; then the same change of a file is another one.
 */
function pendingItems({ base, fileChanges, deletedFiles, filesToReanalyze }: Marker): string[] {
  const changes = new Map(fileChanges.map((change) => [change.filePath, change]));
  return [...filesToReanalyze, ...deletedFiles].map((path) => {
    const { drift, details, symbols = [] } = changes.get(path) ?? { drift: "gone", details: [] };
    return JSON.stringify([base.commit, path, drift, details, symbols.map(({ id, change }) => [id, change])]);
  });
}

/** Hooks removed by a hook manager's install would stay unnoticed for months; a pending update is reported first. */
function warningMessage(project: Project, warning: string | null): AgentMessage {
  if (warning === null) return { items: [], isComplete: true, isTrouble: false, text: "" };
  return {
    items: [`hooks ${JSON.stringify(warning)}`],
    isComplete: true,
    isTrouble: true,
    text: formatHooksWarning(warning, commandFor(project)),
  };
}

export const commandFor = ({ stateDir }: Project) => launcherCommand(stateDir) ?? "ua-hooks";

async function verified(project: Project, timeLeftMs: number): Promise<Marker | null> {
  const read = async () => {
    const { withContext } = await import("../repository/context.js");
    (await import("../platform/deadline.js")).parseUntilOnly(clock() + timeLeftMs);
    return withContext(project, (await import("../sync/switch.js")).readWorktree, {
      statementWaitMs: STATEMENT_WAIT_MS,
    });
  };
  return (await withCodeCache(codeFolder(project.stateDir), "hook", read)).marker;
}
