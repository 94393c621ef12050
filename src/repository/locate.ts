import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { errnoOf, UaError } from "../errors.js";
import { gitLineSync } from "../git/run.js";
import { MOST_TEXT_BYTES, readTextIfThere } from "../store/files.js";
import { requireAccepted } from "./owner.js";

/** One worktree. The main worktree's id is `.`, a linked one's is its name in .git/worktrees. */
export interface Worktree {
  id: string;
  path: string;
  gitDir: string;
  linked: boolean;
}

/** Repository and worktree. All paths are absolute and resolved. */
export interface Project {
  /** The folder of config, ignore files and data dir: the main worktree's root; null in a bare repository. */
  root: string | null;
  /** The main worktree; null in a bare repository. */
  mainPath: string | null;
  worktree: Worktree;
  /** Whose graph this is: `.`, or the id of a worktree with its own data. */
  scope: string;
  commonDir: string;
  stateDir: string;
  /** Decided anew by a verification, which may move one of two folders away (verification/data-dir.ts). */
  dataDir: string;
}

export interface LocateOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** A worktree that was installed with UNDERSTAND_NO_WORKTREE_REDIRECT=1 stores that in its git dir. */
export const NO_REDIRECT_PIN = "ua-hooks-no-redirect";
const STATE_DIR = "ua-hooks";

export async function locateProject(surroundings: LocateOptions): Promise<Project> {
  return locateProjectSync(surroundings);
}

/** Only reads files, except for the rare repository whose config git has to read. */
export function locateProjectSync({ cwd, env }: LocateOptions): Project {
  const found = findGitDir(cwd, env);
  const commonDir = followCommonDir(found.gitDir);
  const stateDir = join(commonDir, STATE_DIR);
  requireAccepted({ ...found, commonDir, stateDir });
  const worktree = worktreeAt(found, commonDir, stateDir);
  const mainPath = worktree.linked ? mainRoot(commonDir, stateDir) : worktree.path;
  return projectOf(worktree, { commonDir, stateDir, mainPath }, env);
}

/** The same repository, for one of its worktrees. */
export function projectOf(
  worktree: Worktree,
  { commonDir, stateDir, mainPath }: Pick<Project, "commonDir" | "stateDir" | "mainPath">,
  env: NodeJS.ProcessEnv,
): Project {
  const own = worktree.linked && keepsOwnData(worktree, env);
  const root = own ? worktree.path : mainPath;
  const dataDir = root === null ? join(stateDir, "data") : dataDirOf(root);
  return { root, mainPath, worktree, scope: own ? worktree.id : ".", commonDir, stateDir, dataDir };
}

/** Understand-Anything's names of the data dir. */
export const LONG_NAME = ".understand-anything";
export const SHORT_NAME = ".ua";

/** `.ua/` only if there is no `.understand-anything/`, as in Understand-Anything. */
export function dataDirOf(root: string): string {
  const long = join(root, LONG_NAME);
  const short = join(root, SHORT_NAME);
  return !existsSync(long) && existsSync(short) ? short : long;
}

function keepsOwnData(worktree: Worktree, env: NodeJS.ProcessEnv): boolean {
  return env.UNDERSTAND_NO_WORKTREE_REDIRECT === "1" || existsSync(join(worktree.gitDir, NO_REDIRECT_PIN));
}

interface FoundRepository {
  gitDir: string;
  /** The directory that contains `.git`, if there is one at or above cwd. */
  top: string | null;
}

/** GIT_DIR if a hook or caller set it (relative to cwd), else the first `.git` or bare repository at or above cwd. */
function findGitDir(cwd: string, env: NodeJS.ProcessEnv): FoundRepository {
  const start = realpathOf(cwd);
  const above = findAbove(start);
  if (env.GIT_DIR !== undefined && env.GIT_DIR !== "") {
    const gitDir = followGitFile(resolve(start, env.GIT_DIR));
    if (gitDir === null) throw notARepository(cwd, `GIT_DIR is ${env.GIT_DIR}, which is not a git dir`);
    if (above?.gitDir === gitDir) return above;
    const named = env.GIT_WORK_TREE ? findAbove(resolve(start, env.GIT_WORK_TREE)) : null;
    return named?.gitDir === gitDir ? named : { gitDir, top: null };
  }
  if (above === null) throw notARepository(cwd);
  if (above.top === null && isPlanted(above.gitDir)) {
    throw notARepository(cwd, `${above.gitDir} is inside another repository, whose checkout may have created it`);
  }
  return above;
}

/** A server keeps the folder that it was started in, which may be moved or removed since. */
function realpathOf(cwd: string): string {
  try {
    return realpathSync(cwd);
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") throw notARepository(cwd, "the folder is gone");
    throw error;
  }
}

/**
 * A folder that looks like a git dir can be part of a checkout, with any config and state (git-config(1),
 * safe.bareRepository). Only below a `.git` it cannot: git checks out nothing of that name.
 */
function isPlanted(gitDir: string): boolean {
  if (gitDir.split(sep).includes(".git")) return false;
  const around = findAbove(dirname(gitDir));
  return around?.top != null && followCommonDir(around.gitDir) !== followCommonDir(gitDir);
}

function findAbove(start: string): FoundRepository | null {
  for (let dir = start; ; dir = dirname(dir)) {
    const gitDir = followGitFile(join(dir, ".git"));
    if (gitDir !== null) return { gitDir, top: dir };
    if (isGitDir(dir)) return { gitDir: dir, top: null };
    if (dir === dirname(dir)) return null;
  }
}

function notARepository(cwd: string, why = "no .git here or in a parent folder"): UaError {
  return new UaError(
    "not-a-repository",
    `${cwd} is not in a git repository (${why})`,
    "change to a folder of a repository, or run `git init` first",
  );
}

/** Some are read before it is known whose repository this is: a pipe, a device or gigabytes of another user's must not stop us. */
function readGitFile(file: string): string | null {
  return readTextIfThere(file, MOST_TEXT_BYTES);
}

/** The git dir itself, or the one that a `.git` file names: `gitdir: <path>`, relative to the file. */
function followGitFile(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return isGitDir(path) ? realpathSync(path) : null;
  if (!stat?.isFile()) return null;
  const target = /^gitdir: (.+?)\r?\n*$/s.exec(readGitFile(path) ?? "")?.[1];
  if (target === undefined) return null;
  const dir = resolve(dirname(path), target);
  return isGitDir(dir) ? realpathSync(dir) : null;
}

/** The same test as in git: HEAD, and objects and refs here or in the common dir. */
function isGitDir(dir: string): boolean {
  if (!existsSync(join(dir, "HEAD"))) return false;
  return existsSync(join(dir, "commondir")) || (existsSync(join(dir, "objects")) && existsSync(join(dir, "refs")));
}

/** A linked worktree's git dir names the common one in the file `commondir`, relative to itself. */
export function followCommonDir(gitDir: string): string {
  const named = readGitFile(join(gitDir, "commondir"));
  return named === null ? gitDir : realpathSync(resolve(gitDir, named.trimEnd()));
}

function worktreeAt(found: FoundRepository, commonDir: string, stateDir: string): Worktree {
  const { gitDir } = found;
  if (gitDir !== commonDir) {
    const path = found.top ?? linkedWorktreePath(gitDir);
    if (path === null) throw notARepository(gitDir, "its worktree is gone");
    return { id: basename(gitDir), path, gitDir, linked: true };
  }
  // From inside a git dir, find the work tree as from a linked worktree; a separate git dir only has our record.
  const path = found.top ?? mainRoot(commonDir, stateDir);
  if (path === null || isBare(commonDir)) {
    throw new UaError(
      "not-a-repository",
      `${commonDir} is a bare repository: it has no worktree here to verify`,
      "run it in one of the repository's worktrees (git worktree list)",
    );
  }
  // Every git process of ours runs in it, without GIT_DIR.
  if (found.top === null && findAbove(path)?.gitDir !== gitDir) {
    throw notARepository(path, `${gitDir} names it as its work tree, but no .git in it leads back`);
  }
  return { id: ".", path, gitDir, linked: false };
}

/** `<git dir>/gitdir` contains the path of the worktree's `.git` file. null if the worktree is gone. */
export function linkedWorktreePath(gitDir: string): string | null {
  const named = readGitFile(join(gitDir, "gitdir"));
  if (named === null) return null;
  const path = dirname(resolve(gitDir, named.trimEnd()));
  return existsSync(path) ? realpathSync(path) : null;
}

/**
 * The main worktree's root, from a linked worktree. `dirname(common dir)` alone is wrong for submodules (.git/modules),
 * separate git dirs and bare repositories, so: git's config, then the path that install recorded, then the convention.
 * null: there is no main worktree.
 */
export function mainRoot(commonDir: string, stateDir: string): string | null {
  if (isBare(commonDir)) return null;
  return configuredWorktree(commonDir) ?? recordedRoot(stateDir) ?? conventionalRoot(commonDir);
}

/** The main root, recorded by install, relative to the state dir: only a separate git dir needs it. */
export const ROOT_FILE = "root";

function recordedRoot(stateDir: string): string | null {
  const named = readGitFile(join(stateDir, ROOT_FILE));
  if (named === null) return null;
  const root = resolve(stateDir, named.trimEnd());
  return existsSync(join(root, ".git")) ? realpathSync(root) : null;
}

function conventionalRoot(commonDir: string): string | null {
  return basename(commonDir) === ".git" ? dirname(commonDir) : null;
}

/** Submodules have core.worktree, relative to the git dir; with extensions.worktreeConfig it is in config.worktree. */
function configuredWorktree(commonDir: string): string | null {
  for (const name of ["config.worktree", "config"]) {
    const value = configValue(join(commonDir, name), "core.worktree", /^\s*worktree\s*=/im);
    if (value === null) continue;
    const root = resolve(commonDir, value);
    if (existsSync(root)) return realpathSync(root);
  }
  return null;
}

function isBare(commonDir: string): boolean {
  for (const name of ["config.worktree", "config"]) {
    const value = configValue(join(commonDir, name), "core.bare", /^\s*bare\s*=[ \t]*(?![ \t]|false\b)/im);
    if (value !== null) return value === "true";
  }
  return false;
}

/** Runs git only if the file mentions the key: most do not, and a process takes 9 ms. */
function configValue(file: string, key: string, mention: RegExp): string | null {
  if (!mention.test(readGitFile(file) ?? "")) return null;
  const type = key === "core.bare" ? ["--type=bool"] : [];
  try {
    const value = gitLineSync(dirname(file), ["config", "--file", file, ...type, "--get", key]);
    return value === "" ? null : value;
  } catch {
    return null; // only mentioned in a comment or another section
  }
}
