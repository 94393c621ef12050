import { join } from "node:path";
import { type TrustState, trustedExecution, trustState, waitingKeys } from "../analyzers/trust.js";
import { isUaError, type UaError } from "../errors.js";
import { type Distance, dirtyPaths, distance } from "../git/status.js";
import { CONFIG, META, unrenderedArtefacts } from "../knowledge/artefacts.js";
import { Baseline } from "../knowledge/baseline.js";
import type { Config } from "../repository/config.js";
import type { Context } from "../repository/context.js";
import { isSetUp } from "../repository/installed.js";
import type { Project } from "../repository/locate.js";
import { readBytes } from "../store/files.js";
import { hasBlock } from "../store/marked-block.js";
import { toUserError } from "../store/user-error.js";
import { graphWorktreeOf } from "./graph-worktree.js";
import { readWorktree } from "./read.js";
import { symbolsToReview } from "./review.js";
import { BEING_VERIFIED, type LastKnown, readSoon } from "./soon.js";
import type { Verification } from "./verify.js";
import { worktreeRow } from "./worktree-rows.js";

export type FreshnessStatus = "fresh" | "pending" | "dirty" | "stale" | "unknown" | "uninitialized";

/** The status of one worktree, for `status` and for agents. */
export interface WorktreeStatus {
  status: FreshnessStatus;
  reason: string;
  verification: Omit<Verification, "comparison"> | null;
  baseline: string | null;
  verified: string | null;
  distance: Distance;
  dirty: string[];
  /** Ids of symbols with a description that changed their behaviour since: it may be false. */
  review: string[];
  /** null: the built-in one. */
  analyzer: TrustState | null;
  /** The config's keys that would make git wait, and are ignored because they are not trusted in this clone. */
  ignored: Partial<Config> | null;
  /** Tracked artefacts that are older than what is stored: hooks do not write them. */
  unwritten: string[];
  /** In a bare repository: the worktree that the graph describes. */
  graphWorktree: { id: string; isGone: boolean } | null;
  /** While another process verifies: what was known before. */
  lastKnown: LastKnown | null;
}

/** The result of the last verification, which is done first if necessary, and what git reports as uncommitted changes (invariant "reads verify first"). */
export function worktreeStatus(context: Context): Promise<WorktreeStatus> {
  return statusOf(context, { read: readWorktree, describe });
}

/** What there is to ask of a repository that is set up. */
interface CoreStatus {
  read: typeof readWorktree;
  describe(context: Context, found: Omit<Verification, "comparison">): Promise<WorktreeStatus>;
}

export async function statusOf(context: Context, core: CoreStatus): Promise<WorktreeStatus> {
  const { project } = context;
  const nothing = {
    verification: null,
    baseline: null,
    verified: null,
    dirty: [],
    review: [],
    analyzer: null,
    ignored: null,
    unwritten: [],
    lastKnown: null,
  };
  const none = { ...nothing, graphWorktree: null, distance: await distance("", null, null) };
  if (!isSetUp(project)) {
    return { ...none, status: "uninitialized", reason: whatToDo(project) };
  }
  try {
    const soon = await readSoon(context, core.read);
    if (soon.found === null)
      return { ...none, status: "unknown", reason: BEING_VERIFIED, lastKnown: soon.beingVerified };
    return await core.describe(context, soon.found);
  } catch (thrown) {
    const error = toUserError(thrown) ?? thrown;
    // Invariant "unknown is not fresh": what cannot be verified is unknown, with the reason. A damaged or busy database
    // is an error.
    if (!isUaError(error) || (error.code !== "git" && error.code !== "failed")) throw error;
    return { ...none, status: "unknown", reason: unknownReason(error) };
  }
}

async function describe(context: Context, found: Omit<Verification, "comparison">): Promise<WorktreeStatus> {
  const cwd = context.project.worktree.path;
  const rows = await rowsOf(context, await dirtyPaths(cwd));
  const at = await distance(cwd, rows.baseline, found.head.commit);
  return { ...freshnessOf(found, rows.dirty), verification: found, ...rows, distance: at, lastKnown: null };
}

/** A new clone of a team's repository has the knowledge already, and needs only the hooks. */
function whatToDo({ root }: Project): string {
  const shared = root !== null && hasBlock(readBytes(join(root, ".gitattributes"), root));
  if (shared)
    return "this repository contains a shared knowledge graph; run `ua-hooks install` to use it in this clone";
  return "ua-hooks is not installed in this repository; run `ua-hooks install`";
}

export function unknownReason({ message, next }: UaError): string {
  return next === undefined ? message : `${message}; ${next}`;
}

export function freshnessOf(
  found: Omit<Verification, "comparison">,
  dirty: readonly string[],
): Pick<WorktreeStatus, "status" | "reason"> {
  const { outcome, reason } = found;
  if (outcome === "pending") return { status: "pending", reason };
  if (outcome === "no-graph") return { status: "uninitialized", reason };
  if (outcome === "off") return { status: "stale", reason };
  if (outcome === "unknown") return { status: "unknown", reason };
  if (dirty.length === 0) return { status: "fresh", reason };
  return {
    status: "dirty",
    reason: `${dirty.length} ${dirty.length === 1 ? "file has" : "files have"} uncommitted changes`,
  };
}

/** `changed`: every path with uncommitted changes; of those count what the graph describes, with or without a grammar. */
async function rowsOf(
  context: Context,
  changed: readonly string[],
): Promise<
  Pick<
    WorktreeStatus,
    "baseline" | "verified" | "analyzer" | "dirty" | "review" | "ignored" | "unwritten" | "graphWorktree"
  >
> {
  const { project } = context;
  const [config, rules, db] = [await context.config(), await context.rules(), await context.database()];
  const row = worktreeRow(db, project.worktree.id);
  const analyzer = config.analyzer === "structural" ? null : trustState(db, config, project);
  const baseline = new Baseline(db, project.scope, project.worktree.id);
  const dirty = changed.filter((path) => rules.covers(path, baseline.isInGraph(path)));
  const ignored = trustedExecution(db, config, project) === config.execution ? null : waitingKeys(config);
  const graphWorktree = graphWorktreeOf(db, project);
  const unwritten = unrenderedArtefacts(db, project).filter((name) => name !== META && name !== CONFIG);
  return {
    ...{ baseline: row?.base_sha ?? null, verified: row?.verified_sha ?? null },
    ...{ analyzer, dirty, ignored, unwritten, graphWorktree, review: symbolsToReview(db, project).map(({ id }) => id) },
  };
}
