import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { UaError } from "../errors.js";
import { contentHash } from "../fingerprint/content.js";
import { extractorOf } from "../fingerprint/languages.js";
import type { PlainFingerprint } from "../fingerprint/plain.js";
import { blobOid, blobSizes, readBlobs } from "../git/blobs.js";
import { commitTime } from "../git/history.js";
import { isRefusal } from "../git/run.js";
import { isRegularFile, listTree, type TreeEntry } from "../git/trees.js";
import { isGraphError } from "../graph/errors.js";
import { resolverConfigFiles } from "../graph/resolver-configs.js";
import type { KnowledgeGraph } from "../graph/types.js";
import { parseGraph } from "../graph/validate.js";
import type { LoadedContext } from "../repository/context.js";
import type { Project } from "../repository/locate.js";
import { parseJson } from "../store/check.js";
import { damaged, isNumberedAs, waitOneTick } from "../store/files.js";
import { SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { adoptedFiles, adoptedStamps, adoptionStamps, isKnownMeta, metaSignature } from "./adopted.js";
import { type Arrived, takeIn } from "./arrived.js";
import {
  artefactPath,
  dropLiveCopy,
  FINGERPRINTS,
  GRAPH,
  liveCopy,
  META,
  readArtefactBytes,
  readFingerprintStore,
  readMeta,
  type StoredFingerprints,
} from "./artefacts.js";
import { Baseline, type BaselineRow, digestOf, saveBaseline, sharedRows } from "./baseline.js";
import { isFact } from "./facts.js";
import { fileStoredAnalyses } from "./file-analyses.js";
import type { TextOrigin } from "./file-descriptions.js";
import { putAbsence, putAnalysis } from "./known.js";
import { noteTracked } from "./left-artefacts.js";
import { savePlan } from "./plan.js";
import { repairConflicts } from "./repair.js";
import { dropSnapshots, packSnapshot, saveSnapshot } from "./snapshots.js";

/**
 * Uses the existing artefacts as the baseline: at install, after the state was lost, and when another tool
 * (`/understand`) or a checkout wrote them. If the graph's commit and the fingerprints disagree about a file, the
 * fingerprint decides what was analysed: a SKIP moves the commit and leaves the analysed content where it was.
 */
export async function adoptBaseline(context: LoadedContext): Promise<void> {
  const { db, project, rules } = context;
  await fileStoredAnalyses(context);
  takeArrived(db, project);
  // A meta.json that another tool or a checkout wrote replaces our live copy of the previous one.
  if (!isKnownMeta(db, project)) dropLiveCopy(project, META);
  await repairConflicts(project);
  // Before anything is read: what another tool writes from here on is a change.
  waitOneTick(adoptedFiles(project));
  const stamps = adoptionStamps(project);
  const signature = metaSignature(project);
  const { graph, text } = loadGraphText(project);
  const store = readFingerprintStore(project);
  const commit = readMeta(project)?.gitCommitHash ?? graph.project.gitCommitHash;
  const tree = await treeOf(project.worktree.path, commit);
  if (tree === null && store === null) {
    throw new UaError(
      "failed",
      `the graph's commit ${commit.slice(0, 12)} is not in this clone, and there are no fingerprints to compare with`,
      "run `ua-hooks install --rebuild` to build a new baseline from HEAD",
    );
  }
  const { files, imports } = graphFacts(graph);
  const rows = tree === null ? storedRows(store, files) : await treeRows({ db, project, rules }, tree, store, files);
  const configs = configEntries(tree ?? []);
  const at = new Date().toISOString();
  const isTracked = (await noteTracked(db, project)).has(GRAPH);
  const origin = await originOf(project, { text, commit, isTracked }, at);
  const { analyses, restores } = await takeIn(context, graph, rows, { origin, isTracked });
  const packed = restores.length === 0 ? await packSnapshot(text) : null;
  db.write(() => {
    storeAnalyses(db, project.scope, analyses, rows, at);
    saveBaseline(db, { scope: project.scope, rows, imports, graphFiles: files.size });
    if (restores.length > 0) {
      dropSnapshots(db, project.scope);
      savePlan(db, project.scope, { commit, restores, structural: [], moves: [] });
    } else saveSnapshot(db, project.scope, digestOf(rows, JSON.stringify(configs)), packed, at);
    db.run("UPDATE views SET rules = NULL WHERE scope = ?", project.scope);
    // A baseline from before the first commit has none.
    writeSetting(db, SETTINGS.baseCommit, commit === "" ? null : commit, project.scope);
    writeSetting(db, SETTINGS.configs, configs, project.scope);
    writeSetting(db, SETTINGS.graphOrigin, isTracked ? "tracked" : "here", project.scope);
    writeSetting(db, SETTINGS.adopted, stamps, project.scope);
    writeSetting(db, SETTINGS.meta, [signature], project.scope);
  });
}

/** A graph that was written into the data dir while there was a live copy: the analyses of the copy are stored. */
function takeArrived(db: Db, project: Project): void {
  const [known = null] = adoptedStamps(db, project);
  const there = join(project.dataDir, GRAPH);
  if (!existsSync(there) || isNumberedAs(there, known) || isExported(project)) return;
  dropLiveCopy(project, GRAPH);
  if (existsSync(join(project.dataDir, FINGERPRINTS))) dropLiveCopy(project, FINGERPRINTS);
}

/** Files written by our own export, complete or not, are no change: the live copies stay in use. */
function isExported(project: Project): boolean {
  const live = liveCopy(project, GRAPH);
  if (live === join(project.dataDir, GRAPH) || !existsSync(live)) return false;
  return readArtefactBytes(project, live).equals(readArtefactBytes(project, join(project.dataDir, GRAPH)));
}

/** The config files for import resolution, and their blobs. */
export function configEntries(tree: readonly TreeEntry[]): [path: string, oid: string][] {
  const names = new Set(resolverConfigFiles(tree.map(({ path }) => path)));
  return tree.filter(({ path, mode }) => names.has(path) && isRegularFile(mode)).map(({ path, oid }) => [path, oid]);
}

/** If git tracks the file and has its blob, it came by git; then its time is that of the commit. */
async function originOf(
  project: Project,
  { text, commit, isTracked }: { text: Buffer; commit: string; isTracked: boolean },
  now: string,
): Promise<TextOrigin> {
  const rest = { author: null, commit: commit === "" ? null : commit, language: null };
  const { root } = project;
  const oid = blobOid(text, commit.length);
  if (root === null || !isTracked || (await blobSizes(root, [oid])).size === 0)
    return { source: "here", at: now, ...rest };
  const at = await commitTime(root, relative(root, join(project.dataDir, GRAPH)));
  return { source: "tracked", at: at ?? now, ...rest };
}

/** Stores the analysis of every file of the graph, for the content it describes. */
function storeAnalyses(
  db: Db,
  scope: string,
  analyses: Arrived["analyses"],
  rows: ReadonlyMap<string, BaselineRow>,
  at: string,
): void {
  let changed = false;
  for (const [path, { oid, known }] of analyses) changed = putAnalysis(db, path, oid, known, at) || changed;
  const before = sharedRows(db, scope);
  if (before.size > 0) {
    // The absence of a file is stored as well.
    for (const path of new Set([...before.keys(), ...rows.keys()])) {
      if (before.has(path) !== rows.has(path)) putAbsence(db, path, at);
    }
  }
  if (changed) dropSnapshots(db, scope);
}

export function loadGraph(project: Project): KnowledgeGraph {
  return loadGraphText(project).graph;
}

/** `isChecked`: the file is unchanged since we checked or wrote it. */
export function loadGraphText(project: Project, { isChecked = false } = {}): { graph: KnowledgeGraph; text: Buffer } {
  const path = artefactPath(project, GRAPH);
  const text = readArtefactBytes(project, path);
  try {
    return { graph: parseGraph(text.toString("utf8"), { isChecked }), text };
  } catch (error) {
    throw isGraphError(error) ? damaged(path, error.message) : error;
  }
}

async function treeOf(cwd: string, commit: string): Promise<TreeEntry[] | null> {
  if (!/^[0-9a-f]{7,64}$/.test(commit)) return null;
  return listTree(cwd, commit).catch((error: unknown) => {
    if (isRefusal(error)) return null; // rebased away and collected, squash-merged, or a shallow clone
    throw error;
  });
}

/** The files that a graph has nodes of, and the imports between them. */
export function graphFacts(graph: KnowledgeGraph): { files: Set<string>; imports: [string, string][] } {
  const pathOf = new Map<string, string>();
  for (const node of graph.nodes) if (node.filePath !== undefined) pathOf.set(node.id, node.filePath);
  const imports: [string, string][] = [];
  for (const { source, target, type } of graph.edges) {
    if (type !== "imports") continue;
    const [from, to] = [pathOf.get(source), pathOf.get(target)];
    if (from !== undefined && to !== undefined && from !== to) imports.push([from, to]);
  }
  return { files: new Set(pathOf.values()), imports };
}

function storedRows(store: StoredFingerprints | null, inGraph: ReadonlySet<string>): Map<string, BaselineRow> {
  const rows = new Map<string, BaselineRow>();
  for (const path of inGraph) rows.set(path, { oid: null, contentHash: null, inGraph: true });
  for (const [path, entry] of store?.files ?? []) {
    rows.set(path, { oid: entry.blobOid ?? null, contentHash: entry.contentHash, inGraph: inGraph.has(path) });
  }
  return rows;
}

async function treeRows(
  { db, project, rules }: Pick<LoadedContext, "db" | "project" | "rules">,
  tree: readonly TreeEntry[],
  store: StoredFingerprints | null,
  inGraph: ReadonlySet<string>,
): Promise<Map<string, BaselineRow>> {
  const rows = new Map<string, BaselineRow>();
  const doubtful: [TreeEntry, PlainFingerprint][] = [];
  const unlisted: TreeEntry[] = [];
  const whole = isWhole(store);
  // Analysed by us since that commit: recorded in the store, not in the tree.
  for (const [path, { blobOid }] of store?.files ?? []) {
    if (blobOid === undefined || !rules.covers(path, inGraph.has(path))) continue;
    rows.set(path, { oid: blobOid, contentHash: null, inGraph: inGraph.has(path) });
  }
  for (const entry of tree) {
    const { path, mode, oid } = entry;
    if (!isRegularFile(mode) || !rules.covers(path, inGraph.has(path))) continue;
    const analysed = store?.files.get(path);
    if (whole && analysed === undefined && !inGraph.has(path)) {
      unlisted.push(entry);
      continue;
    }
    if (analysed !== undefined && analysed.blobOid === undefined) doubtful.push([entry, analysed]);
    rows.set(path, { oid: analysed?.blobOid ?? oid, contentHash: null, inGraph: inGraph.has(path) });
  }
  // A blob that a partial clone never fetched has no entry for that reason alone.
  const here = await readBlobs(
    project.worktree.path,
    unlisted.map(({ oid }) => oid),
  );
  for (const { path, oid } of unlisted) if (!here.has(oid)) rows.set(path, { oid, contentHash: null, inGraph: false });
  // Entries without an oid (of other tools) are compared by content.
  const blobs = await readBlobs(
    project.worktree.path,
    doubtful.map(([entry]) => entry.oid),
  );
  const earlier = new Baseline(db, project.scope, project.worktree.id);
  for (const [{ path, oid }, { contentHash: hash }] of doubtful) {
    const blob = blobs.get(oid);
    if (blob !== undefined && contentHash(blob) === hash) continue;
    const known = earlier.get(path)?.oid ?? null;
    const same = known !== null && cachedHash(db, known, path) === hash;
    rows.set(path, { oid: same ? known : null, contentHash: hash, inGraph: inGraph.has(path) });
  }
  return rows;
}

/** A store that we wrote has an entry for every analysed file; a store of another tool may have gaps. */
function isWhole(store: StoredFingerprints | null): boolean {
  return store !== null && store.files.size > 0 && [...store.files.values()].every((one) => one.blobOid !== undefined);
}

function cachedHash(db: Db, oid: string, path: string): string | null {
  const sql = "SELECT data FROM fingerprints WHERE oid = ? AND extractor = ?";
  const row = db.get<{ data: string }>(sql, oid, extractorOf(path));
  return row === undefined ? null : (parseJson(row.data, isFact)?.contentHash ?? null);
}
