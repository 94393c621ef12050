import { heldLease, listedAt } from "../marker/lease.js";
import { type Due, duePaths } from "../marker/questions.js";
import type { LockedContext } from "../repository/context.js";
import type { Comparison } from "../verification/compare.js";

/** What a delivery under this lease is for; without a lease, what is pending. */
export function claimedPaths(
  { db, project }: LockedContext,
  comparison: Comparison,
  lease: string | null,
): { due: Due[]; holder: string | null } {
  const { id: worktree } = project.worktree;
  const claim = heldLease(db, worktree, lease);
  const generation = claim?.generation ?? null;
  const due = generation === null ? duePaths(comparison) : listedAt(db, worktree, generation);
  return { due, holder: claim?.holder ?? null };
}
