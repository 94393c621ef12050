import { UaError } from "../errors.js";
import { isRegularFile, listTree } from "../git/trees.js";
import { worktreeOids } from "../git/worktree.js";
import { isStructuralEdge, nodesOfFile } from "../graph/build.js";
import { hasDescription, withoutReview } from "../graph/descriptions.js";
import { isStructuralNode } from "../graph/ids.js";
import type { GraphPiece } from "../graph/pieces.js";
import type { Result } from "../graph/result.js";
import type { GraphNode } from "../graph/types.js";
import { type DescriptionAnswer, NOT_SHOWN, type RefusedAnswer } from "../knowledge/answers.js";
import { GRAPH } from "../knowledge/artefacts.js";
import type { AtHead, FileAtHead } from "../knowledge/at-head.js";
import type { Delivered } from "../knowledge/deliver.js";
import { textOf, withText } from "../knowledge/descriptions.js";
import { pieceNodes } from "../knowledge/graph-pieces.js";
import { isOther } from "../knowledge/other-nodes.js";
import { addSlice, type NewSlice, sliceOfFile } from "../knowledge/slices.js";
import { ABSENT, addStatements, type NewBatch, type NewStatement } from "../knowledge/statements.js";
import { contentStatement, type SymbolAt, symbolStatement } from "../knowledge/symbols.js";
import { countAttempt, endLease, heldLease, listedAt, takeLease } from "../marker/lease.js";
import type { Marker } from "../marker/marker.js";
import { type Due, duePaths, questionsAt, type SymbolQuestion } from "../marker/questions.js";
import { type Context, type LoadedContext, type LockedContext, withLock } from "../repository/context.js";
import { absence, batchOf, wholeContent } from "../sync/answers.js";
import type { Compared } from "../sync/compare.js";
import { askedFiles, atContents, formerTexts } from "../sync/packets.js";
import { type Synced, sync } from "../sync/sync.js";
import type { AskedFile } from "../verification/packets.js";
import { packetPage } from "../verification/packets.js";
import { dropStamp, dropStamps } from "../verification/stamp.js";
import type { AppliedAnswers } from "./answers.js";
import { claimedPaths } from "./claimed.js";
import type { Answers } from "./parse-answers.js";
import type { Applied, ClaimedUpdate, ClaimOptions } from "./update.js";

/**
 * What an agent does with a marker: claim, apply, ack, release. Each runs the loop first, so that it is about HEAD, adds its statements,
 * and runs the loop again, so that the marker shows what is left.
 */
async function syncForUpdate(locked: LockedContext): Promise<Synced & { comparison: Compared }> {
  const found = await sync(locked);
  if (found.comparison === null) throw new UaError("not-set-up", found.reason, "run `ua-hooks status`");
  return { ...found, comparison: found.comparison };
}

export async function claimUpdate(context: Context, options: ClaimOptions): Promise<ClaimedUpdate | null> {
  const { leaseMinutes: minutes } = await context.config();
  return withLock(context, async (locked) => {
    const { db, project } = locked;
    const { marker } = await sync(locked);
    if (marker === null) return null;
    if (marker.action === "FULL_UPDATE" && !options.full) {
      const next =
        "claim it with --full, give `run --analyzer` a --max-tokens, or run `ua-hooks run --full`, which needs no LLM";
      throw new UaError("usage", `a full update never starts automatically: ${marker.reason}`, next);
    }
    const keepsUpdate = options.renew !== null && (options.page ?? 1) > 1;
    const claim = { ...options, keepsUpdate, minutes: Math.max(minutes, options.minutes ?? 0) };
    dropStamp(project);
    const id = takeLease(db, project.worktree.id, claim);
    let claimed = await sync(locked);
    if (claimed.marker?.lease === null) {
      // If the clock was set forward meanwhile, the lease would be expired before its holder got it.
      takeLease(db, project.worktree.id, { ...claim, renew: id });
      claimed = await sync(locked);
    }
    const { comparison } = claimed;
    if (claimed.marker === null || comparison === null) return null;
    if (options.page === undefined) return { marker: claimed.marker, packets: null };
    const loaded = await locked.load();
    const files = await askedFiles(loaded, comparison, claimedPaths(locked, comparison, null).due);
    const packets = await packetPage(loaded, files, options.page, await formerTexts(comparison, files));
    return { marker: claimed.marker, packets };
  });
}

export async function releaseUpdate(
  context: Context,
  { lease, error, tries = 1 }: { lease: string | null; error: string | null; tries?: number },
): Promise<Marker | null> {
  return withLock(context, async (locked) => {
    const { db, project } = locked;
    const { id: worktree } = project.worktree;
    const { marker, comparison } = await sync(locked);
    const claim = heldLease(db, worktree, lease);
    if (claim === null)
      throw new UaError("usage", "nothing is claimed in this worktree", "use --lease to name an expired lease");
    const due: Due[] = claim.generation === null ? [] : listedAt(db, worktree, claim.generation);
    dropStamp(project);
    if (error !== null && marker !== null && comparison !== null)
      countAttempt(db, worktree, await claimedQuestions(locked, comparison, due), { error, count: tries });
    endLease(db, worktree, claim.id);
    return (await sync(locked)).marker;
  });
}

/** What was asked about some files, also of an update that was claimed before HEAD moved on. */
async function claimedQuestions(
  locked: LockedContext,
  comparison: Compared,
  due: readonly Due[],
): Promise<SymbolQuestion[]> {
  const files = await askedFiles(await locked.load(), comparison, due);
  const asked = new Map(files.map((file) => [file.verdict.filePath, file.asked]));
  return due.flatMap((one) => questionsAt(one, asked.get(one[0])));
}

/** No analysis for the listed files: their existing descriptions apply to the new content. */
export async function ackUpdate(
  context: Context,
  { lease, generation }: { lease: string | null; generation: number | null },
): Promise<{ acked: string[]; marker: Marker | null }> {
  return withLock(context, async (locked) => {
    const { db, project } = locked;
    const { id: worktree } = project.worktree;
    const { comparison } = await syncForUpdate(locked);
    if (lease !== null) heldLease(db, worktree, lease);
    const listed = generation === null ? duePaths(comparison) : listedAt(db, worktree, generation);
    // An old generation only covers the content that it listed.
    const still = new Set(duePaths(comparison).map((due) => JSON.stringify(due)));
    const due = listed.filter((one) => still.has(JSON.stringify(one)));
    const { atHead } = comparison;
    await atHead.prepare(
      due.map(([path]) => path),
      { texts: true },
    );
    const statements = due.flatMap(([path]) => {
      const asked = comparison.asked.get(path);
      const listed = new Set(asked?.symbols.map(({ id }) => id));
      return wholeContent(atHead.file(path), (id) => asked?.isWhole !== false || listed.has(id));
    });
    add(await locked.load(), batchOf(await locked.load(), comparison, "ack"), { statements });
    return { acked: due.map(([path]) => path), marker: (await sync(locked)).marker };
  });
}

/** Adds what an operation brings. All stamps go before, and its paths become candidates everywhere, in one transaction. */
function add(
  { db, project }: LoadedContext,
  batch: NewBatch,
  {
    statements,
    slices = [],
    also = () => {},
  }: { statements: readonly NewStatement[]; slices?: readonly NewSlice[]; also?: () => void },
): void {
  dropStamps(project);
  db.write(() => {
    if (statements.length + slices.length > 0) {
      const id = addStatements(db, batch, statements);
      for (const slice of slices) addSlice(db, { ...batch, batch: id }, slice);
    }
    also();
  });
}

/** A file of the claim with the symbols that an answer can be about. */
interface ClaimedFile {
  path: string;
  file: FileAtHead;
  /** Ids of what is asked. */
  asked: ReadonlySet<string>;
  /** The same, and what goes along with it: bodies that changed. */
  open: ReadonlySet<string>;
  isWhole: boolean;
  /** What an id stands for, with the node that shows it. */
  nodes: ReadonlyMap<string, { symbol: SymbolAt; node: GraphNode }>;
  questions: SymbolQuestion[];
}

const NOT_CLAIMED = "it is not in the claim; what is not pending is delivered as { files, nodes, edges }";

/** Takes descriptions for the symbols of a claimed update; what is neither described nor unchanged stays pending. */
export async function applyAnswers(context: Context, answers: Answers, lease: string | null): Promise<AppliedAnswers> {
  return withLock(context, async (locked) => {
    const { db, project } = locked;
    const { comparison } = await syncForUpdate(locked);
    const { due, holder } = claimedPaths(locked, comparison, lease);
    const loaded = await locked.load();
    const claimed = await claimedFiles(loaded, comparison, due);
    const taken = takeAnswers(claimed, answers, holder);
    const isDone = new Set([...taken.described, ...taken.unchanged]);
    const done = claimed.filter(({ asked }) => [...asked].every((id) => isDone.has(id))).map(({ path }) => path);
    const deleted = due.flatMap(([path, oid]) => (oid === null ? [path] : []));
    const statements = [...taken.statements, ...deleted.map(absence)];
    add(loaded, batchOf(loaded, comparison, "apply"), {
      statements,
      slices: groupSlices(answers),
      also: () => {
        countRefused(locked, claimed, taken.notShown);
        if (done.length === claimed.length) endLease(db, project.worktree.id);
      },
    });
    const { marker } = await sync(locked, { allowTracked: true });
    const { described, unchanged, refused, notShown } = taken;
    return { applied: [...done, ...deleted], described, unchanged, refused: [...refused, ...notShown], marker };
  });
}

function groupSlices({ layers, tour }: Pick<Answers, "layers" | "tour">): NewSlice[] {
  const slice = (key: string, value: unknown): NewSlice[] =>
    value === undefined ? [] : [{ document: GRAPH, key, blob: "", text: JSON.stringify(value) }];
  return [...slice("layers", layers), ...slice("tour", tour)];
}

/** The marker shows why an answer was refused, as long as the same is asked. */
function countRefused(
  { db, project }: LockedContext,
  claimed: readonly ClaimedFile[],
  refused: readonly RefusedAnswer[],
): void {
  const questions = new Map(claimed.flatMap(({ questions: all }) => all.map((one) => [one[0], one] as const)));
  for (const { id, reason } of refused) {
    const question = questions.get(id);
    if (question !== undefined)
      countAttempt(db, project.worktree.id, [question], { error: `${id}: ${reason}`, count: 0 });
  }
}

async function claimedFiles(context: LoadedContext, comparison: Compared, due: readonly Due[]): Promise<ClaimedFile[]> {
  const files = await askedFiles(context, comparison, due);
  const at = await contentsOf(context, comparison, due);
  return files.map(({ verdict, asked }) => claimedFile(context, at, { verdict, asked }));
}

/** HEAD, or the contents that were claimed before HEAD moved on. */
async function contentsOf(context: LoadedContext, comparison: Compared, due: readonly Due[]): Promise<AtHead> {
  const now = new Map(comparison.fileChanges.map(({ filePath, oid }) => [filePath, oid]));
  const isHead = due.every(([path, oid]) => now.get(path) === oid);
  const at = isHead ? comparison.atHead : atContents(context, comparison, due);
  await at.prepare(
    due.map(([path]) => path),
    { texts: true },
  );
  return at;
}

function claimedFile({ db, project }: LoadedContext, at: AtHead, { verdict, asked }: AskedFile): ClaimedFile {
  const { filePath: path, oid } = verdict;
  const file = at.file(path);
  const computed = file.fact === undefined ? [] : nodesOfFile(path, file.fact);
  const others = pieceNodes(db, project.scope, path).filter(isOther);
  const nodes = [...computed, ...others].map((node) => [node.id, { symbol: file.symbols.of(node), node }] as const);
  const all = computed.map(({ id }) => id);
  const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);
  const wanted = asked.isWhole ? all : ids(asked.symbols);
  return {
    path,
    file,
    asked: new Set(wanted),
    open: new Set(asked.isWhole ? all : [...wanted, ...ids(asked.aging)]),
    isWhole: asked.isWhole,
    nodes: new Map(nodes),
    questions: questionsAt([path, oid], asked),
  };
}

interface TakenAnswers {
  statements: NewStatement[];
  described: string[];
  unchanged: string[];
  /** Ids that are not in the claim. */
  refused: RefusedAnswer[];
  notShown: RefusedAnswer[];
}

function takeAnswers(
  claimed: readonly ClaimedFile[],
  { descriptions, unchanged }: Answers,
  holder: string | null,
): TakenAnswers {
  const taken: TakenAnswers = { statements: [], described: [], unchanged: [], refused: [], notShown: [] };
  const answerable = ({ open, nodes }: ClaimedFile, id: string) => {
    const found = nodes.get(id);
    return found !== undefined && (open.has(id) || isOther(found.node)) ? found : undefined;
  };
  const known = new Set(claimed.flatMap((file) => [...file.nodes.keys()].filter((id) => answerable(file, id))));
  for (const id of new Set([...descriptions.keys(), ...unchanged].filter((one) => !known.has(one))))
    taken.refused.push({ id, reason: notClaimed(id, known) });
  for (const one of claimed) {
    const done = new Set<string>();
    for (const [id, answer] of descriptions) {
      const found = answerable(one, id);
      if (found === undefined) continue;
      taken.statements.push(describedAs(one, found, answer, holder));
      taken.described.push(id);
      done.add(id);
    }
    for (const id of unchanged) {
      const found = done.has(id) ? undefined : answerable(one, id);
      if (found === undefined) continue;
      const row = one.file.text(found.symbol)?.description.row;
      if (row !== undefined && row.source !== "here") {
        taken.notShown.push({ id, reason: NOT_SHOWN });
        continue;
      }
      const copy = symbolStatement(one.path, one.file.blob ?? "", found.symbol, row?.text ?? null);
      taken.statements.push({ ...copy, author: row?.author ?? null });
      taken.unchanged.push(id);
      done.add(id);
    }
    if (done.size > 0) for (const statement of besideAnswers(one, done)) taken.statements.push(statement);
  }
  return taken;
}

/** A path or a name without its type is the usual mistake. */
function notClaimed(id: string, known: ReadonlySet<string>): string {
  const [meant, other] = [...known].filter((one) => one.endsWith(`:${id}`));
  return meant !== undefined && other === undefined ? `did you mean ${JSON.stringify(meant)}?` : NOT_CLAIMED;
}

/** What an answer leaves out stays as it was said, else as it is computed. */
function describedAs(
  { path, file }: ClaimedFile,
  { symbol, node }: { symbol: SymbolAt; node: GraphNode },
  answer: DescriptionAnswer,
  holder: string | null,
): NewStatement {
  const { docComment: _doc, ...plain } = node;
  const before = file.text(symbol)?.description.text ?? (isOther(node) ? textOf(node) : {});
  const { tags, complexity } = plain;
  const names = { ...(tags === undefined ? {} : { tags }), ...(complexity === undefined ? {} : { complexity }) };
  const text = textOf(withText(plain as GraphNode, { ...names, ...before, ...answer }));
  return { ...symbolStatement(path, file.blob ?? "", symbol, text), author: holder };
}

/**
 * The whole content, if nothing of it is left open or aging: then what moved here is stated here, too. Otherwise, with the file itself, what it
 * imports and which of its symbols are gone.
 */
function besideAnswers({ path, file, open, isWhole }: ClaimedFile, done: ReadonlySet<string>): NewStatement[] {
  const { blob, fact, symbols } = file;
  if (blob === null) return [];
  const left = symbols.all().filter(({ id, type }) => !done.has(id) && type !== "beside");
  if ([...open].every((id) => done.has(id))) {
    const moved = isWhole ? [] : left.flatMap((symbol) => followed(file, symbol));
    return [...moved, contentStatement(path, blob, fact)];
  }
  const own = symbols.get("file", "");
  if (own === undefined || !done.has(own.id)) return [];
  const beside = symbols.get("beside", "");
  const gone = file.goneSymbols().map(({ type, name }): NewStatement => {
    return { path, type, name, hash: ABSENT, blob, text: null };
  });
  return [...(beside === undefined ? [] : [symbolStatement(path, blob, beside, null)]), ...gone];
}

/** A text that came along with its symbol: what it is about, who wrote it and when stay as they were. */
function followed(file: FileAtHead, symbol: SymbolAt): NewStatement[] {
  const text = file.text(symbol);
  if (text === null || file.blob === null || (text.nearness !== "moved" && text.nearness !== "renamed")) return [];
  const { id: _id, batch: _batch, ...row } = text.description.row;
  return [{ ...row, path: file.path, name: symbol.name }];
}

const CHANGED = "the file in the work tree is no longer what was claimed";
const NOT_THERE = "the file is not in the commit that was claimed";

/**
 * Takes nodes and edges for the contents that they were made from: a file that has changed in the work tree since may have been read in
 * either state, and stays pending. Deleted files need no analysis, and are completed by any delivery.
 */
export async function applyResult(context: Context, result: Result, lease: string | null): Promise<Applied> {
  return withLock(context, async (locked) => {
    const { db, project } = locked;
    const { comparison } = await syncForUpdate(locked);
    const { due, holder } = claimedPaths(locked, comparison, lease);
    const claimed = new Map(due);
    const loaded = await locked.load();
    const delivered = await takeFiles(project.worktree.path, comparison.head, result.files, claimed);
    const gone = due.flatMap(([path, oid]) => (oid === null ? [path] : []));
    const at = atContents(loaded, comparison, [...delivered.taken]);
    await at.prepare(delivered.taken.keys(), { texts: true });
    const files = [...delivered.taken.keys()].map((path) => deliveredFile(at.file(path), result, holder));
    add(loaded, batchOf(loaded, comparison, "apply"), {
      statements: [...files.flatMap(({ statements }) => statements), ...gone.map(absence)],
      slices: [...files.flatMap(({ slices }) => slices), ...looseSlices(result), ...groupSlices(result)],
    });
    const applied = [...delivered.taken.keys(), ...gone];
    for (const { path, oid, reason } of delivered.refused) {
      if (!claimed.has(path)) continue;
      const questions = await claimedQuestions(locked, comparison, [[path, oid]]);
      countAttempt(db, project.worktree.id, questions, { error: `${path}: ${reason}`, count: 0 });
    }
    if ([...claimed.keys()].every((path) => applied.includes(path))) endLease(db, project.worktree.id);
    const { marker } = await sync(locked, { allowTracked: true });
    return { applied, refused: delivered.refused, marker };
  });
}

async function takeFiles(
  cwd: string,
  commit: string,
  files: readonly string[],
  claimed: ReadonlyMap<string, string | null>,
): Promise<Pick<Delivered, "refused"> & { taken: Map<string, string> }> {
  const unasked = files.filter((path) => !claimed.has(path));
  const entries = unasked.length === 0 ? [] : await listTree(cwd, commit, unasked);
  const there = new Map<string, string>();
  for (const path of files) {
    const oid = claimed.get(path);
    if (oid !== undefined && oid !== null) there.set(path, oid);
  }
  for (const { path, mode, oid } of entries) if (isRegularFile(mode)) there.set(path, oid);
  const now = await worktreeOids(cwd, [...there.keys()]);
  const taken = new Map<string, string>();
  const refused: Delivered["refused"] = [];
  for (const path of files) {
    if (claimed.get(path) === null) continue;
    const oid = there.get(path) ?? null;
    if (oid !== null && now.get(path) === oid) taken.set(path, oid);
    else refused.push({ path, oid, reason: oid === null ? NOT_THERE : CHANGED });
  }
  return { taken, refused };
}

/** Its texts and the whole content; what our extractor does not compute of it is a slice. */
function deliveredFile(
  file: FileAtHead,
  { nodes, edges }: Result,
  holder: string | null,
): { statements: NewStatement[]; slices: NewSlice[] } {
  const { path, blob, fact } = file;
  if (blob === null) return { statements: [], slices: [] };
  const own = nodes.filter(({ filePath }) => filePath === path).map(withoutReview);
  if (own.length === 0) return { statements: wholeContent(file), slices: [] };
  const docs = new Set(docSentences(file));
  const statements = own.flatMap((node): NewStatement[] => {
    if (!hasDescription(node) || docs.has(node.summary)) return [];
    return [{ ...symbolStatement(path, blob, file.symbols.of(node), textOf(node)), author: holder }];
  });
  const piece = notComputed(file, own, { nodes, edges });
  const text = piece.nodes.length + piece.edges.length === 0 ? null : JSON.stringify(piece);
  const slices = text === null ? [] : [{ document: GRAPH, key: sliceOfFile(path), blob, text } as const];
  return { statements: [...statements, contentStatement(path, blob, fact)], slices };
}

function docSentences({ fact }: FileAtHead): string[] {
  const { file, functions = {}, classes = {} } = fact?.docs ?? {};
  return [...(file === undefined ? [] : [file]), ...Object.values(functions), ...Object.values(classes)];
}

function notComputed(
  file: FileAtHead,
  own: readonly GraphNode[],
  { nodes, edges }: Pick<Result, "nodes" | "edges">,
): GraphPiece {
  const { path, fact } = file;
  const computed = new Set((fact?.hasStructuralAnalysis === true ? nodesOfFile(path, fact) : []).map(({ id }) => id));
  const ids = new Set(own.map(({ id }) => id));
  const loose = new Set(nodes.flatMap(({ id, filePath }) => (filePath === undefined ? [id] : [])));
  return {
    nodes: own.filter((node) => !computed.has(node.id) || !isStructuralNode(node)),
    edges: edges.filter(
      (edge) => (ids.has(edge.source) || (ids.has(edge.target) && !loose.has(edge.source))) && !isStructuralEdge(edge),
    ),
  };
}

/** Nodes without a file, with the edges that start there. */
function looseSlices({ nodes, edges }: Result): NewSlice[] {
  const loose = nodes.filter(({ filePath }) => filePath === undefined);
  return loose.map((node) => {
    const own = edges.filter(({ source }) => source === node.id);
    return { document: GRAPH, key: `node:${node.id}`, blob: "", text: JSON.stringify({ node, edges: own }) };
  });
}
