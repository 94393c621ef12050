import { lstatSync } from "node:fs";
import { UaError } from "../errors.js";
import { stateDb } from "../store/files.js";
import { locateProject, type Project } from "./locate.js";

/** Also where the database is a link that leads nowhere: it is damaged then, and not missing. */
export function isSetUp({ stateDir }: Pick<Project, "stateDir">): boolean {
  return lstatSync(stateDb(stateDir), { throwIfNoEntry: false }) !== undefined;
}

/** For everything that needs the state: commands, and tools of an agent. */
export function requireSetUp(project: Project): void {
  if (isSetUp(project)) return;
  throw new UaError("not-set-up", "ua-hooks is not installed in this repository", "run `ua-hooks install`");
}

/** The first step of almost every command. */
export async function projectAt(cwd: string): Promise<Project> {
  const project = await locateProject({ cwd, env: process.env });
  requireSetUp(project);
  return project;
}
