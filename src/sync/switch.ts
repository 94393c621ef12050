import type { LoadedContext } from "../repository/context.js";
import { type Commit, type Comparison, compareWithBaseline } from "../verification/compare.js";
import * as explain from "../verification/explain.js";
import * as read from "../verification/read.js";
import * as status from "../verification/status.js";
import * as verify from "../verification/verify.js";

/**
 * Which core works: that of baselines (`verification/`, `knowledge/`), or that of statements (this folder), while both are there. Whoever
 * verifies calls these functions; what `updates/` does asks here as well. Nothing else reads the variable.
 */
export const usesStatements = (): boolean => process.env.UA_HOOKS_CORE === "statements";

export const verifyWorktree: typeof verify.verifyWorktree = async (locked, options) =>
  usesStatements() ? (await import("./sync.js")).sync(locked, options) : verify.verifyWorktree(locked, options);

export const readWorktree: typeof read.readWorktree = async (context, waitMs) =>
  usesStatements() ? (await import("./read.js")).readWorktree(context, waitMs) : read.readWorktree(context, waitMs);

export const worktreeStatus: typeof status.worktreeStatus = async (context) =>
  usesStatements() ? (await import("./status.js")).worktreeStatus(context) : status.worktreeStatus(context);

export const explainFile: typeof explain.explainFile = async (context, absolute, name) =>
  usesStatements()
    ? (await import("./explain.js")).explainFile(context, absolute, name)
    : explain.explainFile(context, absolute, name);

/** Nothing is written. */
export async function compareStated(context: LoadedContext, head: Commit): Promise<Comparison> {
  return usesStatements()
    ? (await import("./compare.js")).compareHead(context, head, { keep: false })
    : compareWithBaseline(context, head, { keep: false });
}
