import { readStoredMarker } from "../marker/marker.js";
import type { Context } from "../repository/context.js";
import { isLockBusy } from "../store/lock.js";
import { worktreeRow } from "./worktree-rows.js";

/** The answer of the last verification, which need not hold any more. */
export interface LastKnown {
  status: "fresh" | "pending" | "unknown";
  verifiedSha: string | null;
  verifiedAt: string | null;
  /** The files that were pending. */
  files: string[];
}

export const BEING_VERIFIED = "being verified";

/** A reader that can say "unknown" waits no longer for a worker in the middle of its work: the answer is there within a second. */
const SOON_MS = 400;

/** A read for people and agents who wait. `beingVerified`: another process is at it, and this is what was known before. */
export async function readSoon<T>(
  context: Context,
  read: (context: Context, waitMs: number) => Promise<T>,
): Promise<{ found: T } | { found: null; beingVerified: LastKnown }> {
  try {
    return { found: await read(context, SOON_MS) };
  } catch (error) {
    if (!isLockBusy(error)) throw error;
    return { found: null, beingVerified: await lastKnown(context) };
  }
}

async function lastKnown(context: Context): Promise<LastKnown> {
  const { project } = context;
  const row = worktreeRow(await context.database(), project.worktree.id);
  const [verifiedSha, verifiedAt] = [row?.verified_sha ?? null, row?.verified_at ?? null];
  const marker = readStoredMarker(project);
  if (marker !== null) return { status: "pending", verifiedSha, verifiedAt, files: marker.filesToReanalyze };
  return { status: verifiedSha === null ? "unknown" : "fresh", verifiedSha, verifiedAt, files: [] };
}
