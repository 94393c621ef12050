import type { ChildProcess } from "node:child_process";
import spawn from "nano-spawn";
import { messageOf, UaError } from "../errors.js";

export interface RunInput {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** For its standard input. */
  input: string;
}

export interface RunLimits {
  timeoutMs: number;
  /** Of its output. */
  mostBytes: number;
  /** Called with the size of each part of its output, also if it fails in the end. */
  onOutput?: (bytes: number) => void;
}

const STDERR_TAIL = 2_000;

/** What a program prints, within limits of time and size. In its own process group, so that a time-out ends all of it. */
export async function runLimited(
  [program = "", ...args]: readonly string[],
  { cwd, env, input }: RunInput,
  limits: RunLimits,
): Promise<string> {
  const running = spawn(program, args, { cwd, env, detached: true, stdin: { string: input } });
  const guard = guardOf(running.nodeChildProcess, limits);
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
function guardOf(starting: Promise<ChildProcess>, limits: RunLimits): Guard {
  const { timeoutMs } = limits;
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
      watchSize(started, limits, kill);
    },
    () => {}, // it did not start: reported where the result is awaited
  );
  return { reason: () => reason, end };
}

function watchSize(
  { stdout, stderr }: ChildProcess,
  { mostBytes, onOutput }: RunLimits,
  kill: (why: string) => void,
): void {
  for (const stream of [stdout, stderr]) {
    let size = 0;
    stream?.on("data", (chunk: string) => {
      size += chunk.length;
      onOutput?.(Buffer.byteLength(chunk));
      if (size > mostBytes) kill(`it printed more than ${mostBytes / 1024 / 1024} MB`);
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
