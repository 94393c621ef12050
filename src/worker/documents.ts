import { Documents } from "../citations/read.js";
import type { Context } from "../repository/context.js";
import { projectOf } from "../repository/locate.js";
import { isRebasing, listWorktrees } from "../repository/worktrees.js";
import { logFailure } from "../store/log.js";

/** Brings the index of every worktree to its HEAD: the only place of the hooks that blames. Cost by what changed since. */
export async function refreshDocuments(context: Context): Promise<void> {
  const { project: repository } = context;
  for (const worktree of listWorktrees(repository)) {
    if (isRebasing(worktree)) continue; // its end starts a worker
    try {
      const own = context.forWorktree(projectOf(worktree, repository, {}));
      await (await Documents.open(await own.load(), { isKept: true })).refresh();
    } catch (error) {
      logFailure(repository.stateDir, error); // removed meanwhile, or a config that cannot be read
    }
  }
}
