import { messageOf } from "../errors.js";
import { parseCount } from "../fingerprint/count.js";
import { clock } from "../platform/clock.js";
import type { LockedContext } from "../repository/context.js";
import type { Project } from "../repository/locate.js";
import { isLockWanted } from "../store/lock.js";
import { type LogEntry, type LoggedSymbol, logFailure, writeLog } from "../store/log.js";
import type { Db } from "../store/sqlite.js";
import { verifyWorktree } from "../sync/switch.js";
import type { Comparison } from "../verification/compare.js";
import type { VerifyOptions } from "../verification/verify.js";
import { registrySha } from "../verification/worktree-rows.js";

/** Verifies one worktree and logs the result, or the error. False: it could not be verified. What `afterBatch` throws is thrown on. */
export async function verifyAndLog(
  locked: LockedContext,
  events: string[],
  options: VerifyOptions = {},
): Promise<boolean> {
  const { db, lock, project } = locked;
  const started = clock();
  const entry = { at: new Date().toISOString(), view: project.worktree.id, events };
  const parsed = parseCount();
  const spent = () => ({ parses: parseCount() - parsed, ms: Math.round(clock() - started) });
  try {
    const { head, outcome, reason, comparison } = await verifyWorktree(locked, { ...options, events });
    if (comparison !== null) await warmRegistry(db, project, comparison);
    const decided = comparison === null ? {} : { action: comparison.action, ...loggedSymbols(comparison) };
    writeLog(project.stateDir, { ...entry, head: head.commit, outcome, ...decided, reason, ...spent() });
    return true;
  } catch (error) {
    lock.assertHeld();
    if (isLockWanted(error)) throw error;
    writeLog(project.stateDir, { ...entry, head: null, outcome: "unknown", reason: messageOf(error), ...spent() });
    return false;
  }
}

/** Of one run. */
const MOST_SYMBOLS = 10;

/** What is to be described, by symbol; of a new file itself. */
function loggedSymbols({
  asked,
  filesToReanalyze,
  fileChanges,
}: Comparison): Pick<LogEntry, "symbols" | "moreSymbols"> {
  const drifts = new Map(fileChanges.map(({ filePath, drift }) => [filePath, drift]));
  const all = filesToReanalyze.flatMap((path): LoggedSymbol[] => {
    const { isWhole = true, symbols = [] } = asked.get(path) ?? {};
    if (isWhole) return [{ id: `file:${path}`, change: drifts.get(path) ?? "new" }];
    return symbols.map(({ id, change }) => ({ id, change }));
  });
  if (all.length === 0) return {};
  const more = all.length - MOST_SYMBOLS;
  return { symbols: all.slice(0, MOST_SYMBOLS), ...(more > 0 ? { moreSymbols: more } : {}) };
}

/**
 * The registry's rows follow HEAD, if the registry is in use; cost by what changed. Only an optimisation: every read of
 * the registry verifies for itself, so a failure here does not affect the verdict.
 */
async function warmRegistry(db: Db, project: Project, { head, diff }: Comparison): Promise<void> {
  const sha = registrySha(db, project.worktree.id);
  if (sha === null || sha === head) return;
  try {
    const { advance } = await import("../registry/advance.js");
    await advance(db, project, head, diff);
  } catch (error) {
    logFailure(project.stateDir, error);
  }
}
