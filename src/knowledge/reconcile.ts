import type { Hash } from "node:crypto";
import type { FileAnalysis } from "../graph/analyses.js";
import { isStructuralEdge } from "../graph/build.js";
import { edgeKey } from "../graph/ids.js";
import { NO_FILE } from "../graph/pieces.js";
import type { EdgeEnds } from "../graph/update.js";
import { limitHeapGrowth } from "../platform/heap.js";
import type { LoadedContext } from "../repository/context.js";
import { faultPoint } from "../store/fault.js";
import { isAsStamped } from "../store/files.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import { adoptedFiles, adoptedStamps, isAdopted, recordAdopted } from "./adopted.js";
import {
  ArtefactChanged,
  type ArtefactName,
  artefactPath,
  artefactStamp,
  FINGERPRINTS,
  GRAPH,
  type ReadStamps,
  readArtefactChunks,
  stampsAsRead,
  writeArtefactText,
} from "./artefacts.js";
import { type BaselineRow, digestOf, moveBaseline, sharedRows } from "./baseline.js";
import { type NewDescription, putDescription } from "./descriptions.js";
import { Facts, storedFacts } from "./facts.js";
import { changedEntries, fingerprintText, hasEntries, packedEntry, saveEntries } from "./fingerprint-file.js";
import { type Known, knownAnalysis, putAbsence, putAnalysis, storedAnalysis } from "./known.js";
import type { Configs } from "./links.js";
import { type GraphPlan, isEmptyPlan, savePlan, targetsOf, unfinishedPlan } from "./plan.js";
import { type BaselineRows, reshape } from "./reshape.js";
import { knownState, noteState } from "./states.js";
import { StoredGraph } from "./stored-graph.js";
import { notePartlyAnalysed } from "./symbol-baseline.js";
import { countFiles } from "./write-pieces.js";
import { noteParts } from "./written-parts.js";

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
 * graph, fingerprints, then in one transaction the stored graph, the baseline, the stamp and the end of the plan. A kill between any two
 * leaves the plan, and `resume` repeats it.
 */
export async function reconcile(writer: Writer, plan: GraphPlan, { isResumed = false } = {}): Promise<void> {
  const { context } = writer;
  const { db, project } = context;
  const { scope } = project;
  const asRead = stampsAsRead(project);
  const graph = StoredGraph.load(db, scope);
  if (graph === null || (!isResumed && !isAsAdopted(context, GRAPH)))
    throw new ArtefactChanged(artefactPath(project, GRAPH));
  const before = sharedRows(db, scope);
  limitHeapGrowth(before.size);
  const after = rowsAfter(context, before, plan);
  const configs = configsOf(context, plan);
  const digest = digestOf(after, JSON.stringify(configs.after));
  const followed: NewDescription[] = [];
  await reshape({ context, plan, graph, before, after, configs, followed });
  if (graph.isChanged) setTimes(context, graph, plan, digest);
  const entries = await entryChanges(context, before, plan);
  writer.assertHeld();
  savePlan(db, scope, plan);
  const isAnew = plan.render === true;
  const output = new Output(writer, plan, asRead);
  faultPoint("graph.write");
  if (graph.isChanged || isAnew) output.write(GRAPH, () => graph.text());
  faultPoint("fingerprints.write");
  const at = new Date().toISOString();
  if (entries.size > 0 || isAnew)
    output.write(FINGERPRINTS, () => fingerprintText(db, scope, { commit: plan.commit, at, changes: entries }));
  faultPoint("baseline.write");
  db.write(() => {
    keepLeaving(context, graph, before, { plan, at });
    keepAbsences(context, before, plan, at);
    for (const text of followed) putDescription(db, text, "own");
    if (graph.isChanged) noteParts(db, graph, at);
    graph.save();
    saveEntries(db, scope, entries);
    moveBaseline(db, scope, rowChanges(plan, graph));
    writeSetting(db, SETTINGS.graphFiles, countFiles(db, scope), scope);
    const linking = configs.after.map(([path, oid]): [string, string] => [path, oid]);
    writeSetting(db, SETTINGS.configs, linking, scope);
    if (plan.textFiles !== undefined) writeSetting(db, SETTINGS.textFiles, plan.textFiles, scope);
    noteState(db, scope, digest, graph.head.project);
    // As they were read or written here: what another program wrote since then is not known.
    recordAdopted(db, project, [asRead[GRAPH], asRead[FINGERPRINTS]]);
    savePlan(db, scope, null);
  });
  faultPoint("baseline.written");
}

/** Commit and time only change with the content. A state that was there before has those of that time. */
function setTimes({ db }: LoadedContext, graph: StoredGraph, plan: GraphPlan, digest: string): void {
  const hasNewParts = [plan.layers, plan.tour, plan.loose, plan.textFiles].some((part) => part !== undefined);
  const known = plan.structural.length > 0 || hasNewParts ? null : knownState(db, graph.scope, digest);
  const times = known ?? { gitCommitHash: plan.commit, analyzedAt: new Date().toISOString() };
  graph.setHead({ ...graph.head, project: { ...graph.head.project, ...times } });
}

/** The files that a plan writes. */
class Output {
  readonly #writer: Writer;
  readonly #plan: GraphPlan;
  readonly #asRead: ReadStamps;
  #wrote: NonNullable<GraphPlan["wrote"]> = {};

  constructor(writer: Writer, plan: GraphPlan, asRead: ReadStamps) {
    this.#writer = writer;
    this.#plan = plan;
    this.#asRead = asRead;
  }

  /**
   * Checks the lock before every write, and that no other program wrote since the file was read. What is about to be
   * there is saved with the plan, right before.
   */
  write(name: keyof ReadStamps, parts: () => Iterable<Buffer>): void {
    const { context, allowTracked, assertHeld, stampWritten } = this.#writer;
    const { db, project } = context;
    assertHeld();
    let hash = process.getBuiltinModule("node:crypto").createHash("sha256");
    // The text is asked for twice where the git dir is on another file system.
    const text = () => {
      hash = process.getBuiltinModule("node:crypto").createHash("sha256");
      return hashing(parts(), hash);
    };
    const isWritten = writeArtefactText(db, project, name, text, {
      ...{ allowTracked, asRead: this.#asRead[name] },
      beforeRename: () => {
        this.#wrote = { ...this.#wrote, [name === GRAPH ? "graph" : "fingerprints"]: hash.digest("hex") };
        savePlan(db, project.scope, { ...this.#plan, wrote: this.#wrote });
      },
    });
    if (!isWritten) return;
    this.#asRead[name] = artefactStamp(project, name);
    stampWritten(name);
  }
}

function* hashing(parts: Iterable<Buffer>, hash: Hash): Generator<Buffer> {
  for (const part of parts) {
    hash.update(part);
    yield part;
  }
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
  return (
    (isAsAdopted(context, GRAPH) || isWritten(context, GRAPH, wrote?.graph)) &&
    (isAsAdopted(context, FINGERPRINTS) || isWritten(context, FINGERPRINTS, wrote?.fingerprints))
  );
}

function isWritten({ project }: LoadedContext, name: ArtefactName, wanted: string | undefined): boolean {
  if (wanted === undefined) return false;
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  for (const chunk of readArtefactChunks(project, artefactPath(project, name))) hash.update(chunk);
  return hash.digest("hex") === wanted;
}

function isAsAdopted({ db, project }: LoadedContext, name: typeof GRAPH | typeof FINGERPRINTS): boolean {
  const at = name === GRAPH ? 0 : 1;
  return isAsStamped(adoptedFiles(project)[at] ?? "", adoptedStamps(db, project)[at]);
}

function configsOf({ db, project }: LoadedContext, plan: GraphPlan): { before: Configs; after: Configs } {
  const before = readSetting(db, SETTINGS.configs, project.scope) ?? [];
  return { before, after: plan.configs ?? before };
}

function rowsAfter({ db }: LoadedContext, before: BaselineRows, plan: GraphPlan): BaselineRows {
  const after = new Map(before);
  const analyzed = new Set(plan.structural.map(({ path }) => path)); // also one that was acknowledged without an analysis
  for (const [path, oid] of targetsOf(plan)) {
    if (oid === null) after.delete(path);
    else
      after.set(path, {
        oid,
        contentHash: null,
        inGraph: analyzed.has(path) || (knownAnalysis(db, path, oid)?.analysis.nodes.length ?? 1) > 0,
      });
  }
  return after;
}

function rowChanges(plan: GraphPlan, graph: StoredGraph): Map<string, BaselineRow | null> {
  const changes = new Map<string, BaselineRow | null>();
  for (const [path, oid] of targetsOf(plan)) {
    changes.set(path, oid === null ? null : { oid, contentHash: null, inGraph: graph.has(path) });
  }
  return changes;
}

/** The entries of fingerprints.json that change. If none was stored, all that the graph describes. */
async function entryChanges(
  { db, project, config }: LoadedContext,
  before: BaselineRows,
  plan: GraphPlan,
): Promise<Map<string, Uint8Array | null>> {
  const targets = new Map<string, string | null>(targetsOf(plan));
  if (!hasEntries(db, project.scope)) {
    for (const [path, { oid }] of before) if (oid !== null && !targets.has(path)) targets.set(path, oid);
  }
  const wanted = [...targets].flatMap(([path, oid]) => (oid === null ? [] : [{ path, oid }]));
  const facts = await new Facts(storedFacts(db, { keep: true }), project.worktree.path, config).of(wanted);
  const entries = new Map<string, Buffer | null>([...targets.keys()].map((path) => [path, null]));
  for (const fact of facts.values()) entries.set(fact.filePath, packedEntry(fact));
  return changedEntries(db, project.scope, entries);
}

/**
 * Stores what leaves the graph, for the content that it describes: the pieces of files that change, and those that lose an edge
 * which is not computed.
 */
function keepLeaving(
  { db }: LoadedContext,
  graph: StoredGraph,
  before: BaselineRows,
  { plan, at }: { plan: GraphPlan; at: string },
): void {
  const targets = targetsOf(plan);
  const exists = (id: string) => graph.pathOf(id) !== undefined;
  const answered = new Set(plan.structural.map(({ path }) => path));
  const old = StoredGraph.load(db, graph.scope);
  for (const path of new Set([...targets.keys(), ...graph.changedPaths()])) {
    const oid = before.get(path)?.oid ?? null;
    if (path === NO_FILE || oid === null || targets.get(path) === oid) continue;
    // Of a file that was answered it is noted with the answers.
    if (targets.has(path) && !answered.has(path)) notePartlyAnalysed(db, graph.scope, path, targets.get(path) ?? null);
    const slice = old?.analysisOf(path) ?? null;
    const source = old?.sourceOf(path) ?? "found";
    if (slice === null || (!targets.has(path) && !losesEdge({ analysis: slice, source }, graph.piece(path).edges)))
      continue;
    const stored = storedAnalysis(db, path, oid);
    putAnalysis(db, path, oid, stored === null ? { analysis: slice, source } : absorb(stored, slice, exists), at);
  }
}

function losesEdge({ analysis, source }: Known, now: FileAnalysis["edges"]): boolean {
  const there = new Set(now.map(edgeKey));
  const isComputed = (edge: EdgeEnds) => source === "structural" && isStructuralEdge(edge);
  return analysis.edges.some((edge) => !isComputed(edge) && !there.has(edgeKey(edge)));
}

/** Stores the absence of a file that was deleted or has just been added. */
function keepAbsences({ db }: LoadedContext, before: BaselineRows, plan: GraphPlan, at: string): void {
  for (const [path, oid] of targetsOf(plan)) if (oid === null || !before.has(path)) putAbsence(db, path, at);
}

/** An edge with a missing target is kept: the target may be restored. */
function absorb({ analysis, source }: Known, slice: FileAnalysis, exists: (id: string) => boolean): Known {
  const there = new Set(slice.edges.map(edgeKey));
  const waiting = analysis.edges.filter(
    (edge) => !there.has(edgeKey(edge)) && !(exists(edge.source) && exists(edge.target)),
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
