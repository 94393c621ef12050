import { existsSync } from "node:fs";
import { join } from "node:path";
import { checkHooks } from "../hook-managers/watch.js";
import { withSlashes } from "../platform/windows.js";
import type { Project } from "../repository/locate.js";
import { isInWorktree } from "../repository/worktrees.js";
import { readTextIfThere, writeFileAtomic } from "../store/files.js";
import { writeLog } from "../store/log.js";

/**
 * Checks at the end of a worker's run: hooks that a hook manager's install removed are logged (or restored, with
 * `selfRepair`), and a missing node is replaced by the one that runs us.
 */
export async function checkInstallation(repository: Project): Promise<void> {
  const { stateDir } = repository;
  replaceNode(repository);
  const { warning, isNew, repaired } = await checkHooks(repository);
  const reason = repaired ? "restored hooks that another tool's install had removed" : isNew ? warning : null;
  if (reason === null) return;
  const entry = {
    at: new Date().toISOString(),
    view: repository.worktree.id,
    events: [],
    head: null,
    parses: 0,
    ms: 0,
  };
  writeLog(stateDir, { ...entry, outcome: repaired ? "repaired" : "bypassed", reason });
}

/** The shim found another node than install's, which an upgrade removed: record it, so that it need not search. */
function replaceNode(repository: Project): void {
  const { stateDir } = repository;
  const file = join(stateDir, "env");
  const [node, ...rest] = readTextIfThere(file)?.split("\n") ?? [];
  if (node === undefined || existsSync(node) || isInWorktree(repository, process.execPath)) return;
  writeFileAtomic(file, [withSlashes(process.execPath), ...rest].join("\n"), 0o600);
}
