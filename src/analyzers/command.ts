import type { ChildProcess } from "node:child_process";
import spawn from "nano-spawn";
import { isUaError, messageOf, UaError } from "../errors.js";
import { withoutGitEnv } from "../git/run.js";
import { MAX_RESULT_BYTES, parseResult, type Result } from "../graph/result.js";
import { programPath } from "../platform/program-path.js";
import type { Config } from "../repository/config.js";
import type { Db } from "../store/sqlite.js";
import { trustState, type Where } from "./trust.js";

/** The input of an analyzer: the marker's lists, and what it needs besides. */
export interface AnalysisPlan {
  schema: "ua-hooks.plan/1";
  root: string;
  head: string;
  outputLanguage?: string;
  action: string;
  reason: string;
  filesToReanalyze: readonly string[];
  deletedFiles: readonly string[];
  renamedFiles: readonly { from: string; to: string; similarity?: number }[];
  rerunArchitecture: boolean;
  rerunTour: boolean;
  fileChanges: readonly object[];
  dependents: readonly string[];
  /** Why the previous attempt failed. */
  previousError?: string;
}

type PlanLists = Omit<AnalysisPlan, "schema" | "root" | "head" | "outputLanguage" | "previousError">;

/** The lists of a marker, without the rest. */
export function analysisPlan(
  marker: PlanLists,
  where: Pick<AnalysisPlan, "root" | "head" | "outputLanguage">,
): AnalysisPlan {
  const { action, reason, filesToReanalyze, deletedFiles, renamedFiles } = marker;
  const { rerunArchitecture, rerunTour, fileChanges, dependents } = marker;
  return {
    ...{ schema: "ua-hooks.plan/1", ...where, action, reason, filesToReanalyze, deletedFiles, renamedFiles },
    ...{ rerunArchitecture, rerunTour, fileChanges, dependents },
  };
}

export interface CommandOptions {
  timeoutMs: number;
  /** Number of further attempts. */
  retries?: number;
  /** Throws where the command may no longer run. Asked before every try: one may take minutes, and a pull may come meanwhile. */
  confirm?: () => Promise<unknown>;
}

export const RETRIES = 2;
const STDERR_TAIL = 2_000;

/** The configured command, if the user of this clone trusts it. */
export function trustedCommand(db: Db, config: Pick<Config, "analyzer">, where: Where): readonly string[] {
  const { command, trusted } = trustState(db, config, where);
  if (command === null) throw new UaError("usage", "no analyzer command is configured", "see docs/config.md, analyzer");
  if (trusted) return command;
  throw new UaError(
    "refused",
    `the analyzer command ${JSON.stringify(command)} is not trusted in this clone`,
    "check the command, then run `ua-hooks trust`",
  );
}

/** Writes the plan, reads the result; an error, or a result that cannot be used, is passed to the next attempt. */
export async function analyzeWithCommand(
  command: readonly string[],
  plan: AnalysisPlan,
  { timeoutMs, retries = RETRIES, confirm }: CommandOptions,
): Promise<Result> {
  let asked = plan;
  for (let left = retries; ; left--) {
    await confirm?.();
    try {
      return parseResult(await runOnce(command, asked, timeoutMs), plan.root);
    } catch (error) {
      if (!isUaError(error)) throw error;
      if (left > 0) asked = { ...plan, previousError: error.message };
      else throw new UaError("failed", `${error.message} (tried ${retries + 1} times)`, error.next, error);
    }
  }
}

/** No shell: the arguments are those of the config. In its own process group, so that a time-out ends all of it. */
async function runOnce([program = "", ...args]: readonly string[], plan: AnalysisPlan, timeoutMs: number) {
  const env = { ...withoutGitEnv(), PATH: programPath(plan.root) };
  const options = { cwd: plan.root, env, detached: true, stdin: { string: JSON.stringify(plan) } };
  const running = spawn(program, args, options);
  const guard = guardOf(running.nodeChildProcess, timeoutMs);
  try {
    return (await running).stdout;
  } catch (error) {
    throw failure(program, guard.reason(), error);
  } finally {
    guard.end();
  }
}

function failure(program: string, reason: string | null, error: unknown): UaError {
  const { stderr = "", cause } = error as { stderr?: string; cause?: unknown };
  const detail = stderr.trim().slice(-STDERR_TAIL);
  const why = reason ?? messageOf(cause ?? error);
  const what = `the analyzer command ${program} failed: ${why}${detail === "" ? "" : `\n${detail}`}`;
  return new UaError("failed", what, "run the command yourself, or raise analyzerTimeoutMs in the config", error);
}

interface Guard {
  /** Why the command was stopped; null if it ended by itself. */
  reason(): string | null;
  end(): void;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Stops the command after its time-out, beyond its output limit, and when we are stopped: a separate process group gets
 * no Ctrl-C.
 */
function guardOf(starting: Promise<ChildProcess>, timeoutMs: number): Guard {
  let reason: string | null = null;
  let child: ChildProcess | null = null;
  const kill = (why: string) => {
    reason ??= why;
    endGroup(child);
  };
  const timer = setTimeout(() => kill(`it took longer than ${timeoutMs} ms`), timeoutMs);
  const onSignal = (signal: NodeJS.Signals) => {
    kill(`stopped by ${signal}`);
    end();
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.once(signal, onSignal);
  const end = () => {
    clearTimeout(timer);
    for (const signal of SIGNALS) process.removeListener(signal, onSignal);
  };
  starting.then(
    (started) => {
      child = started;
      if (reason !== null) endGroup(child);
      watchSize(started, kill);
    },
    () => {}, // it did not start: reported where the result is awaited
  );
  return { reason: () => reason, end };
}

function watchSize({ stdout, stderr }: ChildProcess, kill: (why: string) => void): void {
  for (const stream of [stdout, stderr]) {
    let size = 0;
    stream?.on("data", (chunk: string) => {
      size += chunk.length;
      if (size > MAX_RESULT_BYTES) kill(`it printed more than ${MAX_RESULT_BYTES / 1024 / 1024} MB`);
    });
  }
}

function endGroup(child: ChildProcess | null): void {
  if (child?.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // already gone
  }
}
