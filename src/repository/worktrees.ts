import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../errors.js";
import { isInside } from "../platform/program-path.js";
import { readTextIfThere } from "../store/files.js";
import { linkedWorktreePath, type Project, type Worktree } from "./locate.js";

/** All existing worktrees: the main one (if there is one) and the linked ones. */
export function listWorktrees({ commonDir, mainPath }: Pick<Project, "commonDir" | "mainPath">): Worktree[] {
  const worktrees: Worktree[] = [];
  if (mainPath !== null) worktrees.push({ id: ".", path: mainPath, gitDir: commonDir, linked: false });
  const dir = join(commonDir, "worktrees");
  for (const id of namesIn(dir)) {
    const worktree = linkedWorktree(id, join(dir, id));
    if (worktree !== null) worktrees.push(worktree);
  }
  return worktrees;
}

/** Whether a checkout in any worktree of the clone can replace this file. In the git dir it cannot. */
export function isInWorktree(project: Pick<Project, "commonDir" | "mainPath">, path: string): boolean {
  const tops = listWorktrees(project).map((worktree) => worktree.path);
  return isInside(path, tops) && !isInside(path, [project.commonDir]);
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

/** null if git has no such worktree, or it was removed meanwhile. */
function linkedWorktree(id: string, dir: string): Worktree | null {
  try {
    const path = existsSync(join(dir, "HEAD")) ? linkedWorktreePath(dir) : null;
    return path === null ? null : { id, path, gitDir: realpathSync(dir), linked: true };
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw error;
  }
}

/** The same rule as in git (git-worktree(1), prune): a locked worktree may be on a drive that is not mounted. */
export function isAway({ commonDir }: Pick<Project, "commonDir">, id: string): boolean {
  return existsSync(join(commonDir, "worktrees", id, "locked"));
}

/**
 * Worktree names are reused. git's own file `commondir`, which `worktree add` writes once, identifies this worktree. We
 * add no file of our own: `git worktree remove` fails if a file appears while it empties the folder.
 */
export function worktreeToken(worktree: Worktree): string {
  if (!worktree.linked) return "main";
  const made = statSync(join(worktree.gitDir, "commondir"), { bigint: true, throwIfNoEntry: false });
  return made === undefined ? "" : `${made.ino}-${made.mtimeNs}`;
}

/** HEAD is still moving: a verdict would be outdated at once. `am` creates `applying`, and is no rebase. */
export function isRebasing(worktree: Worktree): boolean {
  const merge = join(worktree.gitDir, "rebase-merge");
  if (existsSync(merge)) return !hasNothingToPick(merge);
  const apply = join(worktree.gitDir, "rebase-apply");
  return existsSync(apply) && !existsSync(join(apply, "applying"));
}

/**
 * A rebase that only fast-forwards, or has no commits to pick, consists of the one instruction `noop`, done before its
 * post-checkout: HEAD is final then, and no post-rewrite follows.
 */
function hasNothingToPick(merge: string): boolean {
  const instructions = [readTextIfThere(join(merge, "done")), readTextIfThere(join(merge, "git-rebase-todo"))];
  const lines = instructions.flatMap((text) => (text ?? "").split("\n"));
  return lines.filter((line) => line !== "" && !line.startsWith("#")).join() === "noop";
}
