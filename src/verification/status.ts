import { join } from "node:path";
import { type TrustState, trustedExecution, trustState, waitingKeys } from "../analyzers/trust.js";
import { UaError } from "../errors.js";
import { type Distance, dirtyPaths, distance } from "../git/status.js";
import type { Config } from "../repository/config.js";
import type { Context } from "../repository/context.js";
import { isSetUp } from "../repository/installed.js";
import type { Project } from "../repository/locate.js";
import { readBytes } from "../store/files.js";
import { hasBlock } from "../store/marked-block.js";
import { toUserError } from "../store/user-error.js";
import { readWorktree } from "./read.js";
import type { Verification } from "./verify.js";
import { worktreeRow } from "./worktree-rows.js";

export type FreshnessStatus = "fresh" | "pending" | "dirty" | "stale" | "unknown" | "uninitialized";

/** How things stand in one view, for `status` and for agents that ask. */
export interface WorktreeStatus {
  status: FreshnessStatus;
  reason: string;
  verification: Omit<Verification, "comparison"> | null;
  baseline: string | null;
  verified: string | null;
  distance: Distance;
  dirty: string[];
  /** null: the built-in one. */
  analyzer: TrustState | null;
  /** The config's keys that would make git wait, and are ignored because they are not trusted in this clone. */
  ignored: Partial<Config> | null;
}

/** The result of the last verification, which is done first if necessary, and what git reports as uncommitted changes (invariant "reads verify first"). */
export async function worktreeStatus(context: Context): Promise<WorktreeStatus> {
  const { project } = context;
  const nothing = { verification: null, baseline: null, verified: null, dirty: [], analyzer: null, ignored: null };
  const none = { ...nothing, distance: await distance("", null, null) };
  if (!isSetUp(project)) {
    return { ...none, status: "uninitialized", reason: whatToDo(project) };
  }
  const found = await readWorktree(context).catch((thrown: unknown) => {
    const error = toUserError(thrown) ?? thrown;
    // Invariant "unknown is not fresh": what cannot be judged is unknown, with the reason. A damaged or busy store is for the user to mend.
    if (error instanceof UaError && (error.code === "git" || error.code === "failed")) return error;
    throw error;
  });
  if (found instanceof UaError) return { ...none, status: "unknown", reason: unknownReason(found) };
  const rows = await rowsOf(context);
  const at = await distance(project.worktree.path, rows.baseline, found.head.commit);
  const dirty = await dirtySources(context);
  return { ...verdict(found, dirty), verification: found, ...rows, distance: at, dirty };
}

/** A fresh clone of a team's repository has the knowledge already, and lacks only the hooks. */
function whatToDo({ root }: Project): string {
  const shared = root !== null && hasBlock(readBytes(join(root, ".gitattributes")));
  if (shared)
    return "the team shares what is known about this code; `npx ua-hooks install` switches it on in this clone";
  return "ua-hooks is not installed here; `ua-hooks install` does it";
}

export function unknownReason({ message, next }: UaError): string {
  return next === undefined ? message : `${message}; ${next}`;
}

function verdict(
  found: Omit<Verification, "comparison">,
  dirty: readonly string[],
): Pick<WorktreeStatus, "status" | "reason"> {
  const { outcome, reason } = found;
  if (outcome === "pending") return { status: "pending", reason };
  if (outcome === "no-graph") return { status: "uninitialized", reason };
  if (outcome === "off") return { status: "stale", reason };
  if (outcome === "unborn") return { status: "fresh", reason };
  if (outcome === "unknown") return { status: "unknown", reason };
  if (dirty.length === 0) return { status: "fresh", reason };
  return {
    status: "dirty",
    reason: `${dirty.length} source ${dirty.length === 1 ? "file has" : "files have"} uncommitted changes`,
  };
}

async function rowsOf(
  context: Context,
): Promise<Pick<WorktreeStatus, "baseline" | "verified" | "analyzer" | "ignored">> {
  const { project } = context;
  const config = await context.config();
  const db = await context.database();
  const row = worktreeRow(db, project.worktree.id);
  const analyzer = config.analyzer === "structural" ? null : trustState(db, config, project);
  const ignored = trustedExecution(db, config, project) === config.execution ? null : waitingKeys(config);
  return { baseline: row?.base_sha ?? null, verified: row?.verified_sha ?? null, analyzer, ignored };
}

async function dirtySources({ project, rules: load }: Context): Promise<string[]> {
  const rules = await load();
  return (await dirtyPaths(project.worktree.path)).filter((path) => rules.covers(path, false));
}
