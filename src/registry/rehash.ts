import { isBlob, skippedPaths, worktreeOids } from "../git/worktree.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import type { EntryState } from "./enter.js";
import type { UncommittedChange } from "./overlay.js";
import { rowOids } from "./rows.js";

/** This many files are hashed faster than git starts; more of them by one git process per core. */
const FEW = 2_000;

/**
 * Hashes the bytes of every file that git reports as unchanged. Finds changes that git's index was set to ignore
 * (assume-unchanged), or could not see by size and time. A file matches its row by its bytes, or by what git's filters
 * make of them.
 */
export async function rehash(
  db: Db,
  { worktree }: Project,
  entry: EntryState,
): Promise<{ hidden: UncommittedChange[]; hashed: number }> {
  const rows = rowOids(db, worktree.id);
  for (const { path } of entry.uncommitted) rows.delete(path);
  const isSame = ([path, oid]: [string, string]) => isBlob(worktree.path, path, oid);
  const open = rows.size > FEW ? rows : new Map([...rows].filter((row) => !isSame(row)));
  const hashed = await worktreeOids(worktree.path, [...open.keys()]);
  const absent = [...open.keys()].filter((path) => !hashed.has(path));
  const skipped = absent.length === 0 ? new Set<string>() : await skippedPaths(worktree.path);
  const unlike = [...open].filter(([path, oid]) => hashed.get(path) !== oid && !skipped.has(path));
  const hidden = (open === rows ? unlike.filter((row) => !isSame(row)) : unlike).map(([path, oid]) => {
    return { path, before: oid, after: hashed.get(path) ?? null, untracked: false };
  });
  return { hidden, hashed: rows.size - absent.length };
}
