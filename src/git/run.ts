import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { errnoOf, isUaError, UaError } from "../errors.js";
import { programPath } from "../platform/program-path.js";
import { withDefaultFlags } from "../platform/wasm-compiler.js";
import { isWindows } from "../platform/windows.js";
import { printable } from "../printable.js";
import { nextTimeout, recordTimeout } from "./time-limit.js";

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
  // An object is what its name says, not what `git replace` shows for it: facts are kept by that name.
  GIT_NO_REPLACE_OBJECTS: "1",
};

/** fsmonitor, hooks and gpg are programs named by config: our calls run none of them. */
const QUIET_CONFIG = [
  ...["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"],
  ...["-c", "log.showSignature=false", "--no-pager"], // gpg.program
];

/** `cwd`: where git will run; no folder of PATH below it is searched for git, nor by git for its helpers. */
export function gitEnv(cwd?: string): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env };
  if (cwd !== undefined) env.PATH = programPath(cwd);
  for (const name of [...LOCAL_ENV, ...STEERING_ENV]) delete env[name];
  return { ...env, ...QUIET_ENV };
}

/** For other programs: their git calls must not use the repository of the hook that started us. */
export function withoutGitEnv(): Record<string, undefined> {
  return Object.fromEntries([...LOCAL_ENV, ...STEERING_ENV].map((name) => [name, undefined]));
}

/** How much of what git says about an error is repeated: names of refs and files in it are a checkout's. */
const MOST_QUOTED = 300;

export class GitError extends UaError {
  readonly args: readonly string[];
  readonly stderr: string;
  /**
   * git answered with an exit code. Otherwise nothing is known (invariant "unknown is not fresh"): it did not answer in time, or was
   * killed.
   */
  readonly end: "answer" | "timeout" | "killed";

  constructor(args: readonly string[], status: string, stderr: string, end: GitError["end"]) {
    const [line = ""] = stderr.trim().split("\n");
    const command = args.find((arg) => !arg.startsWith("-")) ?? "";
    super("git", `git ${command} failed (${status})${line === "" ? "" : `: ${printable(line.slice(0, MOST_QUOTED))}`}`);
    this.args = args;
    this.stderr = stderr;
    this.end = end;
  }
}

/** git answered with an error code. Every other failure gives no information. */
export function isRefusal(error: unknown): error is GitError {
  return isGitError(error) && error.end === "answer";
}

export function isTimeout(error: unknown): boolean {
  return isGitError(error) && error.end === "timeout";
}

/** Also one from another file of dist/, as for isUaError. */
function isGitError(error: unknown): error is GitError {
  return isUaError(error) && "end" in error && "stderr" in error;
}

const MOST_OUTPUT = 1024 * 1024 * 1024;
const MOST_STDERR = 64 * 1024;

export interface GitOptions {
  input?: string;
  /** Exit codes that are answers; every other one but 0 throws. */
  ok?: readonly number[];
  /** Takes the output as it comes, and nothing is kept. */
  each?: (chunk: Buffer) => void;
  /** Is called if git prints anything on stderr. */
  onMessage?: () => void;
  /** The caller's own limit, in place of the one that all calls of a process share (time-limit.ts). */
  timeoutMs?: number;
  /** For a call that takes longer than others: how many times the usual limit. */
  timeFactor?: number;
  /** Added to git's environment, last; what is undefined is removed. */
  env?: Readonly<Record<string, string | undefined>>;
  /** git may ask the user on the terminal: it stays in our process group, so that a time-out kills only git itself. */
  isInteractive?: boolean;
  /** Aborting kills git; the call throws the reason of the signal. */
  signal?: AbortSignal;
}

/**
 * The way git is run: asynchronously, so that Node loads what comes next while git works, without a shell, and with bounds on time and
 * output (invariant "everything has a bound"). Beyond them git and all that it started are killed, and the call throws.
 */
export async function git(cwd: string, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  const { spawn } = withDefaultFlags(() => process.getBuiltinModule("node:child_process")); // 3 ms that a cheap check does not need
  const { promise, resolve, reject } = withResolvers<Buffer>();
  const child = spawn("git", [...QUIET_CONFIG, ...args], {
    cwd,
    env: { ...gitEnv(cwd), ...options.env },
    detached: !isWindows && options.isInteractive !== true, // a process group of its own: killed as a whole. On Windows it would be a window
    windowsHide: true,
    stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  const stop = (error: Error) => {
    killGroup(child);
    reject(error);
  };
  const timeoutMs = options.timeoutMs ?? nextTimeout() * (options.timeFactor ?? 1);
  const timer = setTimeout(() => {
    if (options.timeoutMs === undefined) recordTimeout();
    stop(timedOut(args, timeoutMs));
  }, timeoutMs);
  const out = collector(options.each, MOST_OUTPUT, () => stop(tooMuch(args)));
  const err = collector(undefined, MOST_STDERR, () => {});
  child.stdout?.on("data", out.push);
  child.stderr?.on("data", err.push);
  if (options.onMessage !== undefined) child.stderr?.once("data", options.onMessage);
  child.on("error", (error) => reject(notStarted(cwd, error)));
  child.on("close", (code, signal) => {
    if (code === 0 || (code !== null && options.ok?.includes(code))) resolve(out.all());
    else reject(failed(args, signal ?? code, err.all()));
  });
  // git may end before it has read everything; its exit code tells that, not EPIPE.
  child.stdin?.on("error", () => {});
  child.stdin?.end(options.input);
  const abort = () => stop(options.signal?.reason as Error);
  options.signal?.addEventListener("abort", abort, { once: true });
  return track(child, promise).finally(() => {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", abort);
  });
}

const timedOut = (args: readonly string[], ms: number) =>
  new GitError(args, `stopped after ${Math.ceil(ms / 1000)} s`, "", "timeout");

const tooMuch = (args: readonly string[]) =>
  new GitError(args, `it printed more than ${MOST_OUTPUT} bytes`, "", "killed");

const failed = (args: readonly string[], status: string | number | null, stderr: Buffer) =>
  new GitError(args, String(status), stderr.toString("utf8"), typeof status === "number" ? "answer" : "killed");

/** Node 20 has no Promise.withResolvers. */
function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: Error) => void } {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { promise, resolve, reject };
}

function collector(each: ((chunk: Buffer) => void) | undefined, most: number, onTooMuch: () => void) {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    push: (chunk: Buffer) => {
      size += each === undefined ? chunk.length : 0;
      if (each !== undefined) each(chunk);
      else if (size <= most) chunks.push(chunk);
      else onTooMuch();
    },
    all: () => Buffer.concat(chunks),
  };
}

const running = new Set<ChildProcess>();

/** A process that leaves early (an agent hook at its deadline) leaves no git behind. */
function track(child: ChildProcess, done: Promise<Buffer>): Promise<Buffer> {
  if (running.size === 0) process.on("exit", killRunning);
  running.add(child);
  return done.finally(() => {
    running.delete(child);
    if (running.size === 0) process.off("exit", killRunning);
  });
}

function killRunning(): void {
  for (const child of running) killGroup(child);
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL"); // no process group by that number: gone, or a system without them
  }
  // A process that even a kill does not end (a disk that does not answer) must not keep this one.
  for (const pipe of child.stdio) pipe?.destroy();
  child.unref();
}

function notStarted(cwd: string, error: Error): UaError {
  if (!existsSync(cwd)) return new UaError("git", `git cannot be asked: ${cwd} is gone`, "is the repository moved?");
  return new UaError("git", `git could not be started: ${error.message}`);
}

/** The same for callers that cannot wait: the public API, and questions that are asked once. */
export function gitSync(cwd: string, args: readonly string[]): Buffer {
  const { spawnSync } = process.getBuiltinModule("node:child_process"); // 3 ms that a cheap check does not need
  const timeout = nextTimeout();
  const { error, status, signal, stdout, stderr } = spawnSync("git", [...QUIET_CONFIG, ...args], {
    cwd,
    env: gitEnv(cwd),
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: MOST_OUTPUT,
    timeout,
    killSignal: "SIGKILL",
    windowsHide: true,
  });
  if (errnoOf(error) === "ETIMEDOUT") {
    recordTimeout();
    throw timedOut(args, timeout);
  }
  if (errnoOf(error) === "ENOBUFS") throw tooMuch(args);
  if (error !== undefined) throw notStarted(cwd, error);
  if (status !== 0) throw failed(args, signal ?? status, stderr);
  return stdout;
}

export function gitLineSync(cwd: string, args: readonly string[]): string {
  return gitSync(cwd, args).toString("utf8").replace(/\n$/, "");
}

export async function gitLine(cwd: string, args: readonly string[]): Promise<string> {
  return (await git(cwd, args)).toString("utf8").replace(/\n$/, "");
}
