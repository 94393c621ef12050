import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { UaError } from "../../errors.js";
import { locateProject, type Project, projectOf } from "../../repository/locate.js";
import { listWorktrees } from "../../repository/worktrees.js";

/**
 * The worktree of a call: the one that the server was started in, or another one of the same repository, by id or path.
 * One server often serves agents in several worktrees (invariant "verdicts belong to a worktree").
 */
export async function worktreeOf(cwd: string, wanted: string | undefined): Promise<Project> {
  const project = await locateProject({ cwd, env: process.env });
  if (wanted === undefined || wanted === project.worktree.id) return project;
  const path = resolve(cwd, wanted);
  const real = existsSync(path) ? realpathSync(path) : path;
  const worktree = listWorktrees(project).find((one) => one.id === wanted || one.path === real);
  if (worktree === undefined) {
    throw new UaError(
      "usage",
      `${JSON.stringify(wanted)} is not a worktree of this repository`,
      "use a path from `git worktree list`, or omit it for the one that the server runs in",
    );
  }
  return projectOf(worktree, project, process.env);
}
