import { readMarker } from "../marker/marker.js";
import type { Project } from "../repository/locate.js";
import { withLock } from "../store/with-lock.js";
import { housekeeping } from "./housekeeping.js";
import { checkStamp } from "./stamp.js";
import { type Verification, verifyWorktree } from "./verify.js";

type Read = Omit<Verification, "comparison">;

/** Hooks are hints, reads are proofs (invariant "reads verify first"): the cheap proof, and where it fails, the verification, then the answer. */
export async function readWorktree(project: Project): Promise<Read> {
  const known = await readStamped(project);
  if (known !== null) return known;
  return withLock(project, async (db, held) => {
    // Whoever we waited for may have done it.
    const done = await readStamped(project);
    if (done !== null) return done;
    housekeeping(db, project);
    return verifyWorktree(db, held, project, []);
  });
}

/** null where the proof fails, or somebody takes the marker away while we look. */
async function readStamped(project: Project): Promise<Read | null> {
  const { head, proven } = await checkStamp(project);
  if (proven === null) return null;
  if (proven.outcome !== "pending") return { ...proven, head, marker: null };
  const marker = readMarker(project);
  return marker === null ? null : { ...proven, head, marker };
}
