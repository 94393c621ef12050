import { realpathSync } from "node:fs";
import { join } from "node:path";
import { codeFolder, withCodeCache } from "../platform/code-cache.js";
import { closeInherited, openAlivePipe } from "../platform/descriptors.js";
import { lowerPriority } from "../platform/priority.js";
import { mainRoot, type Project, projectOf } from "../repository/locate.js";
import { requireAccepted } from "../repository/owner.js";
import { keepOwnRights } from "../store/files.js";
import { onEvent } from "./event.js";
import { writePid } from "./pid-file.js";
import { startWorker } from "./start.js";

/**
 * Started by hooks/shim.sh, with git waiting (`event`) or not (`run`). The path of a commit: repository/locate.ts
 * (which worktree) → verification/stamp.ts (is anything new) → store/lock.ts → verification/verify.ts (Phase 0, Phase
 * 1) → marker/ → verified sha. It prints nothing and always exits 0 (invariant "git never notices"); errors are in
 * ua-hooks.log.
 */
async function main([command, argument = "", ...rest]: string[]): Promise<void> {
  if (command === "event") await onEvent(process.cwd(), argument, rest);
  else if (command === "run") {
    closeInherited();
    lowerPriority();
    const repository = await repositoryAt(argument);
    const work = async () => (await import("./worker.js")).runWorker(repository);
    await withCodeCache(codeFolder(repository.stateDir), "hook", work);
  } else if (command === "detach") detach(argument);
}

/**
 * Started by hooks/merge.sh: the only entry that may fail, because git needs the result. The script of the version before names no file
 * for the result, and expects 0.
 */
async function merge([base = "", ours = "", theirs = "", path = "", into]: string[]): Promise<void> {
  const { mergeDriver, MERGED_STATUS } = await import("./merge-driver.js");
  await mergeDriver(process.cwd(), { base, ours, theirs, path }, into);
  process.exitCode = into === undefined ? 0 : MERGED_STATUS;
}

/** The worker belongs to the clone, not to a worktree: it starts from the git common dir. */
async function repositoryAt(commonDir: string): Promise<Project> {
  const real = realpathSync(commonDir);
  process.chdir(real); // a worktree that is removed must not be our working directory
  const stateDir = join(real, "ua-hooks");
  requireAccepted({ top: null, gitDir: real, commonDir: real, stateDir });
  openAlivePipe(join(stateDir, "alive"));
  const mainPath = mainRoot(real, stateDir);
  const worktree = { id: ".", path: mainPath ?? real, gitDir: real, linked: false };
  return projectOf(worktree, { commonDir: real, stateDir, mainPath }, {});
}

/** Without setsid (macOS): Node creates the new session. */
function detach(commonDir: string): void {
  const pid = startWorker(commonDir);
  // Our own pid is in the file, and we exit: an event before the worker is up would start another one.
  if (pid !== undefined) writePid(join(commonDir, "ua-hooks"), pid);
}

keepOwnRights();

const [command, ...rest] = process.argv.slice(2);
if (command === "merge") {
  merge(rest).catch((error: unknown) => {
    process.stderr.write(`ua-hooks: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2; // nothing was done, and merge.sh uses git's merge
  });
} else {
  // If not even the log can be written, nothing can be reported: git must not notice.
  main(process.argv.slice(2)).then(
    () => process.exit(0),
    () => process.exit(0),
  );
}
