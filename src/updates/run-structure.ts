import { UaError } from "../errors.js";
import { type Context, withLock } from "../repository/context.js";
import { sync } from "../sync/sync.js";
import { describesGraph } from "../verification/graph-worktree.js";
import type { RunResult } from "./run.js";

/** `run`: everything that is pending and needs no LLM. */
export async function runStructural(context: Context, { full }: { full: boolean }): Promise<RunResult> {
  return withLock(context, async (locked) => {
    const { db, project } = locked;
    const before = await sync(locked);
    if (before.comparison === null) throw new UaError("not-set-up", before.reason, "run `ua-hooks status`");
    if (!describesGraph(db, project)) {
      const next = "run the command in that worktree, or let an agent `claim` and `apply` here";
      throw new UaError("usage", "the graph describes another worktree than this one", next);
    }
    if (!full && before.comparison.verdicts.length === 0) return { done: false, verification: before };
    const structural = full ? "all" : "changed";
    return { done: true, verification: await sync(locked, { allowTracked: true, structural }) };
  });
}
