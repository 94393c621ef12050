import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import type { Marker } from "../../src/marker/marker.js";
import { readTextIfThere } from "../../src/store/files.js";
import { runCommand, runProgram } from "./commands.js";
import { type Beginning, copyInstalled, keep, newTempDir } from "./template.js";

/** The program under test, with fault points: import.meta.dirname is .build/program/dist in test builds (scripts/build.mjs). */
export const dist = import.meta.dirname;
/** The repository. Its own dist/ is what is published. */
export const root = join(dist, "../../..");
export const cli = join(dist, "cli.cjs");
/** What a run of the tests makes for itself; gone with the next build of them. */
const build = join(root, ".build");
/** Where beginnings are kept: on the file system that they are copied to (scripts/test.mjs). */
export const beginnings = process.env.UA_HOOKS_TEST_KEPT ?? build;

export interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

export interface Repo {
  dir: string;
  /** A folder of the test's own beside the repository: clones, worktrees, HOME. */
  base: string;
  env: NodeJS.ProcessEnv;
  /** Runs git; throws where it fails. Hooks run in the foreground unless `env` says otherwise. */
  git(...args: string[]): string;
  /** The same without throwing. */
  tryGit(...args: string[]): Result;
  /** ua-hooks, as built. */
  ua(...args: string[]): Result;
  /** ua-hooks with --json, parsed; throws where it fails. */
  uaJson<T = Record<string, unknown>>(...args: string[]): T;
  write(files: Record<string, string | Buffer>): void;
  read(path: string): string;
  has(path: string): boolean;
  /** Writes, adds everything, commits; returns the new commit. */
  commit(message: string, files?: Record<string, string | Buffer>): string;
  head(): string;
  marker(name?: string): Marker | null;
  /** The same repository seen from another folder (a worktree, a clone). */
  at(dir: string): Repo;
}

/** A temporary folder that goes when the test ends. */
export function tempDir(t: TestContext): string {
  const dir = newTempDir();
  t.after(() => rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
  return dir;
}

/** Nothing of the machine's own git config, hooks or agents reaches a test. */
export function cleanEnv(base: string, extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (!/^(GIT_|NODE_|npm_|UA_HOOKS|UNDERSTAND_|CI$|FORCE_COLOR|NO_COLOR)/.test(name)) env[name] = value;
  }
  return {
    ...env,
    // Which core is under test, while there are two (sync/switch.ts).
    ...(process.env.UA_HOOKS_CORE === undefined ? {} : { UA_HOOKS_CORE: process.env.UA_HOOKS_CORE }),
    HOME: base,
    XDG_CONFIG_HOME: join(base, ".config"),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: join(base, "gitconfig"),
    GIT_AUTHOR_NAME: "A",
    GIT_AUTHOR_EMAIL: "a@example.com",
    GIT_COMMITTER_NAME: "A",
    GIT_COMMITTER_EMAIL: "a@example.com",
    GIT_EDITOR: "true",
    NO_COLOR: "1",
    UA_HOOKS_FOREGROUND: "1",
    UA_HOOKS_AGENT_TIMEOUT: "20", // a loaded machine is no finding
    UA_HOOKS_CODE: join(build, "code"), // compiled once, not once a repository
    ...extra,
  };
}

const GIT_CONFIG = `[init]
	defaultBranch = main
[commit]
	gpgsign = false
[maintenance]
	auto = false
[core]
	fsync = none
[protocol "file"]
	allow = always
[advice]
	detachedHead = false
`;

export function makeRepo(t: TestContext, { init = true, args = [] as string[], name = "repo" } = {}): Repo {
  const repo = repoIn(tempDir(t), name);
  mkdirSync(repo.dir);
  if (init) repo.git("init", "-q", ...args);
  return repo;
}

function repoIn(base: string, name = "repo"): Repo {
  writeFileSync(join(base, "gitconfig"), GIT_CONFIG);
  return repoAt(join(base, name), base, cleanEnv(base));
}

/** `tryGit`: another way to run git there. */
export function repoAt(dir: string, base: string, env: NodeJS.ProcessEnv, tryGit?: Repo["tryGit"]): Repo {
  const repo: Repo = {
    dir,
    base,
    env,
    tryGit: tryGit ?? ((...args) => runProgram("git", args, { cwd: dir, env })),
    git: (...args) => {
      const { code, stdout, stderr } = repo.tryGit(...args);
      if (code !== 0) throw new Error(`git ${args.join(" ")} exited ${code}: ${stderr}${stdout}`);
      return stdout.trimEnd();
    },
    ua: (...args) => runCommand(args, { cwd: dir, env }),
    uaJson: <T>(...args: string[]) => {
      const { code, stdout, stderr } = repo.ua(...args, "--json");
      if (code !== 0) throw new Error(`ua-hooks ${args.join(" ")} exited ${code}: ${stderr}`);
      return JSON.parse(stdout) as T;
    },
    write: (files) => {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(dir, path)), { recursive: true });
        writeFileSync(join(dir, path), text);
      }
    },
    read: (path) => readFileSync(join(dir, path), "utf8"),
    has: (path) => existsSync(join(dir, path)),
    commit: (message, files = {}) => {
      repo.write(files);
      repo.git("add", "-A");
      repo.git("commit", "-q", "-m", message);
      return repo.head();
    },
    head: () => looseHead(dir) ?? repo.git("rev-parse", "HEAD"),
    marker: (name = "pending-update.json") => {
      const file = join(dir, ".understand-anything", name);
      return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Marker) : null;
    },
    at: (other) => repoAt(other, base, env),
  };
  return repo;
}

/** The commit that HEAD names, where git has both in files: asked after every commit, and a git less each time. */
function looseHead(dir: string): string | null {
  const head = readTextIfThere(join(dir, ".git/HEAD"))?.trimEnd() ?? "";
  const oid = head.startsWith("ref: ") ? readTextIfThere(join(dir, ".git", head.slice(5)))?.trimEnd() : head;
  return oid !== undefined && /^[0-9a-f]{40,64}$/.test(oid) ? oid : null;
}

/** Waits for a condition, never for a time; fails with what it waited for. */
export async function until(what: string, condition: () => boolean | Promise<boolean>, ms = 15_000): Promise<void> {
  const deadline = Date.now() + ms;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`gave up waiting: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A process that is waited for while others go on. */
export function start(
  command: string,
  args: string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; signal?: AbortSignal; killSignal?: NodeJS.Signals },
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? -1, stdout, stderr }));
  });
}

/** A small project: two TypeScript files of which one imports the other, and a Python file. */
export const SMALL_PROJECT: Record<string, string> = {
  "src/a.ts": `import { twice } from "./b.js";

/** Adds the double of one number to another. */
export function add(x: number, y: number): number {
  return twice(x) + y;
}
`,
  "src/b.ts": `export function twice(x: number): number {
  return x * 2;
}
`,
  "tools/run.py": `def run(argument):
    return argument
`,
};

/** The small project, or another one that many tests begin with, committed, with ua-hooks installed. */
export function installedRepo(t: TestContext, { name = "small", files = SMALL_PROJECT } = {}): Repo {
  const repo = repoIn(tempDir(t));
  copyInstalled(keep(beginnings, beginningWith(name, files)), repo);
  return repo;
}

const beginningWith = (name: string, files: Record<string, string>): Beginning => ({
  name: `${name}-${process.version}`, // some tests are run by another Node, and install writes down which
  place: "repo",
  make: (base) => {
    const repo = repoIn(base);
    mkdirSync(repo.dir);
    repo.git("init", "-q");
    repo.commit("start", files);
    return repo;
  },
});
