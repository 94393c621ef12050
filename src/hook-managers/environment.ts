import { existsSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { git } from "../git/run.js";
import type { Project } from "../repository/locate.js";

/** `core.hooksPath` of one scope, as the user wrote it. */
export interface HooksPath {
  scope: string;
  origin: string;
  value: string;
}

/**
 * Whose folder git takes hooks from: `clone` is inside the git dir, `work-tree` comes with the code, `shared` serves other
 * repositories too.
 */
type Owner = "clone" | "work-tree" | "shared";

/** What there is to know about the house before a guest moves in. */
export interface HookEnvironment {
  project: Project;
  /** The worktree's root that managers' own files are looked for in. */
  top: string;
  gitVersion: readonly [number, number];
  /** Weakest first; the last one counts. */
  hooksPaths: readonly HooksPath[];
  /** Where git looks for this worktree's hook files. */
  hooksDir: string;
  owner: Owner;
  /** Where our block goes in any case: the clone's own folder. */
  nativeDir: string;
  /** husky's folder, whether or not git is sent there. */
  huskyDir: string | null;
  /** Whether a manager's own program may be started: where somebody typed a command, never in a hook (invariant "a checkout runs no code"). */
  mayRun: boolean;
}

/** Asks before a file is written that others get too, or that they share with other repositories. */
export type Ask = (file: string, why: string) => Promise<boolean>;

export async function detectHookEnvironment(project: Project): Promise<HookEnvironment> {
  const [hooksPaths, gitVersion] = await Promise.all([hooksPathsOf(project), gitVersionOf(project.worktree.path)]);
  const { commonDir, worktree } = project;
  const value = hooksPaths.at(-1)?.value;
  // An empty value is no "unset": git joins it with the hook's name and ends at the top of the work tree.
  const hooksDir = value === undefined ? join(commonDir, "hooks") : resolve(worktree.path, value === "" ? "." : value);
  const owner = ownerOf(project, hooksDir);
  return {
    project,
    top: project.mainPath ?? worktree.path,
    gitVersion,
    hooksPaths,
    hooksDir,
    owner,
    nativeDir: owner === "clone" ? hooksDir : join(commonDir, "hooks"),
    huskyDir: huskyDirOf(hooksDir, worktree.path),
    mayRun: true,
  };
}

/** One that a global config sends into each repository's own folder (`.githooks`) is still this repository's folder. */
function ownerOf({ commonDir, worktree, mainPath }: Project, dir: string): Owner {
  const inside = (home: string) => dir === home || dir.startsWith(home + sep);
  if (inside(commonDir)) return "clone";
  return inside(worktree.path) || (mainPath !== null && inside(mainPath)) ? "work-tree" : "shared";
}

/** `.husky/_` is what husky sends git to; the hooks themselves are one folder up. */
function huskyDirOf(hooksDir: string, top: string): string | null {
  if (basename(hooksDir) === "_" && existsSync(join(hooksDir, "h"))) return dirname(hooksDir);
  const usual = join(top, ".husky");
  return existsSync(usual) ? usual : null;
}

/**
 * `--show-scope --show-origin -z` prints `local\0file:.git/config\0/path\0` a value, the winning one last; scope `command`
 * is our own (git/run.ts hides all hooks from our calls).
 */
async function hooksPathsOf(project: Project): Promise<HooksPath[]> {
  const args = ["config", "--show-scope", "--show-origin", "-z", "--type=path", "--get-all", "core.hooksPath"];
  const fields = (await git(project.worktree.path, args, { ok: [1] })).toString("utf8").split("\0");
  const found: HooksPath[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope = "", origin = "", value = ""] = fields.slice(at, at + 3);
    if (scope !== "command") found.push({ scope, origin: origin.replace(/^file:/, ""), value });
  }
  return found;
}

/** `git version 2.39.5 (Apple Git-154)`. */
async function gitVersionOf(cwd: string): Promise<readonly [number, number]> {
  const said = (await git(cwd, ["version"])).toString("utf8");
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(said) ?? [];
  return [Number(major), Number(minor)];
}

/** Config hooks came with git 2.54. */
export function runsConfigHooks({ gitVersion: [major, minor] }: Pick<HookEnvironment, "gitVersion">): boolean {
  return major > 2 || (major === 2 && minor >= 54);
}

/** Whether git has the file in its index: then it is everybody's. */
export async function isTracked(environment: HookEnvironment, file: string): Promise<boolean> {
  const cwd = dirname(existsSync(dirname(file)) ? file : environment.project.worktree.path);
  // 1: it has not; 128: the file is not in the work tree.
  const found = await git(cwd, ["ls-files", "--error-unmatch", "-z", "--", file], { ok: [1, 128] });
  return found.length > 0;
}
