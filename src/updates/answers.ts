import type { GraphNode } from "../graph/types.js";
import { type AnsweredSymbols, fileAnswers, type RefusedAnswer } from "../knowledge/answers.js";
import { Facts, storedFacts } from "../knowledge/facts.js";
import { ABSENT, putAbsence } from "../knowledge/known.js";
import { otherNodes } from "../knowledge/other-nodes.js";
import { type GraphPlan, savePlan } from "../knowledge/plan.js";
import { moveAnalysedSymbols } from "../knowledge/symbol-baseline.js";
import { symbolStates } from "../knowledge/symbol-states.js";
import { countAttempt, endLease } from "../marker/lease.js";
import type { Marker } from "../marker/marker.js";
import { type Due, questionsAt, type SymbolQuestion } from "../marker/questions.js";
import { type Context, type LoadedContext, withLock } from "../repository/context.js";
import type { Db } from "../store/sqlite.js";
import { usesStatements } from "../sync/switch.js";
import type { Comparison } from "../verification/compare.js";
import { describesGraph } from "../verification/graph-worktree.js";
import { type AskedFile, askedFilesOf } from "../verification/packets.js";
import { dropStamps } from "../verification/stamp.js";
import type { SymbolVerdict } from "../verification/symbol-changes.js";
import { verifyForUpdate, verifyWorktree } from "../verification/verify.js";
import { claimedPaths } from "./claimed.js";
import type { Answers } from "./parse-answers.js";

export interface AppliedAnswers {
  /** Files about which nothing is asked any more. */
  applied: string[];
  /** Ids that are described now. */
  described: string[];
  /** Ids whose description still holds. */
  unchanged: string[];
  refused: RefusedAnswer[];
  marker: Marker | null;
}

const NOT_CLAIMED = "it is not in the claim; what is not pending is delivered as { files, nodes, edges }";

/** Takes descriptions for the symbols of a claimed update; what is neither described nor unchanged stays pending. */
export async function applyAnswers(context: Context, answers: Answers, lease: string | null): Promise<AppliedAnswers> {
  if (usesStatements()) return (await import("./deliver.js")).applyAnswers(context, answers, lease);
  return withLock(context, async (locked) => {
    const { db, project } = locked;
    const { comparison } = await verifyForUpdate(locked);
    const { due, holder } = claimedPaths(locked, comparison, lease);
    const loaded = await locked.load();
    const claimed = await claimedFiles(loaded, comparison, due);
    const { files, refused } = byFile(answers, claimed);
    dropStamps(project);
    const isGraphs = describesGraph(db, project);
    if (isGraphs) for (const move of comparison.renamedFiles) moveAnalysedSymbols(db, project.scope, move);
    const notShown = await fileAnswers(loaded, files, { commit: comparison.head, holder, isGraphs });
    keepPlan(loaded, { files, comparison, due, answers, isGraphs });
    const isRefused = new Set(notShown.map(({ id }) => id));
    const taken = (ids: Iterable<string>) => [...ids].filter((id) => !isRefused.has(id));
    const described = files.flatMap(({ descriptions }) => taken(descriptions.keys()));
    const unchanged = files.flatMap((file) => taken(file.unchanged));
    const isDone = new Set([...described, ...unchanged]);
    countRefused(db, project.worktree.id, claimed, notShown);
    const done = claimed.filter(({ asked }) => asked.every((id) => isDone.has(id))).map(({ path }) => path);
    const deleted = due.flatMap(([path, oid]) => (oid === null ? [path] : []));
    if (done.length === claimed.length) endLease(db, project.worktree.id);
    const { marker } = await verifyWorktree(locked, { allowTracked: true });
    return { applied: [...done, ...deleted], described, unchanged, refused: [...refused, ...notShown], marker };
  });
}

/** The marker shows why an answer was refused, as long as the same is asked. */
function countRefused(
  db: Db,
  worktree: string,
  claimed: readonly ClaimedFile[],
  refused: readonly RefusedAnswer[],
): void {
  const questions = new Map(claimed.flatMap(({ questions: all }) => all.map((one) => [one[0], one] as const)));
  for (const { id, reason } of refused) {
    const question = questions.get(id);
    if (question !== undefined) countAttempt(db, worktree, [question], { error: `${id}: ${reason}`, count: 0 });
  }
}

/** A file of the claim with the symbols that an answer can be about. */
interface ClaimedFile {
  path: string;
  oid: string;
  analysedOid: string | null;
  changed: SymbolVerdict[];
  /** Ids of what is asked. */
  asked: string[];
  questions: SymbolQuestion[];
  others: GraphNode[];
}

async function claimedFiles(
  context: LoadedContext,
  comparison: Comparison,
  due: readonly Due[],
): Promise<ClaimedFile[]> {
  const { db, project, config } = context;
  const files = await askedFilesOf(context, comparison, due);
  const facts = new Facts(storedFacts(db, { keep: true }), project.worktree.path, config);
  const found = await Promise.all(files.map((file) => symbolsOfFile(file, facts)));
  return files.map(({ verdict: { filePath: path, oid, analysedOid }, asked }, at) => {
    const all = found[at] ?? [];
    const wanted = asked.isWhole ? all : asked.symbols;
    const changed = asked.isWhole ? all : [...asked.symbols, ...asked.aging];
    return {
      ...{ path, oid, analysedOid: asked.isWhole ? null : analysedOid, changed },
      ...{
        asked: wanted.map(({ id }) => id),
        questions: questionsAt([path, oid], asked),
        others: otherNodes(db, project.scope, path),
      },
    };
  });
}

/** Of a file that is asked about as a whole. */
async function symbolsOfFile(
  { verdict: { filePath: path, oid }, asked }: AskedFile,
  facts: Facts,
): Promise<SymbolVerdict[]> {
  if (!asked.isWhole) return [];
  const [fact] = [...(await facts.of([{ path, oid }])).values()];
  return symbolStates(path, oid, fact).map(({ id, type, name, lineRange, state: { hash } }) => {
    return { id, type, name, lineRange, hash, change: "new" };
  });
}

/** A path or a name without its type is the usual mistake. */
function notClaimed(id: string, known: ReadonlySet<string>): string {
  const [meant, other] = [...known].filter((one) => one.endsWith(`:${id}`));
  return meant !== undefined && other === undefined ? `did you mean ${JSON.stringify(meant)}?` : NOT_CLAIMED;
}

function byFile(
  { descriptions, unchanged }: Answers,
  claimed: readonly ClaimedFile[],
): { files: AnsweredSymbols[]; refused: RefusedAnswer[] } {
  const known = new Set(claimed.flatMap(({ changed, others }) => [...changed, ...others].map(({ id }) => id)));
  const unknown = [...descriptions.keys(), ...unchanged].filter((id) => !known.has(id));
  const files = claimed.map(({ path, oid, analysedOid, changed, others }): AnsweredSymbols => {
    const ids = new Set([...changed, ...others].map(({ id }) => id));
    return {
      ...{ path, oid, analysedOid, changed, others },
      descriptions: new Map([...descriptions].filter(([id]) => ids.has(id))),
      unchanged: unchanged.filter((id) => ids.has(id) && !descriptions.has(id)),
    };
  });
  return {
    files: files.filter(({ descriptions: some, unchanged: others }) => some.size + others.length > 0),
    refused: [...new Set(unknown)].map((id) => ({ id, reason: notClaimed(id, known) })),
  };
}

interface AnswerPlan {
  files: readonly AnsweredSymbols[];
  comparison: Comparison;
  due: readonly Due[];
  answers: Answers;
  isGraphs: boolean;
}

/** Deleted files need no answer, and are completed by any delivery; the structure of answered ones is computed. */
function keepPlan({ db, project }: LoadedContext, { files, comparison, due, answers, isGraphs }: AnswerPlan): void {
  const { scope } = project;
  const at = new Date().toISOString();
  const paths = new Set(files.map(({ path }) => path));
  const moves = comparison.renamedFiles.filter(({ to }) => paths.has(to)).map(({ from, to }) => ({ from, to }));
  const gone = [...due.flatMap(([path, oid]) => (oid === null ? [path] : [])), ...moves.map(({ from }) => from)];
  const plan: GraphPlan = {
    ...{ commit: comparison.head, restores: gone.map((path) => ({ path, oid: ABSENT })), moves },
    structural: files.map(({ path, oid }) => ({ path, oid })),
    drift: files.map(({ path }) => [path, "interface"]),
    ...(answers.layers === undefined ? {} : { layers: answers.layers }),
    ...(answers.tour === undefined ? {} : { tour: answers.tour }),
  };
  db.write(() => {
    for (const path of gone) putAbsence(db, path, at);
    if (!isGraphs) return;
    savePlan(db, scope, plan);
  });
}
