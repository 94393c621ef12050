import { UaError } from "../errors.js";
import { describeSymbols, type RefusedAnswer } from "../knowledge/answers.js";
import { type UndescribedSymbol, undescribedSymbols } from "../knowledge/undescribed.js";
import type { Packet } from "../packets/packet.js";
import { BATCH_BYTES, pagesOf } from "../packets/pages.js";
import { type Context, withLock } from "../repository/context.js";
import { SETTINGS, writeSetting } from "../store/settings.js";
import { describesGraph } from "../verification/graph-worktree.js";
import { type AskedFile, packetsOf } from "../verification/packets.js";
import { dropStamps } from "../verification/stamp.js";
import { verifyForUpdate, verifyWorktree } from "../verification/verify.js";
import type { Answers } from "./parse-answers.js";

/** Symbols of one question. */
const MOST_SYMBOLS = 100;

/** The symbols of HEAD without a description, the most used first; without those that are pending. */
export async function listUndescribed(context: Context): Promise<{ commit: string; symbols: UndescribedSymbol[] }> {
  return withLock(context, async (locked) => {
    const { db, project } = locked;
    const { comparison } = await verifyForUpdate(locked);
    if (!describesGraph(db, project))
      throw new UaError("usage", "the graph describes another worktree than this one", "run the command there");
    const heads = new Map(comparison.fileChanges.map(({ filePath, oid }) => [filePath, oid]));
    const state = { heads, without: new Set(comparison.filesToReanalyze) };
    return { commit: comparison.head, symbols: await undescribedSymbols(await locked.load(), state) };
  });
}

export interface Question {
  packets: Packet[];
  symbols: UndescribedSymbol[];
}

/** The next symbols, as packets of their files, as many as there is room for. */
export async function nextQuestion(
  context: Context,
  queue: readonly UndescribedSymbol[],
  most: number,
): Promise<Question> {
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

/** The next verification shows them in the graph, also if this process is killed. Returns the ids of what is described now. */
export async function storeAnswers(
  context: Context,
  symbols: readonly UndescribedSymbol[],
  { descriptions }: Pick<Answers, "descriptions">,
  origin: { commit: string; holder: string },
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
    await describeSymbols(await locked.load(), files, origin, () =>
      writeSetting(db, SETTINGS.adopted, null, project.scope),
    );
  });
  return described;
}

function answerFor(descriptions: Answers["descriptions"], id: string) {
  const answer = descriptions.get(id);
  return answer === undefined ? [] : [[id, answer] as const];
}

export async function showDescribed(context: Context): Promise<void> {
  await withLock(context, async (locked) => {
    dropStamps(locked.project);
    await verifyWorktree(locked, { allowTracked: true });
  });
}

/** `claim --undescribed`: the first question, and how many symbols have no description. */
export async function askUndescribed(context: Context): Promise<Question & { left: number }> {
  const { symbols } = await listUndescribed(context);
  return { ...(await nextQuestion(context, symbols, BATCH_BYTES)), left: symbols.length };
}

export interface DescribedByHand {
  described: string[];
  refused: RefusedAnswer[];
  /** How many symbols still have no description. */
  left: number;
}

/** `apply --undescribed`: answers to questions that need no lease, because what is answered twice is the same content. */
export async function describeUndescribed(
  context: Context,
  answers: Answers,
  holder: string,
): Promise<DescribedByHand> {
  const { commit, symbols } = await listUndescribed(context);
  const known = new Map(symbols.map((one) => [one.symbol.id, one]));
  const wanted = [...answers.descriptions.keys()];
  const taken = wanted.flatMap((id) => known.get(id) ?? []);
  const described = await storeAnswers(context, taken, answers, { commit, holder });
  if (described.length > 0) await showDescribed(context);
  const refused = [...wanted.filter((id) => !known.has(id)), ...answers.unchanged];
  return {
    described,
    refused: refused.map((id) => ({ id, reason: NOT_UNDESCRIBED })),
    left: symbols.length - described.length,
  };
}

const NOT_UNDESCRIBED = "it is not at HEAD, is pending, or has a description already";
