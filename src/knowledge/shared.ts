import type { FileFingerprint } from "../fingerprint/types.js";
import { isStructuralEdge, nodesOfFile } from "../graph/build.js";
import type { GraphNode } from "../graph/types.js";
import type { LoadedContext } from "../repository/context.js";
import { isNumber, isText, listOf, objectOf } from "../store/check.js";
import { readSetting, SETTINGS, type Setting, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import type { Comparison } from "../verification/compare.js";
import type { PathVerdict } from "../verification/verdicts.js";
import { Baseline, sharedRows } from "./baseline.js";
import { FileKeys } from "./description-keys.js";

import { Facts, factKey, storedFacts } from "./facts.js";
import { type ChoiceContext, choiceContext, FileDescriptions } from "./file-descriptions.js";
import { knownAnalysis, knownOids, putAbsence, putAnalysis, storedAnalysis } from "./known.js";
import { isOther } from "./other-nodes.js";
import { savePlan, unfinishedPlan } from "./plan.js";
import { StoredGraph } from "./stored-graph.js";

/** What descriptions of other clones made unnecessary to ask an agent, by author. */
export interface SharedSaving {
  author: string;
  files: number;
  tokens: number;
}

const SAVINGS: Setting<SharedSaving[]> = {
  ...{ key: "sharing.savings", version: 1, invalid: "absent" },
  check: listOf(objectOf<SharedSaving>({ author: isText, files: isNumber, tokens: isNumber })),
};

export const readSavings = (db: Db): SharedSaving[] => readSetting(db, SAVINGS) ?? [];

export function addSaving(db: Db, author: string, tokens: number): void {
  const before = readSavings(db);
  const { files = 0, tokens: sum = 0 } = before.find((one) => one.author === author) ?? {};
  const others = before.filter((one) => one.author !== author);
  writeSetting(db, SAVINGS, [...others, { author, files: files + 1, tokens: sum + tokens }]);
}

export const hasShared = (db: Db): boolean =>
  db.get("SELECT 1 AS one FROM descriptions WHERE source = 'shared' LIMIT 1") !== undefined;

/** One pending file, and what is known of it before and now. */
interface PendingFile {
  change: PathVerdict & { oid: string };
  /** Its path before a rename. */
  from: string;
  was: FileFingerprint | undefined;
  now: FileFingerprint | undefined;
}

export interface SettledFile {
  path: string;
  oid: string;
  author: string;
}

/**
 * A file that is asked about as a whole is done if trusted authors described everything in it, for exactly this content: its
 * analysis is made from the code and these descriptions, and stored. Others are compared by symbol (verification/asked.ts).
 */
export async function settleShared(context: LoadedContext, comparison: Comparison): Promise<SettledFile[]> {
  const { db } = context;
  const whole = comparison.filesToReanalyze.filter((path) => comparison.asked.get(path)?.isWhole === true);
  if (whole.length === 0 || !hasShared(db)) return [];
  const around = aroundHead(context, comparison);
  const settled: SettledFile[] = [];
  for (const file of await pendingFiles(context, comparison, new Set(whole))) {
    const described = describeFile(around, file);
    if (described === null) continue;
    const { filePath: path, oid } = file.change;
    settled.push({ path, oid, author: described.author });
    store(context, file, described.nodes);
  }
  // Deleted files need no analysis: they are done with the last of the others.
  if (settled.length > 0 && settled.length === comparison.filesToReanalyze.length) {
    const at = new Date().toISOString();
    db.write(() => {
      for (const path of comparison.deletedFiles) putAbsence(db, path, at);
    });
  }
  return settled;
}

/** Other paths are as HEAD has them. */
function aroundHead({ db, project }: LoadedContext, { fileChanges, renamedFiles }: Comparison): ChoiceContext {
  const known = choiceContext(db, project.scope);
  const changed = new Map(fileChanges.map(({ filePath, oid }) => [filePath, oid]));
  for (const { from } of renamedFiles) changed.set(from, null);
  return { ...known, oidOf: (path) => (changed.has(path) ? (changed.get(path) ?? null) : known.oidOf(path)) };
}

async function pendingFiles(
  context: LoadedContext,
  comparison: Comparison,
  asked: ReadonlySet<string>,
): Promise<PendingFile[]> {
  const { db, project, config } = context;
  const changes = comparison.fileChanges.filter(
    (change): change is PathVerdict & { oid: string } => asked.has(change.filePath) && change.oid !== null,
  );
  const wanted = changes.flatMap(({ filePath: path, oid, analysedOid }) => [
    { path, oid },
    ...(analysedOid === null ? [] : [{ path, oid: analysedOid }]),
  ]);
  const facts = await new Facts(storedFacts(db, { keep: true }), project.worktree.path, config).of(wanted);
  const from = new Map(comparison.renamedFiles.map((one) => [one.to, one.from]));
  return changes.map((change) => {
    const { filePath: path, oid, analysedOid } = change;
    const was = analysedOid === null ? undefined : facts.get(factKey({ path, oid: analysedOid }));
    return { change, from: from.get(path) ?? path, was, now: facts.get(factKey({ path, oid })) };
  });
}

const EQUAL: ReadonlySet<string> = new Set(["exact", "moved", "renamed"]);

/** null: something in it is not described, or by this clone alone. */
function describeFile(
  around: ChoiceContext,
  { change, was, now }: PendingFile,
): { nodes: GraphNode[]; author: string } | null {
  if (now === undefined) return null;
  const { filePath: path, oid, analysedOid } = change;
  const keys = new FileKeys(path, oid, now);
  const before = new FileKeys(path, analysedOid ?? "", was);
  const known = new Map(
    was === undefined ? [] : nodesOfFile(path, was).map((node) => [node.id, { key: before.of(node), node }]),
  );
  const descriptions = new FileDescriptions(around, { path, oid, fact: now });
  const nodes = nodesOfFile(path, now);
  const authors: (string | null)[] = [];
  for (const node of nodes) {
    const old = known.get(node.id);
    const key = keys.of(node);
    if (old !== undefined && (old.key.hash === key.hash || !isAsked(old, { key, node }))) continue;
    const found = descriptions.choose(node);
    if (found === null || !EQUAL.has(found.nearness)) return null;
    if (found.description.source === "shared") authors.push(found.description.author);
  }
  const author = authors.find((one) => one !== null);
  return author === undefined || author === null ? null : { nodes: descriptions.describe(nodes), author };
}

interface KeyedNode {
  key: ReturnType<FileKeys["of"]>;
  node: GraphNode;
}

/** As for the whole file: another interface, or a size below half or above one and a half of what it was. */
function isAsked(before: KeyedNode, after: KeyedNode): boolean {
  if (after.key.signature === undefined || before.key.signature !== after.key.signature) return true;
  const lines = ({ node: { lineRange } }: KeyedNode) => (lineRange === undefined ? 1 : lineRange[1] - lineRange[0] + 1);
  const ratio = lines(after) / lines(before);
  return after.node.type !== "file" && (ratio < 0.5 || ratio > 1.5);
}

/** With what the graph had of the file besides: nodes of other types, edges that no extractor finds. */
function store({ db, project }: LoadedContext, { change, from }: PendingFile, nodes: GraphNode[]): void {
  const { filePath: path, oid } = change;
  const baseline = new Baseline(db, project.scope, project.worktree.id);
  const was = baseline.get(from)?.oid ?? null;
  const before = was === null || from !== path ? undefined : knownAnalysis(db, path, was)?.analysis;
  const others = (before?.nodes ?? []).filter(isOther);
  const edges = (before?.edges ?? []).filter((edge) => !isStructuralEdge(edge));
  const analysis = {
    ...{ nodes: [...nodes, ...others], edges, inboundFrom: before?.inboundFrom ?? [] },
    ...(before?.layer === undefined ? {} : { layer: before.layer }),
  };
  const at = new Date().toISOString();
  db.write(() => {
    putAnalysis(db, path, oid, { analysis, source: "structural" }, at);
    if (baseline.get(path) === null) putAbsence(db, path, at);
    if (from !== path) putAbsence(db, from, at);
  });
}

/**
 * Descriptions come or go: chooses anew for the contents of some paths that are stored, in the graph and outside of it. If the graph
 * changes, it is planned to be rendered; the next verification does that. `change`: done together with it, or not at all. Returns
 * whether it changes.
 */
export async function renewShown(
  context: LoadedContext,
  paths: Iterable<string>,
  change: () => void = () => {},
): Promise<boolean> {
  const { db, project, config } = context;
  const { scope } = project;
  const rows = sharedRows(db, scope);
  const files = [...paths].flatMap((path) => knownOids(db, path).map((oid) => ({ path, oid })));
  const facts = await new Facts(storedFacts(db, { keep: true }), project.worktree.path, config).of(files);
  const around = choiceContext(db, scope);
  const commit = readSetting(db, SETTINGS.baseCommit, scope);
  return db.write(() => {
    change();
    const graph = StoredGraph.load(db, scope);
    for (const file of files) {
      const descriptions = new FileDescriptions(around, { ...file, fact: facts.get(factKey(file)) });
      describeStored(db, file, descriptions);
      if (graph === null || rows.get(file.path)?.oid !== file.oid) continue;
      const { nodes, edges } = graph.piece(file.path);
      graph.put(file.path, { nodes: descriptions.describe(nodes), edges }, graph.sourceOf(file.path) ?? "found");
    }
    if (graph?.isChanged !== true || commit === null) return false;
    graph.save();
    const unfinished = unfinishedPlan(db, scope); // of a process that was killed: it is carried out with this one
    savePlan(db, scope, { commit, restores: [], structural: [], moves: [], ...unfinished, render: true });
    return true;
  });
}

function describeStored(db: Db, { path, oid }: { path: string; oid: string }, descriptions: FileDescriptions): void {
  const known = storedAnalysis(db, path, oid);
  if (known === null || known.analysis.nodes.length === 0) return;
  const analysis = { ...known.analysis, nodes: descriptions.describe(known.analysis.nodes) };
  putAnalysis(db, path, oid, { analysis, source: known.source }, new Date().toISOString());
}
