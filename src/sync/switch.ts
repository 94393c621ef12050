import * as answers from "../updates/answers.js";
import * as run from "../updates/run.js";
import * as update from "../updates/update.js";
import * as read from "../verification/read.js";
import * as verify from "../verification/verify.js";

/**
 * Which core works: that of baselines (`verification/`, `updates/`), or that of statements (`sync/`), while both are there. Everything outside of them
 * calls these functions, and this is the only place that asks.
 */
export const usesStatements = (): boolean => process.env.UA_HOOKS_CORE === "statements";

export const verifyWorktree: typeof verify.verifyWorktree = async (locked, options) =>
  usesStatements() ? (await import("./sync.js")).sync(locked, options) : verify.verifyWorktree(locked, options);

export const readWorktree: typeof read.readWorktree = async (context, waitMs) =>
  usesStatements() ? (await import("./read.js")).readWorktree(context, waitMs) : read.readWorktree(context, waitMs);

export const claimUpdate: typeof update.claimUpdate = async (context, options) =>
  usesStatements()
    ? (await import("./deliver.js")).claimUpdate(context, options)
    : update.claimUpdate(context, options);

export const releaseUpdate: typeof update.releaseUpdate = async (context, options) =>
  usesStatements()
    ? (await import("./deliver.js")).releaseUpdate(context, options)
    : update.releaseUpdate(context, options);

export const ackUpdate: typeof update.ackUpdate = async (context, options) =>
  usesStatements() ? (await import("./deliver.js")).ackUpdate(context, options) : update.ackUpdate(context, options);

export const applyResult: typeof update.applyResult = async (context, result, lease) =>
  usesStatements()
    ? (await import("./deliver.js")).applyResult(context, result, lease)
    : update.applyResult(context, result, lease);

export const applyAnswers: typeof answers.applyAnswers = async (context, given, lease) =>
  usesStatements()
    ? (await import("./deliver.js")).applyAnswers(context, given, lease)
    : answers.applyAnswers(context, given, lease);

export const runStructural: typeof run.runStructural = async (context, options) =>
  usesStatements() ? (await import("./run.js")).runStructural(context, options) : run.runStructural(context, options);
