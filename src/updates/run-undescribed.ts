import { BYTES_PER_TOKEN } from "../analyzers/budget.js";
import { isUaError, UaError } from "../errors.js";
import { describeSymbols } from "../knowledge/answers.js";
import { type UndescribedSymbol, undescribedSymbols } from "../knowledge/undescribed.js";
import type { Packet } from "../packets/packet.js";
import { pagesOf } from "../packets/pages.js";
import { type Context, withLock } from "../repository/context.js";
import { SETTINGS, writeSetting } from "../store/settings.js";
import { describesGraph } from "../verification/graph-worktree.js";
import { type AskedFile, packetsOf } from "../verification/packets.js";
import { dropStamps } from "../verification/stamp.js";
import { verifyForUpdate, verifyWorktree } from "../verification/verify.js";
import type { Answers } from "./parse-answers.js";
import {
  ask,
  BATCH_BYTES,
  budgetOf,
  type HeadlessOptions,
  type HeadlessRun,
  HOLDER,
  isStop,
  MOST_ROUNDS,
  nothingDone,
  runHeadless,
} from "./run-headless.js";

/** Symbols of one question. */
const MOST_SYMBOLS = 100;
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
        const described = await store(context, taken, answers, commit);
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
    if (done.described.length > 0) await show(context);
  }
  const last = failures.at(-1);
  if (last !== undefined) throw last;
}

async function listUndescribed(context: Context): Promise<{ commit: string; symbols: UndescribedSymbol[] }> {
  return withLock(context, async (locked) => {
    const { db, project } = locked;
    const { comparison } = await verifyForUpdate(locked);
    if (!describesGraph(db, project))
      throw new UaError("usage", "the graph describes another worktree than this one", "run the command there");
    const heads = new Map(comparison.fileChanges.map(({ filePath, oid }) => [filePath, oid]));
    // What is pending was asked about before.
    const state = { heads, without: new Set(comparison.filesToReanalyze) };
    return { commit: comparison.head, symbols: await undescribedSymbols(await locked.load(), state) };
  });
}

/** How many bytes of packets the next question may have. */
async function roomFor(context: Context, options: HeadlessOptions, { tokens }: HeadlessRun): Promise<number> {
  const { today, run } = await budgetOf(context, options, tokens);
  const room = Math.min(today, run) * BYTES_PER_TOKEN - 2 * 1024; // the text around the packets
  return Math.min(BATCH_BYTES, Math.max(LEAST_BATCH_BYTES, room));
}

interface Question {
  packets: Packet[];
  symbols: UndescribedSymbol[];
}

/** The next symbols, as packets of their files, as many as there is room for. */
async function nextQuestion(context: Context, queue: readonly UndescribedSymbol[], most: number): Promise<Question> {
  const some = queue.slice(0, MOST_SYMBOLS);
  const [packets = []] = pagesOf(await packetsOf(await context.load(), askedFilesIn(some)), most);
  const paths = new Set(packets.map(({ path }) => path));
  return { packets, symbols: some.filter(({ file }) => paths.has(file.path)) };
}

function askedFilesIn(symbols: readonly UndescribedSymbol[]): AskedFile[] {
  const files = new Map<string, AskedFile>();
  for (const { file, symbol } of symbols) {
    const { path: filePath, oid } = file;
    const known = files.get(filePath);
    if (known !== undefined) known.asked.symbols.push(symbol);
    else {
      const verdict = { filePath, oid, analysedOid: null, changeLevel: "NONE", drift: "none", details: [] } as const;
      files.set(filePath, {
        verdict: { ...verdict, details: [] },
        asked: { isWhole: false, symbols: [symbol], aging: [] },
      });
    }
  }
  return [...files.values()];
}

/** The next verification shows them in the graph, also if this run is killed. Returns the ids of what is described now. */
async function store(
  context: Context,
  symbols: readonly UndescribedSymbol[],
  { descriptions }: Answers,
  commit: string,
): Promise<string[]> {
  const files = askedFilesIn(symbols).map(({ verdict: { filePath: path, oid }, asked }) => ({
    ...{ path, oid, analysedOid: null, unchanged: [], changed: [], others: [] },
    descriptions: new Map(asked.symbols.flatMap(({ id }) => answerFor(descriptions, id))),
  }));
  const described = files.flatMap((file) => [...file.descriptions.keys()]);
  if (described.length === 0) return [];
  await withLock(context, async (locked) => {
    const { db, project } = locked;
    dropStamps(project);
    await describeSymbols(await locked.load(), files, { commit, holder: HOLDER }, () =>
      writeSetting(db, SETTINGS.adopted, null, project.scope),
    );
  });
  return described;
}

function answerFor(descriptions: Answers["descriptions"], id: string) {
  const answer = descriptions.get(id);
  return answer === undefined ? [] : [[id, answer] as const];
}

async function show(context: Context): Promise<void> {
  await withLock(context, async (locked) => {
    dropStamps(locked.project);
    await verifyWorktree(locked, { allowTracked: true });
  });
}
