import { existsSync } from "node:fs";
import { relative } from "node:path";
import { UaError } from "../errors.js";
import { readHead } from "../git/head.js";
import type { Context } from "../repository/context.js";
import type { Project } from "../repository/locate.js";
import { type Explanation, explainRules } from "../repository/rules.js";
import { explainPath, type PathExplanation } from "./explanation.js";
import { readWorktree } from "./read.js";

export interface FileExplanation extends PathExplanation, Explanation {
  path: string;
  covered: boolean;
}

/** Explains one file of a worktree, or one symbol of it, after a verification (invariant "reads verify first"). */
export async function explainFile(context: Context, absolute: string, name?: string): Promise<FileExplanation> {
  const { project } = context;
  const path = repositoryPath(project, absolute);
  await readWorktree(context);
  const { commit } = await readHead(project.worktree.gitDir, project.commonDir);
  if (commit === null) throw new UaError("usage", "there is no commit yet");
  const loaded = await context.load();
  const found = await explainPath(loaded, commit, { path, ...(name === undefined ? {} : { name }) });
  if (found.headOid === null && found.analysedOid === null && found.drift === "none" && !existsSync(absolute))
    throw new UaError("usage", `there is no file ${path}, and none is described under this name`);
  const rule = await explainRules(path, project.root, project.dataDir, loaded.config);
  return { path, covered: loaded.rules.covers(path, found.inGraph), ...rule, ...found };
}

export function repositoryPath(project: Project, absolute: string): string {
  const path = relative(project.worktree.path, absolute);
  if (path === "" || path.startsWith("..")) {
    throw new UaError("usage", `${JSON.stringify(absolute)} is not in this worktree (${project.worktree.path})`);
  }
  return path;
}
