import type { FileFingerprint } from "../fingerprint/types.js";
import { nodesOfFile } from "../graph/build.js";
import type { Complexity, GraphNode } from "../graph/types.js";
import type { LoadedContext } from "../repository/context.js";
import type { Db } from "../store/sqlite.js";
import type { SymbolVerdict } from "../verification/symbol-changes.js";
import { keepSymbolsBehind } from "./behind.js";
import { type Description, textOf, withText } from "./descriptions.js";
import { Facts, factKey, storedFacts } from "./facts.js";
import { choiceContext, FileDescriptions, type TextOrigin } from "./file-descriptions.js";
import { isOther, originOfOther } from "./other-nodes.js";
import { analysedSymbols, putAnalysedSymbols } from "./symbol-baseline.js";
import { symbolStates } from "./symbol-states.js";

/** What a model says about a symbol. */
export interface DescriptionAnswer {
  summary: string;
  tags?: string[];
  complexity?: Complexity;
}

/** The answers about one file, at the content that it was claimed at. */
export interface AnsweredSymbols {
  path: string;
  oid: string;
  analysedOid: string | null;
  /** By id. */
  descriptions: ReadonlyMap<string, DescriptionAnswer>;
  /** Ids of symbols whose description still holds. */
  unchanged: readonly string[];
  /** Every symbol that changed; of a new file, all. */
  changed: readonly SymbolVerdict[];
  /** Nodes of the file that are not computed. */
  others: readonly GraphNode[];
}

export interface RefusedAnswer {
  id: string;
  reason: string;
}

export const NOT_SHOWN = "what was said of it is from outside of this clone and was not in the packet: describe it";

export interface AnswerOptions {
  commit: string;
  holder: string | null;
  /** Whether the graph describes this worktree. */
  isGraphs: boolean;
}

/**
 * Stores what was said under the contents that it was said of, whatever the work tree holds now, and how far each symbol of
 * the files is analysed by that. Returns what cannot be taken.
 */
export async function fileAnswers(
  context: LoadedContext,
  files: readonly AnsweredSymbols[],
  { commit, holder, isGraphs }: AnswerOptions,
): Promise<RefusedAnswer[]> {
  const { db, project } = context;
  const facts = await factsOf(context, files);
  const origin = originOf({ commit, holder });
  const refused: RefusedAnswer[] = [];
  db.write(() => {
    for (const file of files) {
      const { path, oid, analysedOid } = file;
      const fact = facts.get(factKey({ path, oid }));
      const { answered, notShown } = storeTexts(context, file, fact, origin);
      for (const id of notShown) refused.push({ id, reason: NOT_SHOWN });
      if (isGraphs) {
        const before = analysedOid === null ? undefined : facts.get(factKey({ path, oid: analysedOid }));
        keepRest(context, file, before, answered);
      } else {
        const states = symbolStates(path, oid, fact).filter(({ id }) => answered.has(id));
        putAnalysedSymbols(db, project.worktree.id, path, states);
      }
    }
  });
  return refused;
}

/** The same for symbols that are not pending: how far the files are analysed stays as it is. `then`: done together with it. */
export async function describeSymbols(
  context: LoadedContext,
  files: readonly AnsweredSymbols[],
  options: Pick<AnswerOptions, "commit" | "holder">,
  then: () => void,
): Promise<void> {
  const facts = await factsOf(context, files);
  context.db.write(() => {
    for (const file of files) storeTexts(context, file, facts.get(factKey(file)), originOf(options));
    then();
  });
}

async function factsOf({ db, project, config }: LoadedContext, files: readonly AnsweredSymbols[]) {
  const contents = files.flatMap(({ path, oid, analysedOid }) =>
    [oid, ...(analysedOid === null ? [] : [analysedOid])].map((one) => ({ path, oid: one })),
  );
  return new Facts(storedFacts(db, { keep: true }), project.worktree.path, config).of(contents);
}

function originOf({ commit, holder }: Pick<AnswerOptions, "commit" | "holder">): TextOrigin {
  return { source: "here", author: holder, at: new Date().toISOString(), commit, language: null };
}

/** The ids that are answered, and those whose text the answer did not know. */
function storeTexts(
  { db, project }: LoadedContext,
  { path, oid, descriptions, unchanged, others }: AnsweredSymbols,
  fact: FileFingerprint | undefined,
  origin: TextOrigin,
): { answered: Set<string>; notShown: string[] } {
  const store = new FileDescriptions(choiceContext(db, project.scope), { path, oid, fact });
  const computed = fact === undefined ? [] : nodesOfFile(path, fact);
  const nodes = new Map([...computed, ...others].map((node) => [node.id, node]));
  const answered = new Set<string>();
  const notShown: string[] = [];
  for (const [id, answer] of descriptions) {
    const node = nodes.get(id);
    if (node !== undefined) store.put([described(node, answer, store)], origin, "renewed");
    answered.add(id);
  }
  for (const id of unchanged) {
    const node = nodes.get(id);
    const found = node === undefined ? null : previousDescription(db, path, node, store);
    if (found !== null && found.source !== "here") notShown.push(id);
    else answered.add(id);
    if (node === undefined || found?.source !== "here") continue;
    store.put([withText(node, found.text)], { ...origin, author: found.author }, "new");
  }
  return { answered, notShown };
}

/** What a node that is not computed is about is known by its blob alone: what it says now is what was shown. */
function previousDescription(db: Db, path: string, node: GraphNode, store: FileDescriptions): Description | null {
  return isOther(node) ? originOfOther(db, path, node) : (store.choose(node)?.description ?? null);
}

/** What an answer leaves out stays as it was said, else as it is computed. */
function described(node: GraphNode, answer: DescriptionAnswer, store: FileDescriptions): GraphNode {
  const { docComment: _doc, ...plain } = node;
  const before = store.choose(node)?.description.text ?? (isOther(node) ? textOf(node) : {});
  return withText(plain as GraphNode, { ...withoutNames(plain), ...before, ...answer });
}

function withoutNames({ tags, complexity }: Partial<GraphNode>): Pick<DescriptionAnswer, "tags" | "complexity"> {
  return { ...(tags === undefined ? {} : { tags }), ...(complexity === undefined ? {} : { complexity }) };
}

/** What was not answered stays at what was analysed before. */
function keepRest(
  { db, project }: LoadedContext,
  { path, oid, analysedOid, changed }: AnsweredSymbols,
  before: FileFingerprint | undefined,
  answered: ReadonlySet<string>,
): void {
  keepSymbolsBehind(db, project.scope, {
    ...{ path, oid },
    before: analysedOid === null ? [] : symbolStates(path, analysedOid, before),
    apart: analysedSymbols(db, project.scope, project.scope).get(path) ?? new Map(),
    open: changed.filter(({ id }) => !answered.has(id)),
  });
}
