import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { markerPath } from "../marker/marker.js";
import { removeFile } from "../platform/change-files.js";
import { type Project, projectOf, type Worktree } from "../repository/locate.js";
import { isAway, listWorktrees, worktreeToken } from "../repository/worktrees.js";
import { faultPoint } from "../store/fault.js";
import { isOrphan, removeTemporaries, stagingDir } from "../store/files.js";
import type { Db } from "../store/sqlite.js";
import { stampPath } from "./stamp.js";
import { allWorktreeRows, forgetScope, forgetWorktree } from "./worktree-rows.js";

/** Called with the lock held: removes leftovers of removed worktrees and killed writes. */
export function removeOrphans(db: Db, project: Project): void {
  const repository = mainWorktree(project);
  forgetRemoved(db, repository);
  removeTemporaries(join(repository.stateDir, "proofs"));
  removeTemporaries(stagingDir(repository.stateDir));
  removeTemporaries(repository.dataDir, (name) => OUR_TEMPORARIES.test(name));
  // These are also written without the lock.
  for (const dir of ["", "code/hook", "code/cli", "context", "parsing"])
    removeTemporaries(join(repository.stateDir, dir), isOrphan);
}

/** The main worktree's project, from any worktree. */
function mainWorktree(project: Project): Project {
  const { commonDir, mainPath } = project;
  return projectOf({ id: ".", path: mainPath ?? commonDir, gitDir: commonDir, linked: false }, project, {});
}

/** Other tools write into the data dir too: only names that we use. */
const OUR_TEMPORARIES = /^\.(pending-update.*|knowledge-graph|meta|fingerprints|config)\.json\.\d+\.tmp$/;

function forgetRemoved(db: Db, repository: Project): void {
  const there = new Map<string, Worktree>(listWorktrees(repository).map((worktree) => [worktree.id, worktree]));
  for (const row of allWorktreeRows(db)) {
    const worktree = there.get(row.id);
    if (worktree !== undefined && worktreeToken(worktree) === row.token) continue;
    if (row.id === "." ? repository.mainPath !== null : isAway(repository, row.id)) continue;
    forgetFiles(repository, row.id, row.scope);
    faultPoint("view.forget");
    db.write(() => {
      forgetWorktree(db, row.id);
      if (row.scope !== ".") forgetScope(db, row.scope);
    });
  }
  // A freshness stamp without a row: the database was lost, and the worktree was removed before it was verified again.
  for (const id of stampedIds(repository.stateDir)) {
    if (!there.has(id) && !isAway(repository, id)) forgetFiles(repository, id, ".");
  }
}

/** Files first, row last: as long as there is a row, the next run finishes. */
function forgetFiles(repository: Project, id: string, scope: string): void {
  const ghost: Worktree = { id, path: "", gitDir: repository.commonDir, linked: id !== "." };
  const project: Project = { ...repository, worktree: ghost, scope };
  if (scope === ".") removeFile(markerPath(project));
  else rmSync(join(repository.stateDir, "data", scope), { recursive: true, force: true });
  rmSync(stampPath(project), { force: true });
}

function stampedIds(stateDir: string): string[] {
  const dir = join(stateDir, "proofs");
  const names = existsSync(dir) ? readdirSync(dir) : [];
  return names.flatMap((name) => /^linked\.(.+)$/.exec(name)?.[1] ?? []);
}
