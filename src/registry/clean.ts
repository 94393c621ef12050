import { differences } from "../knowledge/differences.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import { describe } from "./describe.js";
import { type FileRow, readRegistryState, readRows } from "./rows.js";
import { filesOf } from "./tree.js";

/**
 * Invariant "incremental equals clean": the differences between the rows of a worktree and a new registry. Empty if it
 * was never filled.
 */
export async function registryDifferences(db: Db, { worktree }: Project): Promise<string[]> {
  const sha = readRegistryState(db, worktree.id)?.sha ?? null;
  if (sha === null) return [];
  const files = await filesOf(worktree.path, sha);
  const clean = await describe(
    worktree.path,
    [...files].map(([path, oid]) => ({ path, oid })),
  );
  const fact = ({ path, oid, type, size }: FileRow) => JSON.stringify([path, oid, type, size]);
  return differences("registry row", readRows(db, worktree.id).map(fact), clean.map(fact));
}
