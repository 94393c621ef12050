import { trustedExecution } from "../analyzers/trust.js";
import { expectDiff, isRegularFile, parseRawDiff } from "../git/trees.js";
import { type LockedContext, withLockedContext } from "../repository/context.js";
import type { Project } from "../repository/locate.js";
import { collect } from "./collect.js";
import { deferredTasks } from "./deferred-tasks.js";
import type { EarlyDiff } from "./event.js";
import { startWorker } from "./start.js";
import { verifyAndLog } from "./verify-and-log.js";

/** A hook in the foreground does what a worker would, for its own worktree. */
export async function verifyNow(project: Project, event: string, early: EarlyDiff | null): Promise<void> {
  if (early !== null) {
    expectDiff(project.worktree.path, early.from, early.to, early.output);
    if (event === "post-commit") void early.output.then(loadParser, () => {}); // the diff's failure is reported where it is used
  }
  const more = await withLockedContext(project, async (locked) => {
    if (!(await mayWait(locked))) return null;
    const events = collect(locked.db, project).get(project.worktree.id) ?? [];
    await verifyAndLog(locked, [...new Set([...events, event])], { measuresTokens: false });
    return deferredTasks(locked.db);
  });
  // These may take minutes, and git waits for us.
  if (more === null || more.analysis || more.pruning) startWorker(project.commonDir);
}

/** Above so many files the parser runs in threads of its own. */
const FEW_FILES = 20;

/** A commit has new contents, which are parsed as soon as the database is open: V8 compiles the grammars meanwhile. */
async function loadParser(diff: Buffer): Promise<void> {
  const changed = parseRawDiff(diff).filter(({ mode }) => isRegularFile(mode));
  if (changed.length > FEW_FILES) return;
  const { prepareParser, warmUp } = await import("../fingerprint/extract.js");
  prepareParser();
  await warmUp(changed.map(({ path }) => path));
}

/** The commit that brought us here may have brought other values than those that the user trusted (analyzers/trust.ts). */
async function mayWait({ db, project, config: load }: LockedContext): Promise<boolean> {
  if (process.env.UA_HOOKS_FOREGROUND === "1") return true;
  const config = await load().catch(() => null); // a broken one: the last valid one counts, which was trusted
  return config === null || trustedExecution(db, config, project) === "foreground";
}
