import { clock } from "../platform/clock.js";

/** What one git process may take. A disk that does not answer would otherwise keep a worker, and its lock, without end. */
const TIMEOUT_MS = 120_000;

/** Each time-out divides the limit of the calls after it, down to a second: 120, 30, 7.5, 1.9, 1, …, and not 120 for each. */
const DIVISOR = 4;
const LEAST_MS = 1000;

/** A disk may answer again: a server that runs for days gives git its full time after ten minutes without a time-out. */
const FORGOTTEN_MS = 600_000;

let timeouts = 0;
let lastTimeout = 0;

/** The limit of a process in which git has always answered in time. Another one can be set in tests only. */
export function gitTimeout(env: NodeJS.ProcessEnv = process.env): number {
  const seconds = FOR_TESTS ? Number(env.UA_HOOKS_GIT_TIMEOUT) : Number.NaN;
  return seconds >= 1 && seconds <= 86_400 ? Math.floor(seconds * 1000) : TIMEOUT_MS;
}

/** The limit of the next call. */
export function nextTimeout(now = clock()): number {
  if (now - lastTimeout > FORGOTTEN_MS) timeouts = 0;
  return Math.max(gitTimeout() / DIVISOR ** timeouts, LEAST_MS);
}

export function recordTimeout(now = clock()): void {
  timeouts++;
  lastTimeout = now;
}
