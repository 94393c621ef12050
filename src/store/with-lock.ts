import { type Lock, lock } from "./lock.js";
import type { Db } from "./sqlite.js";
import { openState } from "./state.js";

/** How long a hook in the foreground, or a reader, waits for a worker that holds the lock. */
const WAIT_MS = 10_000;

/** `signal`: an abort while we wait for the lock leaves everything as it was; after that the work is carried through. */
export async function withLock<T>(
  { stateDir }: { stateDir: string },
  work: (db: Db, held: Lock) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const db = await openState(stateDir);
  try {
    const held = await lock(db, stateDir, WAIT_MS);
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
