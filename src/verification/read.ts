import { isMeasured, readStoredMarker } from "../marker/marker.js";
import { type Context, withLock } from "../repository/context.js";
import type { Project } from "../repository/locate.js";
import { canWrite } from "../store/state.js";
import { housekeeping } from "./housekeeping.js";
import { checkStamp } from "./stamp.js";
import { withTokens } from "./unmeasured.js";
import { type Verification, verifyWorktree } from "./verify.js";

type Read = Omit<Verification, "comparison">;

/** The freshness stamp, and if it does not match, a verification; then the answer (invariant "reads verify first"). */
export async function readWorktree(context: Context, waitMs?: number): Promise<Read> {
  const { project } = context;
  const known = await readStamped(project);
  if (known !== null) return known;
  return withLock(
    context,
    async (locked) => {
      // The process that held the lock before may have verified this worktree.
      const done = await readStamped(project);
      if (done !== null) return done;
      housekeeping(locked.db, project);
      return verifyWorktree(locked);
    },
    waitMs,
  );
}

/**
 * null: the stamp does not match, another process removed the marker meanwhile, or a hook in the foreground left it to us to measure
 * the tokens.
 */
async function readStamped(project: Project): Promise<Read | null> {
  const { head, stamped } = await checkStamp(project);
  if (stamped === null) return null;
  if (stamped.outcome !== "pending") return { ...stamped, head, marker: null };
  const marker = readStoredMarker(project);
  if (marker === null || isMeasured(marker)) return marker === null ? null : { ...stamped, head, marker };
  const { commit } = head;
  if (commit === null || canWrite(project.stateDir)) return null;
  return { ...stamped, head, marker: await withTokens(project, { ...head, commit }, marker) };
}
