import { skippedPaths, worktreeOids } from "../git/worktree.js";
import type { Project } from "../project/locate.js";
import type { Db } from "../store/sqlite.js";
import type { Entry } from "./enter.js";
import type { Laid } from "./overlay.js";
import { rowOids } from "./rows.js";

/**
 * For the distrustful: the bytes of every file that git calls unchanged, hashed through git's filters on all cores. What
 * git's index was told not to look at (assume-unchanged), or could not see by size and time, turns up here.
 */
export async function rehash(db: Db, { view }: Project, entry: Entry): Promise<{ hidden: Laid[]; hashed: number }> {
  const rows = rowOids(db, view.id);
  for (const { path } of entry.laid) rows.delete(path);
  const hashed = await worktreeOids(view.path, [...rows.keys()]);
  const absent = [...rows.keys()].filter((path) => !hashed.has(path));
  const skipped = absent.length === 0 ? new Set<string>() : await skippedPaths(view.path);
  const hidden = [...rows]
    .filter(([path, oid]) => hashed.get(path) !== oid && !skipped.has(path))
    .map(([path, oid]) => ({ path, before: oid, after: hashed.get(path) ?? null, untracked: false }));
  return { hidden, hashed: hashed.size };
}
