import { existsSync } from "node:fs";
import { join } from "node:path";
import { checkHooks } from "../hook-managers/watch.js";
import type { Project } from "../repository/locate.js";
import { readTextIfThere, writeFileAtomic } from "../store/files.js";
import { writeLog } from "../store/log.js";

/**
 * What a runner looks after on its way out, since nobody else comes by as often: hooks that a manager's install dropped are
 * told in the log (or put back, with `selfRepair`), and a node that is gone is replaced by the one that runs us.
 */
export async function checkInstallation(repository: Project): Promise<void> {
  const { stateDir } = repository;
  replaceNode(stateDir);
  const { warning, isNew, repaired } = await checkHooks(repository);
  const reason = repaired ? "hooks that somebody's install had dropped were put back" : isNew ? warning : null;
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

/** The shim found another node than install's, which an upgrade took away: from now on it need not search. */
function replaceNode(stateDir: string): void {
  const file = join(stateDir, "env");
  const [node, ...rest] = readTextIfThere(file)?.split("\n") ?? [];
  if (node === undefined || existsSync(node)) return;
  writeFileAtomic(file, [process.execPath, ...rest].join("\n"), 0o600);
}
