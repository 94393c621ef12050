import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../errors.js";
import { readTextIfThere } from "../store/files.js";
import { linkedWorktreePath, type Project, type Worktree } from "./locate.js";

/** Every worktree that is there: the main one (where there is one) and the linked ones. */
export function listWorktrees(project: Project): Worktree[] {
  const { commonDir, mainPath } = project;
  const worktrees: Worktree[] = [];
  if (mainPath !== null) worktrees.push({ id: ".", path: mainPath, gitDir: commonDir, linked: false });
  const dir = join(commonDir, "worktrees");
  for (const id of namesIn(dir)) {
    const worktree = linkedWorktree(id, join(dir, id));
    if (worktree !== null) worktrees.push(worktree);
  }
  return worktrees;
}

/** git removes the folder with the last worktree in it. */
function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).sort();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** null where git has no such worktree, or it was removed while we looked. */
function linkedWorktree(id: string, dir: string): Worktree | null {
  try {
    const path = existsSync(join(dir, "HEAD")) ? linkedWorktreePath(dir) : null;
    return path === null ? null : { id, path, gitDir: realpathSync(dir), linked: true };
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}

/** git's own rule (git-worktree(1), prune): a locked worktree may be on a drive that is not mounted now. */
export function isAway({ commonDir }: Pick<Project, "commonDir">, id: string): boolean {
  return existsSync(join(commonDir, "worktrees", id, "locked"));
}

/**
 * Worktree names are reused. What tells this one from an earlier one of that name is git's own file `commondir`, which
 * `worktree add` writes and nobody writes again. Nothing of ours is put there: where a file appears in the folder while
 * git's `worktree remove` empties it, that fails.
 */
export function worktreeToken(worktree: Worktree): string {
  if (!worktree.linked) return "main";
  const made = statSync(join(worktree.gitDir, "commondir"), { bigint: true, throwIfNoEntry: false });
  return made === undefined ? "" : `${made.ino}-${made.mtimeNs}`;
}

/** HEAD is on its way: no verdict is worth writing until it has arrived. `am` leaves `applying`, and is no rebase. */
export function isRebasing(worktree: Worktree): boolean {
  const merge = join(worktree.gitDir, "rebase-merge");
  if (existsSync(merge)) return !hasNothingToPick(merge);
  const apply = join(worktree.gitDir, "rebase-apply");
  return existsSync(apply) && !existsSync(join(apply, "applying"));
}

/**
 * A rebase that only fast-forwards, or whose commits are all there already, consists of the one instruction `noop`,
 * done before its post-checkout: HEAD has arrived then, and no post-rewrite will follow.
 */
function hasNothingToPick(merge: string): boolean {
  const instructions = [readTextIfThere(join(merge, "done")), readTextIfThere(join(merge, "git-rebase-todo"))];
  const lines = instructions.flatMap((text) => (text ?? "").split("\n"));
  return lines.filter((line) => line !== "" && !line.startsWith("#")).join() === "noop";
}
