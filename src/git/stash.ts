import { git } from "./run.js";

/**
 * Whether a stash holds files below one of these paths that were untracked or ignored (`git stash --all`). Such files are the
 * tree of the stash commit's third parent (git-stash(1)). Where they exist again, `git stash pop` fails.
 */
export async function isStashed(cwd: string, paths: readonly string[]): Promise<boolean> {
  const args = ["log", "--walk-reflogs", "--format=%P", "refs/stash", "--"];
  const stashes = (await git(cwd, args, { ok: [128] })).toString("latin1").split("\n");
  for (const parents of stashes) {
    const untracked = parents.split(" ")[2];
    if (untracked === undefined) continue;
    const found = await git(cwd, ["ls-tree", "--full-tree", "--name-only", "-z", untracked, "--", ...paths]);
    if (found.length > 0) return true;
  }
  return false;
}
