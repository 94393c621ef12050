import { UaError } from "../errors.js";
import { programPath } from "../platform/program-path.js";

/**
 * What `git rev-parse --local-env-vars` lists (2.39 to 2.55). A hook inherits some of them; with GIT_DIR set,
 * `git -C elsewhere` still answers for the hook's repository, so none may reach a git call of ours.
 */
const LOCAL_ENV = [
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_CONFIG",
  "GIT_CONFIG_COUNT",
  "GIT_CONFIG_PARAMETERS",
  "GIT_DIR",
  "GIT_GRAFT_FILE",
  "GIT_IMPLICIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_INTERNAL_SUPER_PREFIX",
  "GIT_NAMESPACE",
  "GIT_NO_REPLACE_OBJECTS",
  "GIT_OBJECT_DIRECTORY",
  "GIT_PREFIX",
  "GIT_REFERENCE_BACKEND",
  "GIT_REPLACE_REF_BASE",
  "GIT_SHALLOW_FILE",
  "GIT_WORK_TREE",
];

/** Not repository-local, but they change what git prints or which program it starts. */
const STEERING_ENV = [
  ...["GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS"],
  ...["GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"],
];

const QUIET_ENV = {
  GIT_OPTIONAL_LOCKS: "0", // a plain `git status` takes index.lock, which would break the user's next command
  GIT_NO_LAZY_FETCH: "1", // a partial clone must not use the network from a hook
  GIT_ALLOW_PROTOCOL: "none", // git before 2.39.4 ignores the line above: no protocol is allowed
  GIT_TERMINAL_PROMPT: "0",
  LC_ALL: "C", // some messages are matched
};

/** fsmonitor, hooks and gpg are programs named by config: our calls run none of them. */
const QUIET_CONFIG = [
  ...["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"],
  ...["-c", "log.showSignature=false", "--no-pager"], // gpg.program
];

/** `cwd`: where git will run; no folder of PATH below it is searched for git, nor by git for its helpers. */
export function gitEnv(cwd?: string): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, ...QUIET_ENV };
  if (cwd !== undefined) env.PATH = programPath(cwd);
  for (const name of [...LOCAL_ENV, ...STEERING_ENV]) delete env[name];
  return env;
}

/** For other programs: their git calls must not use the repository of the hook that started us. */
export function withoutGitEnv(): Record<string, undefined> {
  return Object.fromEntries([...LOCAL_ENV, ...STEERING_ENV].map((name) => [name, undefined]));
}

export class GitError extends UaError {
  readonly args: readonly string[];
  readonly stderr: string;

  constructor(args: readonly string[], status: string, stderr: string) {
    const firstLine = stderr.trim().split("\n")[0] ?? "";
    const command = args.find((arg) => !arg.startsWith("-")) ?? "";
    super("git", `git ${command} failed (${status})${firstLine === "" ? "" : `: ${firstLine}`}`);
    this.args = args;
    this.stderr = stderr;
  }
}

/** git did not answer before the time-out, and was stopped. */
export class GitTimeoutError extends GitError {}

interface GitOptions {
  input?: string;
  /** Exit codes that are results; every other one throws. */
  ok?: readonly number[];
  /** Gets the output in chunks, and nothing is kept. */
  each?: (chunk: Buffer) => void;
  timeoutMs?: number;
}

/** Runs git asynchronously, so that Node loads modules while git works, and without a shell. */
export async function git(cwd: string, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  const { spawn } = await import("node:child_process"); // 3 ms that a stamp check does not need
  return new Promise((resolve, reject) => {
    const child = spawn("git", [...QUIET_CONFIG, ...args], {
      cwd,
      env: gitEnv(cwd),
      stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      timeout: options.timeoutMs,
      killSignal: "SIGKILL",
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on("data", options.each ?? ((chunk: Buffer) => out.push(chunk)));
    child.stderr?.on("data", (chunk: Buffer) => err.push(chunk));
    child.on("error", (error) => reject(new UaError("git", `git could not be started: ${error.message}`)));
    child.on("close", (code, signal) => {
      if (code === 0 || (code !== null && options.ok?.includes(code))) resolve(Buffer.concat(out));
      else if (child.killed) reject(new GitTimeoutError(args, "no answer in time", ""));
      else reject(new GitError(args, signal ?? String(code), Buffer.concat(err).toString("utf8")));
    });
    // git may exit before it has read everything; its exit code is the error, not EPIPE.
    child.stdin?.on("error", () => {});
    child.stdin?.end(options.input);
  });
}

/** Synchronous, for the public API and for questions that are asked once. */
export function gitSync(cwd: string, args: readonly string[]): Buffer {
  const { spawnSync } = process.getBuiltinModule("node:child_process"); // 3 ms that a stamp check does not need
  const { error, status, signal, stdout, stderr } = spawnSync("git", [...QUIET_CONFIG, ...args], {
    cwd,
    env: gitEnv(cwd),
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  if (error !== undefined) throw new UaError("git", `git could not be started: ${error.message}`);
  if (status !== 0) throw new GitError(args, signal ?? String(status), stderr.toString("utf8"));
  return stdout;
}

export function gitLineSync(cwd: string, args: readonly string[]): string {
  return gitSync(cwd, args).toString("utf8").replace(/\n$/, "");
}

export async function gitLine(cwd: string, args: readonly string[]): Promise<string> {
  return (await git(cwd, args)).toString("utf8").replace(/\n$/, "");
}
