import { realpathSync } from "node:fs";
import { join } from "node:path";
import { UaError } from "../errors.js";
import { codeFolder, withCodeCache } from "../platform/code-cache.js";
import { closeInherited, openAlivePipe } from "../platform/descriptors.js";
import { lowerPriority } from "../platform/priority.js";
import { mainRoot, type Project, projectOf } from "../repository/locate.js";
import { keepOwnRights } from "../store/files.js";
import { onEvent } from "./event.js";
import { writePid } from "./pid-file.js";
import { startWorker } from "./start.js";

/**
 * What hooks/shim.sh starts, with git waiting (`event`) or not (`run`). From here the way of a commit is:
 * project/ (where am I) → proof.ts (is anything new) → lock.ts → verify.ts: freshness/ (Phase 0, Phase 1) →
 * marker/ → verified sha. It says nothing and always exits 0 (invariant "git never notices"); what went wrong is in ua-hooks.log.
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

/** What hooks/merge.sh starts: the one way in here that may fail, since git asks whether it worked. */
async function merge([base = "", ours = "", theirs = "", path = ""]: string[]): Promise<void> {
  const { mergeDriver } = await import("./merge-driver.js");
  await mergeDriver(process.cwd(), { base, ours, theirs, path });
}

/** The runner belongs to the clone, not to a worktree: it starts from the git common dir. */
async function repositoryAt(commonDir: string): Promise<Project> {
  const real = realpathSync(commonDir);
  process.chdir(real); // a worktree that is removed must not take our working directory along
  const stateDir = join(real, "ua-hooks");
  openAlivePipe(join(stateDir, "alive"));
  const mainPath = mainRoot(real, stateDir);
  const worktree = { id: ".", path: mainPath ?? real, gitDir: real, linked: false };
  return projectOf(worktree, { commonDir: real, stateDir, mainPath }, {});
}

/** Where there is no setsid (macOS): Node makes the new session itself. */
function detach(commonDir: string): void {
  const pid = startWorker(commonDir);
  // Our own number stands there, and we go: an event before the runner has come up would start another one.
  if (pid !== undefined) writePid(join(commonDir, "ua-hooks"), pid);
}

keepOwnRights();

const [command, ...rest] = process.argv.slice(2);
if (command === "merge") {
  merge(rest).catch((error: unknown) => {
    process.stderr.write(`ua-hooks: ${error instanceof Error ? error.message : String(error)}\n`);
    // 1: the file holds git's markers now. Anything else: nothing was done, and merge.sh leaves it to git.
    process.exitCode = error instanceof UaError && error.code === "damaged" ? 1 : 2;
  });
} else {
  // Where not even the log can be written there is nobody to tell: git must not notice.
  main(process.argv.slice(2)).then(
    () => process.exit(0),
    () => process.exit(0),
  );
}
