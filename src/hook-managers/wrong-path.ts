import { existsSync, readdirSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { readBytes } from "../store/files.js";
import type { HookEnvironment } from "./environment.js";
import { isOursAlone, isRunnable } from "./hook-file.js";

/** What is wrong with `core.hooksPath`, and the command that mends it. */
export interface WrongPath {
  what: string;
  command: string;
  /** git runs no hook at all: the folder is not there. */
  isMissing: boolean;
}

/** As install, status, doctor and the agents' message say it. */
export const wrongPathSentence = ({ what, command }: WrongPath): string => `${what}: run \`${command}\``;

/**
 * husky's folder `.husky/_` is not tracked, so a new worktree has none until husky runs there. Agents that create worktrees write an absolute
 * path into the clone's or the worktree's config: of the main worktree, of `.husky` itself, or of a folder that does not exist.
 */
export function wrongHooksPath(environment: HookEnvironment): WrongPath | null {
  const { hooksPaths, hooksDir, huskyDir } = environment;
  const named = hooksPaths.at(-1);
  if (named === undefined || (named.scope !== "local" && named.scope !== "worktree")) return null;
  const { value, scope } = named;
  const setting = `core.hooksPath = ${value} (${scope})`;
  if (existsSync(hooksDir)) {
    const off = huskyDir === null || isHuskysFolder(hooksDir) ? [] : hooksIn(huskyDir).filter(isOffIn(hooksDir));
    if (off.length === 0) return null;
    const what = `${setting} is not husky's folder, so the project's own hooks are off (${off.join(", ")})`;
    return { what, command: mendWithHusky(environment, named), isMissing: false };
  }
  const isHuskys = isHuskysFolder(hooksDir);
  if (!isHuskys && !isAbsolute(value)) return null; // install creates it: git looks there in this worktree
  const meant = isHuskys ? ".husky/_" : endIn(environment, value);
  const own = isHuskys ? huskyDir : meant === null ? null : join(environment.project.worktree.path, meant);
  const off = own === null ? [] : hooksIn(own);
  const also = off.length === 0 ? "" : `, nor the project's own (${off.join(", ")})`;
  const why = isHuskys && !isAbsolute(value) ? "is not in this worktree, where husky has not run" : "does not exist";
  const command = isHuskys
    ? mendWithHusky(environment, named)
    : `git config --${scope} ${meant === null ? "--unset core.hooksPath" : `core.hooksPath ${meant}`}`;
  return { what: `${setting} ${why}: git runs none of our hooks here${also}`, command, isMissing: true };
}

const isHuskysFolder = (dir: string) => /[\\/]\.husky[\\/]_$/.test(dir);

/** husky sets a relative path in the clone's config; one in the worktree's own precedes it. */
function mendWithHusky({ project }: HookEnvironment, { value, scope }: { value: string; scope: string }): string {
  const isThere = existsSync(join(project.worktree.path, ".husky", "_", "h"));
  return isThere || (scope === "worktree" && isAbsolute(value))
    ? `git config --${scope} core.hooksPath .husky/_`
    : "npx husky";
}

/** The end of a path that names a folder of this worktree; null if none does, or if it is git's own. */
function endIn({ project }: HookEnvironment, value: string): string | null {
  const names = value.split(/[\\/]/).filter((name) => name !== "");
  for (let from = 0; from < names.length; from++) {
    const end = names.slice(from).join("/");
    if (existsSync(join(project.worktree.path, end))) return /^(?!\.git\/)[\w.][\w./-]*$/.test(end) ? end : null;
  }
  return null;
}

/** The project's hooks in a folder: neither ours nor what a hook manager keeps beside them. */
function hooksIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => /^[a-z]+(-[a-z]+)+$/.test(name));
  return names.filter((name) => !isOursAlone(readBytes(join(folder, name)))).sort();
}

const isOffIn = (dir: string) => (name: string) => !isRunnable(join(dir, name));
