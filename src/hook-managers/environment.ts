import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { EVENTS, type Event } from "../git/hook-events.js";
import { git } from "../git/run.js";
import { linkInCheckout } from "../platform/change-files.js";
import type { Project } from "../repository/locate.js";

/** `core.hooksPath` of one scope, as written in the config. */
export interface HooksPath {
  scope: string;
  origin: string;
  value: string;
}

/** A key of git's config that keeps git from running our hook of an event. */
export interface HookSwitch {
  event: Event;
  /** `hook.ua-hooks-post-commit.enabled` */
  key: string;
  scope: string;
  origin: string;
}

/**
 * Where git's hooks folder is: `clone` is inside the git dir, `work-tree` in the checkout, `shared` is used by other
 * repositories too.
 */
type Owner = "clone" | "work-tree" | "shared";

/** The git version, config and folders that decide where hooks can be installed. */
export interface HookEnvironment {
  project: Project;
  /** The root of the worktree whose hook manager files are read. */
  top: string;
  gitVersion: readonly [number, number];
  /** Weakest first; the last one is used. */
  hooksPaths: readonly HooksPath[];
  /** What switches our config hooks off; empty where git has none. */
  switchedOff: readonly HookSwitch[];
  /** Where git looks for this worktree's hook files. */
  hooksDir: string;
  owner: Owner;
  /** The clone's own hooks folder, where our block is always installed. */
  nativeDir: string;
  /** False where `.git/hooks` is a link to a folder that is not the clone's own. */
  nativeIsOwn: boolean;
  /** husky's folder, even if core.hooksPath does not name it. */
  huskyDir: string | null;
  /**
   * Whether the program of a hook manager may be started: only for a command that the user runs, never in a hook
   * (invariant "a checkout runs no code").
   */
  mayRun: boolean;
}

/** Asks before a file is written that is tracked, or that other repositories use. */
export type Ask = (file: string, why: string) => Promise<boolean>;

export async function detectHookEnvironment(project: Project): Promise<HookEnvironment> {
  const [hooksPaths, gitVersion] = await Promise.all([hooksPathsOf(project), gitVersionOf(project.worktree.path)]);
  const switchedOff = runsConfigHooks({ gitVersion }) ? await switchesOf(project) : [];
  const { commonDir, worktree } = project;
  const value = hooksPaths.at(-1)?.value;
  // An empty value is not "unset": git appends the hook's name and uses the top of the work tree.
  const named = value === undefined ? join(commonDir, "hooks") : resolve(worktree.path, value === "" ? "." : value);
  // Through a link of the checkout the name is kept: whoever writes there is refused.
  const isLinked = linkInCheckout(named) !== null;
  const owner = isLinked ? "work-tree" : ownerOf(project, named);
  const hooksDir = owner === "clone" || isLinked ? named : realPath(named);
  const nativeDir = owner === "clone" ? hooksDir : join(commonDir, "hooks");
  return {
    project,
    top: project.mainPath ?? worktree.path,
    gitVersion,
    hooksPaths,
    switchedOff,
    hooksDir,
    owner,
    nativeDir,
    nativeIsOwn: ownerOf(project, nativeDir) === "clone",
    huskyDir: huskyDirOf(hooksDir, worktree.path),
    mayRun: true,
  };
}

/**
 * A global config can name a relative folder (`.githooks`): it is still this repository's folder. `.git/hooks` may be a link to a
 * tracked folder, or to one that other repositories use too: what counts is the folder that it leads to.
 */
function ownerOf({ commonDir, worktree, mainPath }: Project, named: string): Owner {
  const dir = realPath(named);
  const inside = (home: string) => dir === home || dir.startsWith(home + sep);
  if (inside(commonDir)) return "clone";
  return inside(worktree.path) || (mainPath !== null && inside(mainPath)) ? "work-tree" : "shared";
}

/** Of a folder that does not exist yet, where it will be. */
function realPath(dir: string): string {
  if (existsSync(dir)) return realpathSync(dir);
  return dir === dirname(dir) ? dir : join(realPath(dirname(dir)), basename(dir));
}

/** husky sets core.hooksPath to `.husky/_`; the hooks themselves are one folder up. */
function huskyDirOf(hooksDir: string, top: string): string | null {
  if (basename(hooksDir) === "_" && existsSync(join(hooksDir, "h"))) return dirname(hooksDir);
  const usual = join(top, ".husky");
  return existsSync(usual) ? usual : null;
}

/**
 * `--show-scope --show-origin -z` prints `local\0file:.git/config\0/path\0` for each value, the effective one last;
 * scope `command` is our own (git/run.ts disables hooks for our calls).
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

/**
 * `hook.<name>.enabled` is about one hook of the config, `hook.<event>.enabled` about all of an event (git-config(1)). With -z, git
 * prints `local\0file:.git/config\0hook.x.enabled\nfalse\0` for each value, the effective one last.
 */
async function switchesOf(project: Project): Promise<HookSwitch[]> {
  const keys = `^hook\\.(ua-hooks-)?(${EVENTS.join("|")})\\.enabled$`;
  const args = ["config", "--show-scope", "--show-origin", "-z", "--get-regexp", keys];
  const fields = (await git(project.worktree.path, args, { ok: [1] })).toString("utf8").split("\0");
  const found = new Map<string, HookSwitch>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope = "", origin = "", pair = ""] = fields.slice(at, at + 3);
    const [key = "", value = "true"] = pair.split("\n", 2); // a key alone is true
    const event = EVENTS.find((one) => key.endsWith(`${one}.enabled`));
    if (event !== undefined && /^(?:false|no|off|0*)$/i.test(value))
      found.set(key, { event, key, scope, origin: origin.replace(/^file:/, "") });
    else found.delete(key);
  }
  return [...found.values()];
}

/** The command that takes such a key back. */
export function unsetCommand({ key, scope, origin }: HookSwitch): string {
  return ["local", "global", "system", "worktree"].includes(scope)
    ? `git config --${scope} --unset-all ${key}`
    : `remove ${key} from ${origin}`;
}

/** `git version 2.39.5 (Apple Git-154)`. */
async function gitVersionOf(cwd: string): Promise<readonly [number, number]> {
  const output = (await git(cwd, ["version"])).toString("utf8");
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(output) ?? [];
  return [Number(major), Number(minor)];
}

/** git 2.54 added config hooks. */
export function runsConfigHooks({ gitVersion: [major, minor] }: Pick<HookEnvironment, "gitVersion">): boolean {
  return major > 2 || (major === 2 && minor >= 54);
}

/** Whether the file is in git's index, and so shared with everyone who clones. */
export async function isTracked(environment: HookEnvironment, file: string): Promise<boolean> {
  const cwd = dirname(existsSync(dirname(file)) ? file : environment.project.worktree.path);
  // 1: it has not; 128: the file is not in the work tree.
  const found = await git(cwd, ["ls-files", "--error-unmatch", "-z", "--", file], { ok: [1, 128] });
  return found.length > 0;
}
