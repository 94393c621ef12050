import { readMarker } from "../marker/marker.js";
import type { Project } from "../repository/locate.js";
import { withLock } from "../store/with-lock.js";
import { housekeeping } from "./housekeeping.js";
import { proveView } from "./stamp.js";
import { type Verification, verifyView } from "./verify.js";

type Read = Omit<Verification, "judgement">;

/** Hooks are hints, reads are proofs (law 3): the cheap proof, and where it fails, the verification, then the answer. */
export async function readView(project: Project): Promise<Read> {
  const known = await provenView(project);
  if (known !== null) return known;
  return withLock(project, async (db, held) => {
    // Whoever we waited for may have done it.
    const done = await provenView(project);
    if (done !== null) return done;
    housekeeping(db, project);
    return verifyView(db, held, project, []);
  });
}

/** null where the proof fails, or somebody takes the marker away while we look. */
async function provenView(project: Project): Promise<Read | null> {
  const { head, proven } = await proveView(project);
  if (proven === null) return null;
  if (proven.outcome !== "pending") return { ...proven, head, marker: null };
  const marker = readMarker(project);
  return marker === null ? null : { ...proven, head, marker };
}
