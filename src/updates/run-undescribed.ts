import { BYTES_PER_TOKEN } from "../analyzers/budget.js";
import { isUaError, UaError } from "../errors.js";
import { BATCH_BYTES } from "../packets/pages.js";
import type { Context } from "../repository/context.js";
import {
  ask,
  budgetOf,
  type HeadlessOptions,
  type HeadlessRun,
  HOLDER,
  isStop,
  MOST_ROUNDS,
  nothingDone,
  runHeadless,
} from "./run-headless.js";
import { listUndescribed, nextQuestion, showDescribed, storeAnswers } from "./undescribed.js";

/** A question that is smaller because few tokens are left. */
const LEAST_BATCH_BYTES = 8 * 1024;
/** So many questions without a usable answer end the run. */
const MOST_FAILURES = 3;

export interface UndescribedRun extends HeadlessRun {
  /** Symbols that still have no description; null if the run ended before they were listed. */
  undescribed: number | null;
  /** Why it ended before all was described. */
  stopped: string | null;
}

/**
 * `run --undescribed`: what is pending, then every symbol without a description, the most used first, until the tokens are used up. Each is asked
 * about once in a run, and stored before the next question. Fails only if nothing could be described.
 */
export async function runUndescribed(context: Context, options: HeadlessOptions): Promise<UndescribedRun> {
  const done: UndescribedRun = { ...nothingDone(), undescribed: null, stopped: null };
  let failure = await failureOf(async () => {
    await runHeadless(context, options, done);
  });
  if (!isStop(failure)) failure = (await failureOf(() => describeRest(context, options, done))) ?? failure;
  if (failure !== null && done.described.length + done.unchanged.length === 0) throw failure;
  return { ...done, stopped: failure?.message ?? null };
}

async function failureOf(work: () => Promise<void>): Promise<UaError | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (isUaError(error)) return error;
    throw error;
  }
}

async function describeRest(context: Context, options: HeadlessOptions, done: UndescribedRun): Promise<void> {
  const { commit, symbols } = await listUndescribed(context);
  let queue = symbols;
  done.undescribed = queue.length;
  const failures: UaError[] = [];
  try {
    for (let round = 0; round < MOST_ROUNDS && queue.length > 0; round++) {
      const { packets, symbols: taken } = await nextQuestion(context, queue, await roomFor(context, options, done));
      const failure = await failureOf(async () => {
        const answers = await ask(context, packets, options, done);
        const described = await storeAnswers(context, taken, answers, { commit, holder: HOLDER });
        done.described = [...done.described, ...described];
        done.undescribed = (done.undescribed ?? 0) - described.length;
        if (described.length === 0)
          throw new UaError("failed", `${options.analyzer} described nothing that was asked for`);
      });
      if (failure !== null) failures.push(failure);
      if (isStop(failure) || failures.length >= MOST_FAILURES) break;
      const isTaken = new Set(taken);
      queue = queue.filter((one) => !isTaken.has(one));
    }
  } finally {
    if (done.described.length > 0) await showDescribed(context);
  }
  const last = failures.at(-1);
  if (last !== undefined) throw last;
}

/** How many bytes of packets the next question may have. */
async function roomFor(context: Context, options: HeadlessOptions, { tokens }: HeadlessRun): Promise<number> {
  const { today, run } = await budgetOf(context, options, tokens);
  const room = Math.min(today, run) * BYTES_PER_TOKEN - 2 * 1024; // the text around the packets
  return Math.min(BATCH_BYTES, Math.max(LEAST_BATCH_BYTES, room));
}
