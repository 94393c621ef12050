import { expectDiff } from "../git/trees.js";
import { readMarker } from "../marker/marker.js";
import type { Project } from "../project/locate.js";
import type { Db } from "../store/sqlite.js";
import { openState } from "../store/state.js";
import { afterwards } from "./afterwards.js";
import { collect, keepHouse } from "./collect.js";
import type { EarlyDiff } from "./event.js";
import { type Lock, lock } from "./lock.js";
import { proveView } from "./proof.js";
import { verifyAndLog } from "./runner.js";
import { type Verification, verifyView, type Wish } from "./verify.js";

/** How long a hook in the foreground, or a reader, waits for a runner that is at work. */
const PATIENCE_MS = 10_000;

/** `signal`: whoever calls it off while we wait for the lock finds nothing done; from then on it is carried through. */
export async function withLock<T>(
  project: Project,
  work: (db: Db, held: Lock) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const db = await openState(project.stateDir);
  try {
    const held = await lock(db, project.stateDir, PATIENCE_MS);
    try {
      signal?.throwIfAborted();
      return await work(db, held);
    } finally {
      held.release();
    }
  } finally {
    db.close();
  }
}

/** A hook in the foreground does what a runner would, for its own view. */
export async function verifyNow(project: Project, event: string, early: EarlyDiff | null): Promise<void> {
  if (early !== null) expectDiff(project.view.path, early.from, early.to, early.output);
  const more = await withLock(project, async (db, held) => {
    const events = collect(db, project).get(project.view.id) ?? [];
    await verifyAndLog(db, held, project, [...new Set([...events, event])]);
    return afterwards(db);
  });
  // These may take minutes, and git waits for us.
  if (more.analysis || more.pruning) (await import("./detach.js")).startRunner(project.commonDir);
}

type Read = Omit<Verification, "judgement">;

/** Hooks are hints, reads are proofs (law 3): the cheap proof, and where it fails, the verification, then the answer. */
export async function readView(project: Project, wish: Wish = {}): Promise<Read> {
  const known = await provenView(project);
  if (known !== null) return known;
  return withLock(project, async (db, held) => {
    // Whoever we waited for may have done it.
    const done = await provenView(project);
    if (done !== null) return done;
    keepHouse(db, project);
    return verifyView(db, held, project, [], wish);
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
