import { relative } from "node:path";
import { UaError } from "../errors.js";
import { readHead } from "../git/head.js";
import { loadConfig } from "../repository/config.js";
import type { Project } from "../repository/locate.js";
import { type Explanation, explainRules, loadRules } from "../repository/rules.js";
import { openState } from "../store/state.js";
import { explainPath, type PathExplanation } from "./explanation.js";
import { readWorktree } from "./read.js";

export interface FileExplanation extends PathExplanation, Explanation {
  path: string;
  covered: boolean;
}

/** Everything there is to say about one file of a view, after the proof (invariant "reads verify first"). */
export async function explainFile(project: Project, absolute: string): Promise<FileExplanation> {
  const path = repositoryPath(project, absolute);
  await readWorktree(project);
  const config = await loadConfig(project.root);
  const rules = await loadRules(project.root, project.dataDir, config);
  const { commit } = await readHead(project.worktree.gitDir, project.commonDir);
  if (commit === null) throw new UaError("usage", "there is no commit yet");
  const db = await openState(project.stateDir);
  try {
    const story = await explainPath({ db, project, config, rules }, commit, path);
    const rule = await explainRules(path, project.root, project.dataDir, config);
    return { path, covered: rules.covers(path, story.inGraph), ...rule, ...story };
  } finally {
    db.close();
  }
}

function repositoryPath(project: Project, absolute: string): string {
  const path = relative(project.worktree.path, absolute);
  if (path === "" || path.startsWith("..")) {
    throw new UaError("usage", `${JSON.stringify(absolute)} is not a file of this worktree (${project.worktree.path})`);
  }
  return path;
}
