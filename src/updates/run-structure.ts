import { UaError } from "../errors.js";
import { registryDifferences } from "../registry/clean.js";
import { type Context, withLock } from "../repository/context.js";
import { unwrittenDocuments } from "../sync/may-write.js";
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

/** The differences between what is cached and a rebuild; for the worktree that the graph describes. */
export async function compareWithClean(context: Context): Promise<string[]> {
  return withLock(context, async (locked) => {
    const { db, project } = locked;
    const { comparison, head } = await sync(locked);
    if (comparison === null || head.commit === null) return [];
    if (!describesGraph(db, project))
      throw new UaError(
        "usage",
        "the graph describes another worktree than this one",
        "run the command in that worktree",
      );
    const { differencesFromClean } = await import("../sync/against-clean.js");
    return [
      ...(await differencesFromClean(await locked.load(), { ...head, commit: head.commit })),
      ...(await registryDifferences(db, project)),
    ];
  });
}

/** Writes the documents that git tracks and that are behind what is stated. Returns their names. */
export async function exportDocuments(context: Context): Promise<string[]> {
  return withLock(context, async (locked) => {
    const { db, project } = locked;
    await sync(locked);
    const names = unwrittenDocuments(db, project);
    if (names.length > 0 && project.root !== null) await sync(locked, { allowTracked: true });
    return project.root === null ? [] : names;
  });
}
