import { agentsInstalled, agentsInUse } from "../agents/settings.js";
import { languageOf, type SourceLanguage } from "../fingerprint/languages.js";
import { readHead } from "../git/head.js";
import { listTree } from "../git/trees.js";
import { HOOK_MANAGERS } from "../hook-managers/choose.js";
import type { HookEnvironment } from "../hook-managers/environment.js";
import type { ManagerName } from "../hook-managers/manager.js";
import type { Project } from "../repository/locate.js";

/** What install found, shown so that the user can check it. */
export interface Findings {
  /** Files at HEAD, and their number per language; most first. */
  files: number;
  languages: { name: string; files: number }[];
  managers: ManagerName[];
  /** Agents in use that are not notified yet. */
  silentAgents: string[];
}

/** Always present; every other place is a hook manager that the project chose. */
const NO_MANAGER: readonly ManagerName[] = ["config", "native", "hooks-path"];

export function detectFindings(
  environment: HookEnvironment,
  files: number,
  languages: ReadonlyMap<SourceLanguage, number>,
): Findings {
  const { project } = environment;
  const managers = HOOK_MANAGERS.filter((place) => !NO_MANAGER.includes(place.name) && place.detect(environment));
  const notified = agentsInstalled(project).clients;
  return {
    files,
    languages: [...languages]
      .filter(([{ onlyInGraph }]) => onlyInGraph !== true)
      .map(([{ name }, count]) => ({ name, files: count }))
      .sort((a, b) => b.files - a.files || (a.name < b.name ? -1 : 1)),
    managers: managers.map(({ name }) => name),
    silentAgents: agentsInUse(project, process.env).filter((client) => !notified.includes(client)),
  };
}

export async function languagesAtHead(
  project: Project,
): Promise<{ files: number; languages: Map<SourceLanguage, number> }> {
  const { commit } = await readHead(project.worktree.gitDir, project.commonDir);
  const tree = commit === null ? [] : await listTree(project.worktree.path, commit);
  const languages = new Map<SourceLanguage, number>();
  for (const { path } of tree) {
    const language = languageOf(path);
    if (language !== undefined) languages.set(language, (languages.get(language) ?? 0) + 1);
  }
  return { files: tree.length, languages };
}

/** The grammars for HEAD's files, and for languages that occur in almost every repository. */
export function grammarsFor(languages: ReadonlyMap<SourceLanguage, number>): Set<string> {
  const found = [...languages.keys()].map(({ grammar }) => grammar);
  return new Set([...found.filter((name) => name !== ""), "typescript", "tsx", "javascript", "python"]);
}
