import { createHash } from "node:crypto";
import type { PlainFingerprint } from "../fingerprint/plain.js";
import { renderedEntry } from "../fingerprint/stored.js";
import { type FileAnalysis, sliceSome } from "../graph/analyses.js";
import { edgeKey } from "../graph/ids.js";
import type { KnowledgeGraph } from "../graph/types.js";
import { parseGraph } from "../graph/validate.js";
import type { LoadedContext } from "../repository/context.js";
import { faultPoint } from "../store/fault.js";
import { isAsStamped, toJson } from "../store/files.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import { loadGraphText } from "./adopt.js";
import { adoptedFiles, adoptedStamps, isAdopted, recordAdopted } from "./adopted.js";
import {
  ArtefactChanged,
  type ArtefactName,
  artefactPath,
  artefactStamp,
  FINGERPRINTS,
  fingerprintStoreJson,
  GRAPH,
  type ReadStamps,
  readArtefactBytes,
  readFingerprintStore,
  stampsAsRead,
  writeArtefactText,
} from "./artefacts.js";
import { type BaselineRow, digestOf, moveBaseline, sharedRows } from "./baseline.js";
import { Facts, storedFacts } from "./facts.js";
import { syncImports } from "./imports.js";
import { type Known, knownAnalysis, putAbsence, putAnalysis } from "./known.js";
import type { Configs } from "./links.js";
import { type GraphPlan, isEmptyPlan, savePlan, targetsOf, unfinishedPlan } from "./plan.js";
import { type BaselineRows, reshape } from "./reshape.js";
import { dropSnapshots, packSnapshot, readSnapshot, saveSnapshot } from "./snapshots.js";

export interface Writer {
  context: LoadedContext;
  /** The user runs a command: tracked artefacts themselves may be written (invariant "no self-triggering"). */
  allowTracked: boolean;
  /** Throws if the lock was lost. */
  assertHeld(): void;
  /** Called for each artefact that was written. */
  stampWritten(name: ArtefactName): void;
}

/**
 * Changes graph, fingerprints and baseline according to a plan. Save order (invariant "advance last"): the plan itself,
 * graph, fingerprints, then in one transaction the baseline, the stamp and the end of the plan. A kill between any two
 * leaves the plan, and `resume` repeats it.
 */
export async function reconcile(writer: Writer, plan: GraphPlan, { isResumed = false } = {}): Promise<void> {
  const { context } = writer;
  const { db, project } = context;
  const { scope } = project;
  const before = sharedRows(db, scope);
  const after = rowsAfter(context, before, plan);
  const configs = configsOf(context, plan);
  const asRead = stampsAsRead(project);
  const isFirstTry = isAsAdopted(context, GRAPH);
  if (!isFirstTry && !isResumed) throw new ArtefactChanged(artefactPath(project, GRAPH));
  const current = loadGraphText(project, { isChecked: isFirstTry });
  const digest = digestOf(after, JSON.stringify(configs.after));
  const change = { context, plan, graph: current.graph, before, after, configs };
  const known = remembered(context, plan, digest);
  const next = known ?? render(current, await reshape(change), plan.commit);
  const packing = known === null ? packSnapshot(next.text) : Promise.resolve(null);
  const fingerprints = await patchFingerprints(context, before, plan);
  writer.assertHeld();
  const wrote = { graph: hashOf(next.text), ...(fingerprints === null ? {} : { fingerprints: hashOf(fingerprints) }) };
  savePlan(db, scope, { ...plan, wrote });
  faultPoint("graph.write");
  if (!next.text.equals(current.text)) write(writer, GRAPH, next.text, asRead);
  faultPoint("fingerprints.write");
  if (fingerprints !== null) write(writer, FINGERPRINTS, fingerprints, asRead);
  faultPoint("baseline.write");
  const packed = await packing;
  const at = new Date().toISOString();
  db.write(() => {
    // At a second try the graph may already be the new one, and has nothing old to store.
    if (isFirstTry) keepLeaving(context, current.graph, before, plan, at);
    keepAbsences(context, before, plan, at);
    storeAnalyzed(context, next.graph, plan, at);
    moveBaseline(db, scope, rowChanges(plan, next.graph));
    syncImports(db, scope, next.graph);
    const linking = configs.after.map(([path, oid]): [string, string] => [path, oid]);
    writeSetting(db, SETTINGS.configs, linking, scope);
    keepTextFiles(context, plan);
    saveSnapshot(db, scope, digest, packed, at);
    // As they were read or written here: what another program wrote since then is not known.
    recordAdopted(db, project, [asRead[GRAPH], asRead[FINGERPRINTS]]);
    savePlan(db, scope, null);
  });
  faultPoint("baseline.written");
}

/** Checks the lock before every write, and that no other program wrote since the file was read. Updates the stamp. */
function write(
  { context, allowTracked, assertHeld, stampWritten: noteWritten }: Writer,
  name: keyof ReadStamps,
  text: Buffer,
  asRead: ReadStamps,
): void {
  assertHeld();
  writeArtefactText(context.db, context.project, name, text, { allowTracked, asRead: asRead[name] });
  asRead[name] = artefactStamp(context.project, name);
  noteWritten(name);
}

/** Completes the plan of a killed process, before anything is compared. */
export async function resume(writer: Writer): Promise<void> {
  const { db, project } = writer.context;
  const plan = unfinishedPlan(db, project.scope);
  if (plan === null) return;
  // If another tool wrote since, its graph is adopted first; the analyses of the plan are stored, and found again.
  if (isEmptyPlan(plan) || !(isAdopted(db, project) || isOurs(writer.context, plan))) {
    savePlan(db, project.scope, null);
    return;
  }
  const { wrote: _wrote, ...open } = plan;
  await reconcile(writer, open, { isResumed: true });
}

/** Whether each artefact is as adopted, or as the plan was about to write it. */
function isOurs(context: LoadedContext, { wrote }: GraphPlan): boolean {
  const isWritten = (name: ArtefactName, hash: string | undefined) =>
    hash !== undefined && hashOf(readArtefactBytes(context.project, artefactPath(context.project, name))) === hash;
  return (
    (isAsAdopted(context, GRAPH) || isWritten(GRAPH, wrote?.graph)) &&
    (isAsAdopted(context, FINGERPRINTS) || isWritten(FINGERPRINTS, wrote?.fingerprints))
  );
}

function isAsAdopted({ db, project }: LoadedContext, name: typeof GRAPH | typeof FINGERPRINTS): boolean {
  const files = adoptedFiles(project);
  const stamps = adoptedStamps(db, project);
  const first = name === GRAPH ? 0 : 1;
  return [first, first + 2].every((at) => isAsStamped(files[at] ?? "", stamps[at]));
}

function hashOf(text: Buffer): string {
  return createHash("sha256").update(text).digest("hex");
}

function configsOf({ db, project }: LoadedContext, plan: GraphPlan): { before: Configs; after: Configs } {
  const before = readSetting(db, SETTINGS.configs, project.scope) ?? [];
  return { before, after: plan.configs ?? before };
}

function rowsAfter({ db }: LoadedContext, before: BaselineRows, plan: GraphPlan): BaselineRows {
  const after = new Map(before);
  for (const [path, oid] of targetsOf(plan)) {
    if (oid === null) after.delete(path);
    else
      after.set(path, {
        oid,
        contentHash: null,
        inGraph: (knownAnalysis(db, path, oid)?.analysis.nodes.length ?? 1) > 0,
      });
  }
  return after;
}

function rowChanges(plan: GraphPlan, graph: KnowledgeGraph): Map<string, BaselineRow | null> {
  const inGraph = new Set(graph.nodes.map(({ filePath }) => filePath));
  const changes = new Map<string, BaselineRow | null>();
  for (const [path, oid] of targetsOf(plan)) {
    changes.set(path, oid === null ? null : { oid, contentHash: null, inGraph: inGraph.has(path) });
  }
  return changes;
}

interface Rendered {
  graph: KnowledgeGraph;
  text: Buffer;
}

/** An earlier state is restored byte for byte. */
function remembered({ db, project }: LoadedContext, plan: GraphPlan, digest: string): Rendered | null {
  const hasNewParts = [plan.layers, plan.tour, plan.loose, plan.textFiles].some((part) => part !== undefined);
  if (plan.structural.length > 0 || hasNewParts) return null;
  const text = readSnapshot(db, project.scope, digest);
  return text === null ? null : { graph: parseGraph(text.toString("utf8"), { isChecked: true }), text };
}

/** Commit and time only change with the content: an equal analysis changes nothing. */
function render(current: Rendered, graph: KnowledgeGraph, commit: string): Rendered {
  if (isSameGraph(current.graph, graph)) return current;
  const project = { ...graph.project, gitCommitHash: commit, analyzedAt: new Date().toISOString() };
  const next = { ...graph, project };
  return { graph: next, text: Buffer.from(toJson(next)) };
}

function isSameGraph(a: KnowledgeGraph, b: KnowledgeGraph): boolean {
  const isSame = (x: readonly unknown[], y: readonly unknown[]) =>
    x.length === y.length && x.every((one, at) => one === y[at] || JSON.stringify(one) === JSON.stringify(y[at]));
  if (!isSame([a.project], [b.project])) return false;
  return isSame(a.nodes, b.nodes) && isSame(a.edges, b.edges) && isSame(a.layers, b.layers) && isSame(a.tour, b.tour);
}

/**
 * Load, change, save (invariant "never overwrite what cannot be read"); null if there is nothing to change. A new store
 * starts with everything that the graph describes.
 */
async function patchFingerprints(
  context: LoadedContext,
  before: BaselineRows,
  plan: GraphPlan,
): Promise<Buffer | null> {
  const { db, project, config } = context;
  const store = readFingerprintStore(project);
  const targets = new Map<string, string | null>(targetsOf(plan));
  if (store === null) {
    for (const [path, { oid }] of before) if (oid !== null && !targets.has(path)) targets.set(path, oid);
  }
  const wanted = [...targets].flatMap(([path, oid]) => (oid === null ? [] : [{ path, oid }]));
  const facts = await new Facts(storedFacts(db, { keep: true }), project.worktree.path, config).of(wanted);
  const files = new Map<string, PlainFingerprint>(store?.files);
  for (const path of targets.keys()) files.delete(path);
  for (const fact of facts.values()) files.set(fact.filePath, renderedEntry(fact));
  const isSame = (path: string) => JSON.stringify(files.get(path)) === JSON.stringify(store?.files.get(path));
  if (store !== null && [...targets.keys()].every(isSame)) return null;
  return Buffer.from(toJson(fingerprintStoreJson(plan.commit, new Date().toISOString(), files)));
}

/** Stores the current analyses of files that change, for their old content, with the files that have edges to them. */
function keepLeaving(
  { db }: LoadedContext,
  graph: KnowledgeGraph,
  before: BaselineRows,
  plan: GraphPlan,
  at: string,
): void {
  const leaving = [...targetsOf(plan)].flatMap(([path, oid]) => {
    const was = before.get(path)?.oid ?? null;
    return was === null || was === oid ? [] : [[path, was] as const];
  });
  const slices = sliceSome(graph, new Set(leaving.map(([path]) => path)));
  const exists = new Set(leaving.length === 0 ? [] : graph.nodes.map(({ id }) => id));
  for (const [path, oid] of leaving) {
    const slice = slices.get(path);
    const stored = knownAnalysis(db, path, oid);
    if (slice === undefined) continue;
    putAnalysis(
      db,
      path,
      oid,
      stored === null ? { analysis: slice, source: "found" } : absorb(stored, slice, exists),
      at,
    );
  }
}

/** After a change of them, the stored graphs have the old texts. */
function keepTextFiles({ db, project }: LoadedContext, { textFiles }: GraphPlan): void {
  if (textFiles === undefined) return;
  const known = readSetting(db, SETTINGS.textFiles, project.scope);
  if (known !== null && JSON.stringify(known) !== JSON.stringify(textFiles)) dropSnapshots(db, project.scope);
  writeSetting(db, SETTINGS.textFiles, textFiles, project.scope);
}

/** Stores the absence of a file that was deleted or has just been added. */
function keepAbsences({ db }: LoadedContext, before: BaselineRows, plan: GraphPlan, at: string): void {
  for (const [path, oid] of targetsOf(plan)) if (oid === null || !before.has(path)) putAbsence(db, path, at);
}

/** An edge with a missing target is kept: the target may be restored. */
function absorb({ analysis, source }: Known, slice: FileAnalysis, exists: ReadonlySet<string>): Known {
  const there = new Set(slice.edges.map(edgeKey));
  const waiting = analysis.edges.filter(
    (edge) => !there.has(edgeKey(edge)) && !(exists.has(edge.source) && exists.has(edge.target)),
  );
  const inboundFrom = [...new Set([...analysis.inboundFrom, ...slice.inboundFrom])].sort();
  const layer = slice.layer ?? analysis.layer;
  return {
    analysis: {
      nodes: slice.nodes,
      edges: [...slice.edges, ...waiting],
      ...(layer === undefined ? {} : { layer }),
      inboundFrom,
    },
    source,
  };
}

/** Stores the results of the structural analyzer, like all other analyses. */
function storeAnalyzed({ db, project }: LoadedContext, graph: KnowledgeGraph, plan: GraphPlan, at: string): void {
  const analyzed = plan.structural.filter(({ oid }) => oid !== "");
  if (analyzed.length === 0) return;
  const slices = sliceSome(graph, new Set(analyzed.map(({ path }) => path)));
  let isRewritten = false;
  for (const { path, oid } of analyzed) {
    const analysis = slices.get(path) ?? { nodes: [], edges: [], inboundFrom: [] };
    isRewritten = putAnalysis(db, path, oid, { analysis, source: "structural" }, at) || isRewritten;
  }
  if (isRewritten) dropSnapshots(db, project.scope);
}
