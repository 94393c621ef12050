import { relative } from "node:path";
import { UaError } from "../errors.js";
import { readHead } from "../git/head.js";
import { loadConfig } from "../repository/config.js";
import type { Project } from "../repository/locate.js";
import { type Explanation, explainRules, loadRules } from "../repository/rules.js";
import { openState } from "../store/state.js";
import { type Story, storyOf } from "./explanation.js";
import { readView } from "./read.js";

export interface FileStory extends Story, Explanation {
  path: string;
  covered: boolean;
}

/** Everything there is to say about one file of a view, after the proof (law 3). */
export async function fileStory(project: Project, absolute: string): Promise<FileStory> {
  const path = repositoryPath(project, absolute);
  await readView(project);
  const config = await loadConfig(project.root);
  const rules = await loadRules(project.root, project.dataDir, config);
  const { commit } = await readHead(project.view.gitDir, project.commonDir);
  if (commit === null) throw new UaError("usage", "there is no commit yet");
  const db = await openState(project.stateDir);
  try {
    const story = await storyOf({ db, project, config, rules }, commit, path);
    const rule = await explainRules(path, project.root, project.dataDir, config);
    return { path, covered: rules.covers(path, story.inGraph), ...rule, ...story };
  } finally {
    db.close();
  }
}

function repositoryPath(project: Project, absolute: string): string {
  const path = relative(project.view.path, absolute);
  if (path === "" || path.startsWith("..")) {
    throw new UaError("usage", `${JSON.stringify(absolute)} is not a file of this worktree (${project.view.path})`);
  }
  return path;
}
