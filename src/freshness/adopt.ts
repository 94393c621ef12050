import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UaError } from "../errors.js";
import { contentHash } from "../fingerprint/content.js";
import { extractorOf } from "../fingerprint/languages.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import { readBlobs } from "../git/blobs.js";
import { GitError } from "../git/run.js";
import { isRegularFile, listTree, type TreeEntry } from "../git/trees.js";
import { GraphError } from "../graph/errors.js";
import type { KnowledgeGraph } from "../graph/types.js";
import { parseGraph } from "../graph/validate.js";
import type { Project } from "../project/locate.js";
import type { Rules } from "../project/rules.js";
import {
  artefactPath,
  dropLiveCopy,
  FINGERPRINTS,
  type FingerprintStore,
  GRAPH,
  META,
  readFingerprintStore,
  readMeta,
} from "../store/artefacts.js";
import { damaged, parseJsonObject, readTextIfThere, stampOf } from "../store/files.js";
import type { Db } from "../store/sqlite.js";
import { getSetting, setSetting } from "../store/state.js";
import { Baseline, type BaselineRow, saveBaseline } from "./baseline.js";
import { isConflicted, repairConflicts } from "./repair.js";

/**
 * Takes the artefacts as they are for the baseline: at install, after the state was lost, and when another tool
 * (`/understand`) wrote them. Where the graph's commit and the fingerprints disagree about a file, the fingerprint
 * says what was analysed: a SKIP moves the commit on and leaves the analysed content where it was.
 */
export async function adoptBaseline(db: Db, project: Project, rules: Rules): Promise<void> {
  // A meta.json that another tool wrote, or a checkout brought, says more than our live copy of the one before it.
  if (!isKnownMeta(db, project)) dropLiveCopy(project, META);
  await repairConflicts(project);
  // Before anything is read: what another tool writes from here on is news.
  const stamp = adoptionStamp(project);
  const signature = metaSignature(project);
  const graph = loadGraph(project);
  const store = readFingerprintStore(project);
  const commit = readMeta(project)?.gitCommitHash ?? graph.project.gitCommitHash;
  const tree = await treeOf(project.view.path, commit);
  if (tree === null && store === null) {
    throw new UaError(
      "failed",
      `the graph's commit ${commit.slice(0, 12)} is not in this clone, and there are no fingerprints to compare with`,
      "run `ua-hooks install --rebuild` to take the present state as the baseline",
    );
  }
  const { files, imports } = graphFacts(graph);
  const rows = tree === null ? storedRows(store, files) : await treeRows(db, project, rules, tree, store, files);
  db.write(() => {
    saveBaseline(db, { scope: project.scope, rows, imports, graphFiles: files.size });
    db.run("UPDATE views SET rules = NULL WHERE scope = ?", project.scope);
    // A baseline that was taken before the first commit has none.
    setSetting(db, `baseCommit:${project.scope}`, commit === "" ? null : commit);
    setSetting(db, `adopted:${project.scope}`, stamp);
    setSetting(db, `meta:${project.scope}`, JSON.stringify([signature]));
  });
}

export function loadGraph(project: Project): KnowledgeGraph {
  const path = artefactPath(project, GRAPH);
  try {
    return parseGraph(readFileSync(path, "utf8"));
  } catch (error) {
    throw error instanceof GraphError ? damaged(path, error.message) : error;
  }
}

/** Whether graph, fingerprints and meta are those that the baseline was taken from, or that we wrote ourselves. */
export function isAdopted(db: Db, project: Project): boolean {
  return getSetting(db, `adopted:${project.scope}`) === adoptionStamp(project) && isKnownMeta(db, project);
}

function isKnownMeta(db: Db, project: Project): boolean {
  const known = JSON.parse(getSetting(db, `meta:${project.scope}`) ?? "[]") as string[];
  return known.includes(metaSignature(project));
}

function adoptionStamp(project: Project): string {
  return JSON.stringify([GRAPH, FINGERPRINTS].map((name) => stampOf(artefactPath(project, name as typeof GRAPH))));
}

/** What meta.json in the data dir claims; the live copy is ours alone, and never news. */
export function metaSignature(project: Project): string {
  const file = join(project.dataDir, META);
  const text = readTextIfThere(file);
  if (text === null) return "";
  // With a merge's markers in it it claims nothing: what was made of it is in the live copy.
  if (isConflicted(text)) return `conflict ${contentHash(Buffer.from(text))}`;
  const meta = parseJsonObject(text, file);
  return `${String(meta.gitCommitHash)} ${String(meta.lastAnalyzedAt)}`;
}

/** Announces a write of meta.json by us, before it happens: a kill in between must not look like another tool's. */
export function announceMeta(db: Db, project: Project, signature: string): void {
  setSetting(db, `meta:${project.scope}`, JSON.stringify([...new Set([metaSignature(project), signature])]));
}

async function treeOf(cwd: string, commit: string): Promise<TreeEntry[] | null> {
  if (!/^[0-9a-f]{7,64}$/.test(commit)) return null;
  return listTree(cwd, commit).catch((error: unknown) => {
    if (error instanceof GitError) return null; // rebased away and collected, squash-merged, or a shallow clone
    throw error;
  });
}

function graphFacts(graph: KnowledgeGraph): { files: Set<string>; imports: [string, string][] } {
  const pathOf = new Map<string, string>();
  for (const node of graph.nodes) if (node.filePath !== undefined) pathOf.set(node.id, node.filePath);
  const imports: [string, string][] = [];
  for (const edge of graph.edges) {
    const from = pathOf.get(edge.source);
    const to = pathOf.get(edge.target);
    if (edge.type === "imports" && from !== undefined && to !== undefined && from !== to) imports.push([from, to]);
  }
  return { files: new Set(pathOf.values()), imports };
}

function storedRows(store: FingerprintStore | null, inGraph: ReadonlySet<string>): Map<string, BaselineRow> {
  const rows = new Map<string, BaselineRow>();
  for (const path of inGraph) rows.set(path, { oid: null, contentHash: null, inGraph: true });
  for (const [path, entry] of store?.files ?? []) {
    rows.set(path, { oid: entry.blobOid ?? null, contentHash: entry.contentHash, inGraph: inGraph.has(path) });
  }
  return rows;
}

async function treeRows(
  db: Db,
  project: Project,
  rules: Rules,
  tree: readonly TreeEntry[],
  store: FingerprintStore | null,
  inGraph: ReadonlySet<string>,
): Promise<Map<string, BaselineRow>> {
  const rows = new Map<string, BaselineRow>();
  const doubtful: [TreeEntry, FileFingerprint][] = [];
  for (const entry of tree) {
    const { path, mode, oid } = entry;
    if (!isRegularFile(mode) || !rules.covers(path, inGraph.has(path))) continue;
    const analysed = store?.files.get(path);
    if (analysed !== undefined && analysed.blobOid === undefined) doubtful.push([entry, analysed]);
    rows.set(path, { oid: analysed?.blobOid ?? oid, contentHash: null, inGraph: inGraph.has(path) });
  }
  // Entries without an oid (other tools' own) are believed by their content.
  const blobs = await readBlobs(
    project.view.path,
    doubtful.map(([entry]) => entry.oid),
  );
  const earlier = new Baseline(db, project.scope, project.view.id);
  for (const [{ path, oid }, { contentHash: hash }] of doubtful) {
    const blob = blobs.get(oid);
    if (blob !== undefined && contentHash(blob) === hash) continue;
    const known = earlier.get(path)?.oid ?? null;
    const same = known !== null && cachedHash(db, known, path) === hash;
    rows.set(path, { oid: same ? known : null, contentHash: hash, inGraph: inGraph.has(path) });
  }
  return rows;
}

function cachedHash(db: Db, oid: string, path: string): string | null {
  const sql = "SELECT data FROM fingerprints WHERE oid = ? AND extractor = ?";
  const row = db.get<{ data: string }>(sql, oid, extractorOf(path));
  return row === undefined ? null : (JSON.parse(row.data) as FileFingerprint).contentHash;
}
