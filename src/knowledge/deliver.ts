import type { FileFingerprint } from "../fingerprint/types.js";
import { isRegularFile, listTree } from "../git/trees.js";
import { worktreeOids } from "../git/worktree.js";
import type { FileAnalysis } from "../graph/analyses.js";
import { withoutReview } from "../graph/descriptions.js";
import type { Result } from "../graph/result.js";
import type { GraphEdge, GraphNode } from "../graph/types.js";
import type { LoadedContext } from "../repository/context.js";
import { Baseline } from "./baseline.js";
import { Facts, factKey, storedFacts } from "./facts.js";
import { choiceContext, FileDescriptions } from "./file-descriptions.js";
import { ABSENT, type AnalysisSource, type Known, knownAnalysis, putAbsence, putAnalysis } from "./known.js";
import { movedAnalysis } from "./known-plan.js";
import { type GraphPlan, savePlan } from "./plan.js";
import { vouchWhole } from "./vouch.js";

export interface Assignment {
  commit: string;
  /** The claimed contents; null for a deleted file. */
  claimed: ReadonlyMap<string, string | null>;
  renamed: readonly { from: string; to: string }[];
  /** The holder of the lease; null without one. */
  holder: string | null;
  /** Whether the graph describes this worktree. */
  isGraphs: boolean;
}

export interface Delivered {
  applied: string[];
  refused: { path: string; oid: string | null; reason: string }[];
}

const CHANGED = "the file in the work tree is no longer what was claimed";
const NOT_THERE = "the file is not in the commit that was claimed";

/**
 * Stores a result for the contents that it was made from: a file that has changed in the work tree since may have been
 * read in either state, and stays pending. Deleted files need no analysis, and are completed by any delivery.
 */
export async function deliver(context: LoadedContext, result: Result, assignment: Assignment): Promise<Delivered> {
  const { db, project } = context;
  const { claimed, commit } = assignment;
  const there = await contentsAt(project.worktree.path, commit, result.files, claimed);
  const now = await worktreeOids(project.worktree.path, [...there.keys()]);
  const delivered: Delivered = { applied: [], refused: [] };
  const taken = new Map<string, string>();
  for (const path of result.files) {
    const oid = there.get(path) ?? null;
    if (claimed.get(path) === null) continue;
    if (oid !== null && now.get(path) === oid) taken.set(path, oid);
    else delivered.refused.push({ path, oid, reason: oid === null ? NOT_THERE : CHANGED });
  }
  // The caller waits anyway: parsed now, a branch that brings this content elsewhere has nothing to parse.
  const contents = [...taken].map(([path, oid]) => ({ path, oid }));
  const facts = await new Facts(storedFacts(db, { keep: true }), project.worktree.path, context.config).of(contents);
  const gone = [...claimed].flatMap(([path, oid]) => (oid === null ? [path] : []));
  db.write(() => {
    keep(context, result, assignment, taken, gone);
    for (const { path, oid } of contents)
      vouchWhole(db, project, { path, oid, fact: facts.get(factKey({ path, oid })) }, assignment);
    for (const file of contents) describe(context, result, { ...file, fact: facts.get(factKey(file)) }, assignment);
  });
  delivered.applied = [...delivered.applied, ...taken.keys(), ...gone];
  return delivered;
}

/** What was delivered is stored by the content that it describes, whatever becomes of the graph. */
function describe(
  { db, project }: LoadedContext,
  { nodes }: Result,
  file: { path: string; oid: string; fact: FileFingerprint | undefined },
  { commit, holder }: Assignment,
): void {
  const store = new FileDescriptions(choiceContext(db, project.scope), file);
  const own = nodes.filter(({ filePath }) => filePath === file.path);
  const at = new Date().toISOString();
  store.put(own, { source: "here", author: holder, at, commit, language: null }, "renewed");
}

/** The claimed blob of each file; for a file that was not claimed, the commit's. */
async function contentsAt(
  cwd: string,
  commit: string,
  files: readonly string[],
  claimed: ReadonlyMap<string, string | null>,
): Promise<Map<string, string>> {
  const contents = new Map<string, string>();
  for (const path of files) {
    const oid = claimed.get(path);
    if (oid !== undefined && oid !== null) contents.set(path, oid);
  }
  const unasked = files.filter((path) => !claimed.has(path));
  const entries = unasked.length === 0 ? [] : await listTree(cwd, commit, unasked);
  for (const { path, mode, oid } of entries) if (isRegularFile(mode)) contents.set(path, oid);
  return contents;
}

function keep(
  { db, project }: LoadedContext,
  result: Result,
  { commit, renamed, isGraphs }: Assignment,
  taken: ReadonlyMap<string, string>,
  gone: readonly string[],
): void {
  const at = new Date().toISOString();
  const baseline = new Baseline(db, project.scope, project.worktree.id);
  const moves = renamed.filter(({ to }) => taken.has(to)).map(({ from, to }) => ({ from, to }));
  const slices = slice(result, taken);
  const loose = looseParts(result);
  // In a linked worktree they are stored with the first described file, and added to the graph with it.
  if (!isGraphs) attach(slices, loose);
  const formerNames = new Map(moves.map(({ from, to }) => [to, from]));
  for (const [path, oid] of taken) {
    const slice = slices.get(path);
    const from = formerNames.get(path) ?? path;
    const known: Known =
      slice === undefined ? undescribed(db, baseline, from, path, "agent") : { analysis: slice, source: "agent" };
    putAnalysis(db, path, oid, known, at);
    if (baseline.get(path) === null) putAbsence(db, path, at);
  }
  for (const path of [...gone, ...moves.map(({ from }) => from)]) putAbsence(db, path, at);
  if (!isGraphs) return;
  const left = [...gone, ...moves.map(({ from }) => from)].map((path) => ({ path, oid: ABSENT }));
  const restores = [...[...taken].map(([path, oid]) => ({ path, oid })), ...left];
  const plan: GraphPlan = {
    ...{ commit, restores, structural: [], moves },
    ...(loose.nodes.length === 0 ? {} : { loose }),
    ...(result.layers === undefined ? {} : { layers: result.layers }),
    ...(result.tour === undefined ? {} : { tour: result.tour }),
  };
  savePlan(db, project.scope, plan);
}

/** A file that was analysed without a result: its existing analysis is stored for the new content too. */
export function undescribed(
  db: LoadedContext["db"],
  baseline: Baseline,
  from: string,
  path: string,
  source: AnalysisSource,
): Known {
  const oid = baseline.get(from)?.oid ?? null;
  const known = oid === null ? null : from === path ? knownAnalysis(db, path, oid) : movedAnalysis(db, from, path, oid);
  const analysis = known?.analysis ?? { nodes: [], edges: [], inboundFrom: [] };
  return { analysis: { ...analysis, nodes: analysis.nodes.map(withoutReview) }, source };
}

/**
 * A result by file. An edge belongs to the file of its source; one from another file to the file of its target, with
 * which it was delivered.
 */
function slice({ nodes, edges }: Result, taken: ReadonlyMap<string, string>): Map<string, FileAnalysis> {
  const slices = new Map<string, FileAnalysis>();
  const pathOf = new Map<string, string>();
  for (const node of nodes) {
    if (node.filePath === undefined || !taken.has(node.filePath)) continue;
    pathOf.set(node.id, node.filePath);
    const known = slices.get(node.filePath) ?? { nodes: [], edges: [], inboundFrom: [] };
    known.nodes.push(withoutReview(node));
    slices.set(node.filePath, known);
  }
  for (const edge of edges) {
    slices.get(pathOf.get(edge.source) ?? pathOf.get(edge.target) ?? "")?.edges.push(edge);
  }
  return slices;
}

function attach(slices: ReadonlyMap<string, FileAnalysis>, { nodes, edges }: ReturnType<typeof looseParts>): void {
  const [first] = slices.values();
  for (const node of nodes) first?.nodes.push(node);
  for (const edge of edges) first?.edges.push(edge);
}

/** Nodes without a file (concepts, domains), and the edges between them. */
function looseParts({ nodes, edges }: Result): { nodes: GraphNode[]; edges: GraphEdge[] } {
  const loose = nodes.filter(({ filePath }) => filePath === undefined);
  const ids = new Set(loose.map(({ id }) => id));
  return { nodes: loose, edges: edges.filter(({ source, target }) => ids.has(source) && ids.has(target)) };
}
