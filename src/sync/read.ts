import { isMeasured, readStoredMarker } from "../marker/marker.js";
import { type Context, withLock } from "../repository/context.js";
import type { Project } from "../repository/locate.js";
import { housekeeping } from "../verification/housekeeping.js";
import { checkStamp } from "../verification/stamp.js";
import type { Verification } from "../verification/verify.js";
import { sync } from "./sync.js";

type Read = Omit<Verification, "comparison">;

/** The freshness stamp, and if it does not match, the loop; then the answer (invariant "reads verify first"). */
export async function readWorktree(context: Context, waitMs?: number): Promise<Read> {
  const { project } = context;
  const known = await readStamped(project);
  if (known !== null) return known;
  return withLock(
    context,
    async (locked) => {
      // The process that held the lock before may have done it.
      const done = await readStamped(project);
      if (done !== null) return done;
      housekeeping(locked.db, project);
      return sync(locked);
    },
    waitMs,
  );
}

/** null: the stamp does not match, or the marker is gone or was not measured yet. */
async function readStamped(project: Project): Promise<Read | null> {
  const { head, stamped } = await checkStamp(project);
  if (stamped === null) return null;
  if (stamped.outcome !== "pending") return { ...stamped, head, marker: null };
  const marker = readStoredMarker(project);
  return marker === null || !isMeasured(marker) ? null : { ...stamped, head, marker };
}
