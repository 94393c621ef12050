import { isSource } from "../fingerprint/languages.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import { type EdgeContext, edgesOfFile, isStructuralEdge } from "../graph/build.js";
import { hasDescription } from "../graph/descriptions.js";
import { edgeKey, fileId, placeOf } from "../graph/ids.js";
import type { GraphUpdate, LayerShell } from "../graph/merge.js";
import { renewProjectTexts } from "../graph/project-texts.js";
import { type Relinked, relinkedFiles } from "../graph/relink.js";
import type { GraphEdge, GraphNode } from "../graph/types.js";
import type { LoadedContext } from "../repository/context.js";
import { readSetting, SETTINGS } from "../store/settings.js";
import type { BaselineRow } from "./baseline.js";
import type { Nearness } from "./choose.js";
import type { NewDescription } from "./descriptions.js";
import { applyToStored } from "./graph-change.js";
import { ABSENT, type Known, knownAnalysis, structuralPaths } from "./known.js";
import { type Configs, linksOf, resolverFor } from "./links.js";
import { nameIndex } from "./name-index.js";
import { describedNodes, describedOthers } from "./node-texts.js";
import { isOther } from "./other-nodes.js";
import { type GraphPlan, targetsOf } from "./plan.js";
import { readProjectTexts } from "./project-texts.js";
import type { StoredGraph } from "./stored-graph.js";

export type BaselineRows = ReadonlyMap<string, BaselineRow>;

/** Two states of the knowledge, and the graph of the first, which is changed. */
export interface GraphChange {
  context: LoadedContext;
  plan: GraphPlan;
  graph: StoredGraph;
  before: BaselineRows;
  after: BaselineRows;
  configs: { before: Configs; after: Configs };
  /** Texts that follow their symbols to another place. */
  followed: NewDescription[];
}

interface Links {
  before: EdgeContext;
  after: EdgeContext;
}

/** The graph according to the plan: stored analyses first, then the structural analyzer's, then relinked edges. */
export async function reshape(given: GraphChange): Promise<void> {
  const change = { ...given, before: inGraph(given.before), after: inGraph(given.after) };
  const { plan, graph, context } = change;
  const structural = structuralPaths(context.db, context.project.scope);
  const stored = new Map(plan.restores.map(({ path, oid }) => [path, knownAnalysis(context.db, path, oid)]));
  const links = needsLinks(change, structural, stored) ? await linksFor(change) : null;
  const items = new Map([...stored].map(([path, known]) => [path, takenApart(change, path, known, links)]));
  const passes = [restorePass(change, items)];
  if (plan.structural.length > 0 && links !== null) passes.push(structuralPass(change, links.after));
  const appeared = appearing(change, passes);
  for (const pass of passes) if (!isIdle(pass)) applyToStored(graph, pass);
  if (links !== null) relinkOthers(change, links, structural, appeared);
  for (const [path, known] of items) if (known !== null) graph.setSource(path, known.source);
  for (const { path, oid } of plan.structural) if (oid !== ABSENT) graph.setSource(path, "structural");
  await renewTexts(change);
}

/** With what manifests and READMEs say, if the plan has them. */
async function renewTexts({ context, plan, graph }: GraphChange): Promise<void> {
  if (plan.textFiles === undefined) return;
  const { db, project } = context;
  const before = readSetting(db, SETTINGS.textFiles, project.scope) ?? [];
  const cwd = project.worktree.path;
  const texts = { before: await readProjectTexts(cwd, before), after: await readProjectTexts(cwd, plan.textFiles) };
  graph.setHead(renewProjectTexts(graph.head, texts.before, texts.after));
}

/** A file that was acknowledged without an analysis has no node that an edge could lead to. */
export function inGraph(rows: BaselineRows): BaselineRows {
  return new Map([...rows].filter(([, row]) => row.inGraph));
}

function isIdle(pass: GraphUpdate): boolean {
  const lists = [pass.files, pass.deleted, pass.edges, pass.unlinked ?? [], pass.renamed];
  return lists.every((list) => list.length === 0) && pass.layers === undefined && pass.tour === undefined;
}

/**
 * Computed edges depend on all files; edges of agents do not, and a graph with only those is never parsed for links.
 */
function needsLinks(
  { plan, before, after, configs }: GraphChange,
  structural: ReadonlySet<string>,
  items: ReadonlyMap<string, Known | null>,
): boolean {
  if (plan.structural.length > 0) return true;
  const analyzed = [...items.values()].filter((known) => known !== null && !isSilent(known));
  if (analyzed.some((known) => known?.source === "structural")) return true;
  if (structural.size === 0) return false;
  if (analyzed.length > 0) return true; // taken apart, also where its content is the one before
  if (JSON.stringify(configs.before) !== JSON.stringify(configs.after)) return true;
  // A file that was added, deleted, or has other classes may change the resolution of names in other files.
  return [...targetsOf(plan).keys()].some((path) => before.get(path)?.oid !== after.get(path)?.oid);
}

async function linksFor({ context, before, after, configs }: GraphChange): Promise<Links> {
  const cwd = context.project.worktree.path;
  const old = await resolverFor(cwd, before.keys(), configs.before);
  const samePaths = before.size === after.size && [...before.keys()].every((path) => after.has(path));
  const same = samePaths && JSON.stringify(configs.before) === JSON.stringify(configs.after);
  const now = same ? old : await resolverFor(cwd, after.keys(), configs.after);
  return {
    before: await linksOf(context, before, old),
    after: await linksOf(context, after, now, before),
  };
}

function emptyPass({ plan, graph }: GraphChange): GraphUpdate {
  const { analyzedAt: at, gitCommitHash: commit } = graph.head.project;
  return {
    files: [],
    deleted: [],
    renamed: [],
    nodes: [],
    edges: [],
    commit,
    at,
    ...analyzed(plan),
  };
}

function analyzed({ layers, tour }: GraphPlan): Pick<GraphUpdate, "layers" | "tour"> {
  return { ...(layers === undefined ? {} : { layers }), ...(tour === undefined ? {} : { tour }) };
}

function restorePass(change: GraphChange, items: ReadonlyMap<string, Known | null>): GraphUpdate {
  const { plan } = change;
  const analyzed = [...items].flatMap(([path, known]) =>
    known === null || isSilent(known) ? [] : [{ path, ...known }],
  );
  const moved = new Set(plan.moves.map(({ from }) => from));
  const gone = [...items].filter(([path, known]) => !moved.has(path) && (known === null || isSilent(known)));
  const removed = plan.structural.filter(({ path, oid }) => oid === ABSENT && !moved.has(path));
  const layerOf = new Map<string, LayerShell>();
  for (const { path, analysis } of analyzed) if (analysis.layer !== undefined) layerOf.set(path, analysis.layer);
  return {
    ...emptyPass(change),
    files: analyzed.map(({ path }) => path),
    deleted: [...gone.map(([path]) => path), ...removed.map(({ path }) => path)],
    renamed: plan.moves,
    nodes: [...analyzed.flatMap(({ analysis }) => analysis.nodes), ...(plan.loose?.nodes ?? [])],
    edges: [
      ...analyzed.flatMap(({ analysis }) => analysis.edges),
      ...inboundEdges(change, items),
      ...(plan.loose?.edges ?? []),
    ],
    layerOf,
  };
}

/**
 * Of a stored analysis only what cannot be computed is used: nodes and edges of other kinds, and its layer. The rest is computed from the code,
 * with the descriptions that are stored by symbol. One with nodes or edges that the code does not show stays as it was delivered.
 */
function takenApart(change: GraphChange, path: string, known: Known | null, links: Links | null): Known | null {
  const fp = links?.after.fingerprintOf(path);
  if (known === null || isSilent(known) || links === null || fp?.hasStructuralAnalysis !== true) return known;
  const { nodes, edges } = known.analysis;
  const written = new Set(nodes.filter(hasDescription).map(({ id }) => id));
  // What was known without a sentence gets one that was written for exactly this content, and no other.
  const mayDescribe = ({ id }: GraphNode, nearness: Nearness) => written.has(id) || EQUAL.has(nearness);
  const computed = {
    nodes: describedNodes(change, { path, fp }, mayDescribe),
    edges: edgesOfFile(path, fp, links.after),
  };
  const [ids, keys] = [new Set(computed.nodes.map(({ id }) => id)), new Set(computed.edges.map(edgeKey))];
  const others = { nodes: nodes.filter(isOther), edges: edges.filter((edge) => !isStructuralEdge(edge)) };
  const isComputed =
    known.source === "structural" ||
    (nodes.every((node) => isOther(node) || ids.has(node.id)) &&
      edges.every((edge) => !isStructuralEdge(edge) || keys.has(edgeKey(edge))));
  if (!isComputed) return known;
  const analysis = {
    ...known.analysis,
    nodes: [...computed.nodes, ...others.nodes],
    edges: [...computed.edges, ...others.edges],
  };
  return { analysis, source: "structural" };
}

const EQUAL: ReadonlySet<Nearness> = new Set(["exact", "moved", "renamed"]);

const isSilent = ({ analysis }: Known) => analysis.nodes.length === 0;

/** Edges from unchanged files to restored nodes; those without a target are dropped by the merge. */
function inboundEdges({ context, after }: GraphChange, items: ReadonlyMap<string, Known | null>): GraphEdge[] {
  const back = new Set([...items.values()].flatMap((known) => known?.analysis.nodes.map(({ id }) => id) ?? []));
  const from = new Set([...items.values()].flatMap((known) => known?.analysis.inboundFrom ?? []));
  return [...from].flatMap((path) => {
    const oid = items.has(path) ? null : (after.get(path)?.oid ?? null);
    const known = oid === null ? null : knownAnalysis(context.db, path, oid);
    if (known === null) return [];
    const isTheirs = (edge: GraphEdge) => known.source !== "structural" || !isStructuralEdge(edge);
    return known.analysis.edges.filter((edge) => back.has(edge.target) && isTheirs(edge));
  });
}

function structuralPass(change: GraphChange, context: EdgeContext): GraphUpdate {
  const there = change.plan.structural.flatMap(({ path, oid }) => {
    const fp = oid === ABSENT ? undefined : context.fingerprintOf(path);
    return fp === undefined ? [] : [{ path, fp }];
  });
  const readable = there.filter(({ path, fp }) => !change.graph.has(path) || isComputed(change.graph, path, fp));
  return {
    ...emptyPass(change),
    files: readable.map(({ path }) => path),
    nodes: readable.flatMap((file) => [...describedNodes(change, file), ...describedOthers(change, file)]),
    edges: readable.flatMap(({ path, fp }) => edgesOfFile(path, fp, context)),
    structural: true,
    drift: new Map(change.plan.drift ?? []),
  };
}

/**
 * For a file that cannot be parsed, existing nodes are better than what the analyzer has. A file that is no code may be described by a
 * node of another type (`document`): then it gets none of ours beside it.
 */
export function isComputed(graph: StoredGraph, path: string, fp: FileFingerprint): boolean {
  return fp.hasStructuralAnalysis && (isSource(path) || graph.pathOf(fileId(path)) !== undefined);
}

/** So many edges of unchanged files are in memory at a time. */
const MOST_EDGES = 20_000;

/** An import of an unchanged file can resolve differently. Only files of the structural analyzer are checked. */
function relinkOthers(
  change: GraphChange,
  links: Links,
  structural: ReadonlySet<string>,
  appeared: ReadonlySet<string>,
): void {
  const { after, before, plan, graph } = change;
  const targets = targetsOf(plan);
  const others = [...after.keys()].filter((path) => before.has(path) && !targets.has(path) && !structural.has(path));
  const files = [...targets].filter(([, oid]) => oid !== null).map(([path]) => path);
  const deleted = [...before.keys()].filter((path) => !after.has(path));
  const isAnyFile = JSON.stringify(change.configs.before) !== JSON.stringify(change.configs.after);
  const { db, project } = change.context;
  const resolvers = { before: links.before.resolver, after: links.after.resolver };
  const asked = { files, deleted, renamed: [], appeared, unasked: new Set(others), isAnyFile };
  const nothing = { files: [], deleted: [], renamed: [], nodes: [] };
  const { analyzedAt: at, gitCommitHash: commit } = graph.head.project;
  let some: Relinked = { edges: [], unlinked: [] };
  const apply = () => {
    if (some.edges.length + some.unlinked.length > 0) applyToStored(graph, { ...nothing, ...some, commit, at });
    some = { edges: [], unlinked: [] };
  };
  for (const { edges, unlinked } of relinkedFiles(
    links.before,
    links.after,
    asked,
    nameIndex(db, project.scope, resolvers),
  )) {
    for (const edge of edges) some.edges.push(edge);
    for (const edge of unlinked) some.unlinked.push(edge);
    if (some.edges.length + some.unlinked.length >= MOST_EDGES) apply();
  }
  apply();
}

/** An agent may leave out a symbol of the code; once it is in the graph, edges to it are needed. */
function appearing({ graph }: GraphChange, passes: readonly GraphUpdate[]): Set<string> {
  const fresh = passes
    .flatMap(({ nodes }) => nodes)
    .filter(({ id, type }) => type !== "file" && graph.pathOf(id) === undefined);
  return new Set(fresh.flatMap(({ id }) => placeOf(id).name.split(".")));
}
