import { readSavings, renewShown } from "../knowledge/shared.js";
import { type Context, withLock } from "../repository/context.js";
import type { Db } from "../store/sqlite.js";
import { describesGraph } from "../verification/graph-worktree.js";
import { dropStamps } from "../verification/stamp.js";
import { verifyWorktree } from "../verification/verify.js";

/**
 * Descriptions came or went without a delivery: the graph shows those that stand for its contents now, and what they describe is no
 * longer pending. `change`: done together with it. Returns what was settled.
 */
export async function showNewDescriptions(
  context: Context,
  paths: ReadonlySet<string>,
  change?: () => void,
): Promise<{ files: number; tokens: number }> {
  return withLock(context, async (locked) => {
    const { db, project } = locked;
    const before = totalSavings(db);
    dropStamps(project);
    const { comparison } = await verifyWorktree(locked);
    const isChanged = await renewShown(await locked.load(), paths, change);
    if (comparison !== null && describesGraph(db, project) && isChanged) {
      dropStamps(project);
      await verifyWorktree(locked, { allowTracked: true });
    }
    const { files, tokens } = totalSavings(db);
    return { files: files - before.files, tokens: tokens - before.tokens };
  });
}

export function totalSavings(db: Db): { files: number; tokens: number } {
  return readSavings(db).reduce(
    (sum, { files, tokens }) => ({ files: sum.files + files, tokens: sum.tokens + tokens }),
    { files: 0, tokens: 0 },
  );
}
