import { trustedExecution, trustState, waitingKeys } from "../analyzers/trust.js";
import { dirtyPaths, distance } from "../git/status.js";
import { GRAPH } from "../knowledge/artefacts.js";
import { hasSlice, sliceOfFile } from "../knowledge/slices.js";
import type { Context } from "../repository/context.js";
import { graphWorktreeOf } from "../verification/graph-worktree.js";
import { freshnessOf, statusOf, type WorktreeStatus } from "../verification/status.js";
import type { Verification } from "../verification/verify.js";
import { worktreeRow } from "../verification/worktree-rows.js";
import { openAtHead, reviewIds } from "./at-commit.js";
import { unwrittenDocuments } from "./may-write.js";
import { readWorktree } from "./read.js";

/** What the loop found, and what git reports as uncommitted changes (invariant "reads verify first"). */
export function worktreeStatus(context: Context): Promise<WorktreeStatus> {
  return statusOf(context, { read: readWorktree, describe });
}

async function describe(context: Context, found: Omit<Verification, "comparison">): Promise<WorktreeStatus> {
  const { project } = context;
  const [config, rules, db] = [await context.config(), await context.rules(), await context.database()];
  const row = worktreeRow(db, project.worktree.id);
  const cwd = project.worktree.path;
  const inGraph = (path: string) => hasSlice(db, project.scope, GRAPH, sliceOfFile(path));
  const dirty = (await dirtyPaths(cwd)).filter((path) => rules.covers(path, inGraph(path)));
  const head = found.head.commit;
  const review = head === null ? [] : await reviewIds(await openAtHead({ db, project, config, rules }, head));
  return {
    ...freshnessOf(found, dirty),
    verification: found,
    baseline: row?.base_sha ?? null,
    verified: row?.verified_sha ?? null,
    distance: await distance(cwd, row?.base_sha ?? null, head),
    dirty,
    review,
    analyzer: config.analyzer === "structural" ? null : trustState(db, config, project),
    ignored: trustedExecution(db, config, project) === config.execution ? null : waitingKeys(config),
    unwritten: unwrittenDocuments(db, project),
    graphWorktree: graphWorktreeOf(db, project),
    lastKnown: null,
  };
}
