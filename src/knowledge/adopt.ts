import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { UaError } from "../errors.js";
import { contentHash } from "../fingerprint/content.js";
import { extractorOf, languageOf, type SourceLanguage } from "../fingerprint/languages.js";
import type { PlainFingerprint } from "../fingerprint/plain.js";
import { blobSizes, fileBlobOid, readBlobs } from "../git/blobs.js";
import { commitTime } from "../git/history.js";
import { isRefusal } from "../git/run.js";
import { isRegularFile, listTree, type TreeEntry } from "../git/trees.js";
import { NO_FILE } from "../graph/pieces.js";
import { resolverConfigFiles } from "../graph/resolver-configs.js";
import type { LoadedContext } from "../repository/context.js";
import type { Project } from "../repository/locate.js";
import { parseJson } from "../store/check.js";
import { makeFolder, waitOneTick, writeFileAtomic } from "../store/files.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { adoptedFiles, adoptionStamps, isKnownMeta, metaSignature } from "./adopted.js";
import { type GraphArrival, takeIn } from "./arrived.js";
import {
  arrivedCopy,
  artefactPath,
  dropCopy,
  FINGERPRINTS,
  GRAPH,
  hasGraph,
  META,
  readArtefactChunks,
  readMeta,
} from "./artefacts.js";
import { Baseline, type BaselineRow, digestOf, saveBaseline, sharedRows } from "./baseline.js";
import { isFact } from "./facts.js";
import type { TextOrigin } from "./file-descriptions.js";
import { type FingerprintFile, fingerprintText, readFingerprintFile, replaceEntries } from "./fingerprint-file.js";
import { readGraphFile, withVisibleTexts } from "./graph-file.js";
import { putAbsence } from "./known.js";
import { noteTracked } from "./left-artefacts.js";
import { savePlan } from "./plan.js";
import { repairConflicts } from "./repair.js";
import { latestTimes, noteState } from "./states.js";
import { StoredGraph } from "./stored-graph.js";
import { isTime, notAfter } from "./times.js";

/**
 * Uses the existing artefacts as the baseline: at install, after the state was lost, and when another tool
 * (`/understand`) or a checkout wrote them. If the graph's commit and the fingerprints disagree about a file, the
 * fingerprint decides what was analysed: a SKIP moves the commit and leaves the analysed content where it was.
 */
export async function adoptBaseline(context: LoadedContext): Promise<void> {
  const { db, project } = context;
  // A meta.json that another tool or a checkout wrote replaces our live copy of the previous one.
  if (!isKnownMeta(db, project)) dropCopy(project, META);
  await repairConflicts(project);
  copyStored(context);
  // Before anything is read: what another tool writes from here on is a change.
  waitOneTick(adoptedFiles(project));
  const stamps = adoptionStamps(project);
  const signature = metaSignature(project);
  const isTracked = (await noteTracked(db, project)).has(GRAPH);
  const read = readGraphFile(project, placeToRead(project, GRAPH));
  const graph = isTracked ? withVisibleTexts(read) : read;
  const store = readFingerprintFile(project, placeToRead(project, FINGERPRINTS));
  const commit = readMeta(project)?.gitCommitHash ?? graph.head.project.gitCommitHash ?? "";
  const tree = await treeOf(project.worktree.path, commit);
  if (tree === null && store === null) {
    throw new UaError(
      "failed",
      `the graph's commit ${commit.slice(0, 12)} is not in this clone, and there are no fingerprints to compare with`,
      "run `ua-hooks install --rebuild` to build a new baseline from HEAD",
    );
  }
  const files = new Set(graph.paths.filter((path) => path !== NO_FILE));
  const rows = tree === null ? storedRows(store, files) : await treeRows(context, tree, store, files);
  const at = new Date().toISOString();
  const origin = await originOf(project, { commit, isTracked }, at);
  const entries = store?.entries ?? new Map<string, Buffer>();
  const parts = { graph, rows, origin, isTracked, at, entries, commit };
  const taken = { ...parts, isCommitted: contentsIn(tree ?? []), configs: configEntries(tree ?? []) };
  const storeGraph = await takeIn(context, taken);
  db.write(() => {
    const isOther = storeGraph();
    saveTaken(context, taken);
    const plan = { commit, restores: [], structural: [], moves: [], render: true };
    if (isOther) savePlan(db, project.scope, plan);
    writeSetting(db, SETTINGS.unrendered, isCopy(project) ? [GRAPH, FINGERPRINTS] : null, project.scope);
    writeSetting(db, SETTINGS.adopted, stamps, project.scope);
    writeSetting(db, SETTINGS.meta, [signature], project.scope);
  });
  for (const name of [GRAPH, FINGERPRINTS] as const) if (isCopy(project)) dropCopy(project, name);
}

function contentsIn(tree: readonly TreeEntry[]): (path: string, oid: string) => boolean {
  const oids = new Map(tree.map(({ path, oid }) => [path, oid]));
  return (path, oid) => oids.get(path) === oid;
}

/** A graph with what it describes. */
export interface TakenGraph extends GraphArrival {
  /** The texts of fingerprints.json's entries, packed. */
  entries: ReadonlyMap<string, Uint8Array>;
  commit: string;
}

/** The new baseline, in the transaction that stores its graph. */
export function saveTaken({ db, project: { scope } }: LoadedContext, taken: TakenGraph): void {
  const { graph, rows, entries, commit, configs, isTracked, at } = taken;
  keepAbsences(db, scope, rows, at);
  saveBaseline(db, { scope, rows, graphFiles: graph.paths.filter((path) => path !== NO_FILE).length });
  replaceEntries(db, scope, entries);
  const digest = digestOf(rows, JSON.stringify(configs));
  noteState(db, scope, digest, latestTimes(db, scope, digest, graph.head.project));
  db.run("UPDATE views SET rules = NULL WHERE scope = ?", scope);
  // A baseline from before the first commit has none.
  writeSetting(db, SETTINGS.baseCommit, commit === "" ? null : commit, scope);
  writeSetting(db, SETTINGS.configs, configs, scope);
  writeSetting(db, SETTINGS.graphOrigin, isTracked ? "tracked" : "here", scope);
}

/** A copy in the state dir is adopted in place of the file: what was merged (repair.ts), or what only the store has. */
function placeToRead(project: Project, name: typeof GRAPH | typeof FINGERPRINTS): string {
  const copy = arrivedCopy(project, name);
  return existsSync(copy) ? copy : artefactPath(project, name);
}

function isCopy(project: Project): boolean {
  return project.root !== null && existsSync(arrivedCopy(project, GRAPH));
}

/** A branch has no graph, and the tracked one was behind the store: that goes on. */
function copyStored({ db, project }: LoadedContext): void {
  const graph = StoredGraph.load(db, project.scope);
  if (graph === null || existsSync(artefactPath(project, GRAPH)) || !hasGraph(db, project)) return;
  const [file, entries] = [arrivedCopy(project, GRAPH), arrivedCopy(project, FINGERPRINTS)];
  const commit = readSetting(db, SETTINGS.baseCommit, project.scope) ?? "";
  makeFolder(dirname(file), project.stateDir);
  const at = new Date().toISOString();
  writeFileAtomic(entries, () => fingerprintText(db, project.scope, { commit, at, changes: new Map() }));
  writeFileAtomic(file, () => graph.text());
}

/** The config files for import resolution, and their blobs. */
export function configEntries(tree: readonly TreeEntry[]): [path: string, oid: string][] {
  const names = new Set(resolverConfigFiles(tree.map(({ path }) => path)));
  return tree.filter(({ path, mode }) => names.has(path) && isRegularFile(mode)).map(({ path, oid }) => [path, oid]);
}

/** If git tracks the file and has its blob, it came by git; then its time is that of the commit. */
async function originOf(
  project: Project,
  { commit, isTracked }: { commit: string; isTracked: boolean },
  now: string,
): Promise<TextOrigin> {
  const rest = { author: null, commit: commit === "" ? null : commit, language: null };
  const { root } = project;
  const path = artefactPath(project, GRAPH);
  const here = { source: "here" as const, at: now, ...rest };
  if (root === null || !isTracked) return here;
  const oid = fileBlobOid(path, readArtefactChunks(project, path), commit.length);
  if ((await blobSizes(root, [oid])).size === 0) return here;
  const at = await commitTime(root, relative(root, join(project.dataDir, GRAPH)));
  return { source: "tracked", at: at !== null && isTime(at) ? notAfter(now, at) : now, ...rest };
}

/** The absence of a file is stored as well. */
function keepAbsences(db: Db, scope: string, rows: ReadonlyMap<string, BaselineRow>, at: string): void {
  const before = sharedRows(db, scope);
  if (before.size === 0) return;
  for (const path of new Set([...before.keys(), ...rows.keys()])) {
    if (before.has(path) !== rows.has(path)) putAbsence(db, path, at);
  }
}

async function treeOf(cwd: string, commit: string): Promise<TreeEntry[] | null> {
  if (!/^[0-9a-f]{7,64}$/.test(commit)) return null;
  return listTree(cwd, commit).catch((error: unknown) => {
    if (isRefusal(error)) return null; // rebased away and collected, squash-merged, or a shallow clone
    throw error;
  });
}

function storedRows(store: FingerprintFile | null, inGraph: ReadonlySet<string>): Map<string, BaselineRow> {
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
  store: FingerprintFile | null,
  inGraph: ReadonlySet<string>,
): Promise<Map<string, BaselineRow>> {
  const rows = new Map<string, BaselineRow>();
  const doubtful: [TreeEntry, Pick<PlainFingerprint, "contentHash">][] = [];
  const unlisted: TreeEntry[] = [];
  const whole = isWhole(store);
  const listed = new Set([...(store?.files.keys() ?? [])].map(languageOf));
  // Analysed by us since that commit: recorded in the store, not in the tree.
  for (const [path, { blobOid }] of store?.files ?? []) {
    if (blobOid === undefined || !rules.covers(path, inGraph.has(path))) continue;
    rows.set(path, { oid: blobOid, contentHash: null, inGraph: inGraph.has(path) });
  }
  for (const entry of tree) {
    const { path, mode, oid } = entry;
    if (!isRegularFile(mode) || !rules.covers(path, inGraph.has(path))) continue;
    const analysed = store?.files.get(path);
    if (whole && analysed === undefined && !inGraph.has(path) && !isLater(path, listed)) {
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

/** A store without any file of a language that was added later is of a program that did not know it. */
function isLater(path: string, listed: ReadonlySet<SourceLanguage | undefined>): boolean {
  const language = languageOf(path);
  return language?.since !== undefined && !listed.has(language);
}

/** A store that we wrote has an entry for every analysed file; a store of another tool may have gaps. */
function isWhole(store: FingerprintFile | null): boolean {
  return store !== null && store.files.size > 0 && [...store.files.values()].every((one) => one.blobOid !== undefined);
}

function cachedHash(db: Db, oid: string, path: string): string | null {
  const sql = "SELECT data FROM fingerprints WHERE oid = ? AND extractor = ?";
  const row = db.get<{ data: string }>(sql, oid, extractorOf(path));
  return row === undefined ? null : (parseJson(row.data, isFact)?.contentHash ?? null);
}
