import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { UaError } from "../errors.js";
import { isStashed } from "../git/stash.js";
import type { Project } from "../repository/locate.js";
import { isAsStamped } from "../store/files.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { adoptedStamps, announceMeta, recordAdopted } from "./adopted.js";
import {
  artefactPath,
  CONFIG,
  FINGERPRINTS,
  GRAPH,
  META,
  readArtefact,
  readArtefactChunks,
  trackedArtefacts,
  writeArtefact,
  writeArtefactText,
} from "./artefacts.js";
import { sharedRows } from "./baseline.js";
import { Facts, type Limits, storedFacts } from "./facts.js";
import { fingerprintText, hasEntries, packedEntry, saveEntries } from "./fingerprint-file.js";
import { StoredGraph } from "./stored-graph.js";

/**
 * Restores a deleted graph, or all of the data dir (`git clean -xfd`), descriptions included, from what is stored; meta from the verified state.
 * Only if there was a graph of ours before, and git does not track it: a
 * checkout of a branch without the graph is intended. An interrupted restore starts again, unless another tool wrote a
 * graph meanwhile.
 */
export async function revive(db: Db, project: Project, limits: Limits): Promise<boolean> {
  const { scope } = project;
  const isThere = existsSync(artefactPath(project, GRAPH));
  const isInterrupted = readSetting(db, SETTINGS.reviving, scope) !== null;
  if (!isInterrupted && (isThere || trackedArtefacts(db, project).has(GRAPH))) return false;
  await refuseStashed(project);
  const graph = StoredGraph.load(db, scope);
  const rows = sharedRows(db, scope);
  const commit = readSetting(db, SETTINGS.baseCommit, scope);
  if (rows.size === 0 || graph === null || commit === null || (isThere && !isSame(project, graph))) {
    writeSetting(db, SETTINGS.reviving, null, scope);
    return false;
  }
  const at = new Date().toISOString();
  writeSetting(db, SETTINGS.reviving, at, scope);
  writeArtefactText(db, project, GRAPH, () => graph.text(), { allowTracked: false });
  await writeFingerprints(db, project, limits, { commit, at });
  writeMeta(db, project, { commit, at, files: rows.size });
  const config = readSetting(db, SETTINGS.configFile, scope);
  if (config !== null && readArtefact(project, CONFIG) === null)
    writeArtefactText(db, project, CONFIG, config, { allowTracked: false });
  recordAdopted(db, project);
  writeSetting(db, SETTINGS.reviving, null, scope);
  return true;
}

function writeMeta(
  db: Db,
  project: Project,
  { commit, at, files }: { commit: string; at: string; files: number },
): void {
  const meta = { lastAnalyzedAt: at, gitCommitHash: commit, version: "1.0.0", analyzedFiles: files };
  announceMeta(db, project, `${commit} ${at}`);
  writeArtefact(db, project, META, meta, { allowTracked: false });
}

/** A missing meta.json beside a graph. */
export function renewMeta(db: Db, project: Project): void {
  const commit = readSetting(db, SETTINGS.baseCommit, project.scope);
  if (commit === null || readArtefact(project, META) !== null) return;
  writeMeta(db, project, { commit, at: new Date().toISOString(), files: sharedRows(db, project.scope).size });
}

function isSame(project: Project, graph: StoredGraph): boolean {
  const hashOf = (parts: Iterable<Buffer>) => {
    const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
    for (const part of parts) hash.update(part);
    return hash.digest("hex");
  };
  return hashOf(readArtefactChunks(project, artefactPath(project, GRAPH))) === hashOf(graph.text());
}

/** Missing fingerprints, as the baseline has them. */
export async function renewFingerprints(db: Db, project: Project, limits: Limits): Promise<void> {
  const commit = readSetting(db, SETTINGS.baseCommit, project.scope);
  if (commit === null || existsSync(join(project.dataDir, FINGERPRINTS))) return;
  await writeFingerprints(db, project, limits, { commit, at: new Date().toISOString() });
}

/** Fingerprints that were deleted beside a graph that is as it was: without them, what comes into the graph would claim HEAD's contents. */
export async function reviveFingerprints(db: Db, project: Project, limits: Limits): Promise<void> {
  const [graph, fingerprints] = adoptedStamps(db, project);
  if (typeof fingerprints !== "string" || trackedArtefacts(db, project).has(FINGERPRINTS)) return;
  if (!isAsStamped(join(project.dataDir, GRAPH), graph)) return;
  if (project.root !== null && (await isStashed(project.worktree.path, [basename(project.dataDir)]))) return;
  await renewFingerprints(db, project, limits);
  recordAdopted(db, project, [graph ?? null]);
}

async function writeFingerprints(
  db: Db,
  project: Project,
  limits: Limits,
  { commit, at }: { commit: string; at: string },
): Promise<void> {
  const { scope, worktree } = project;
  if (!hasEntries(db, scope)) {
    const rows = sharedRows(db, scope);
    const wanted = [...rows].flatMap(([path, { oid }]) => (oid === null ? [] : [{ path, oid }]));
    const facts = await new Facts(storedFacts(db, { keep: true }), worktree.path, limits).of(wanted);
    const entries = new Map([...facts.values()].map((fact) => [fact.filePath, packedEntry(fact)]));
    db.write(() => saveEntries(db, scope, entries));
  }
  const text = () => fingerprintText(db, scope, { commit, at, changes: new Map() });
  writeArtefactText(db, project, FINGERPRINTS, text, { allowTracked: false });
}

/** `git stash --all` took the data dir along. What was written in its place would make `git stash pop` fail. */
async function refuseStashed({ dataDir, root, worktree }: Project): Promise<void> {
  if (root === null || !(await isStashed(worktree.path, [basename(dataDir)]))) return;
  const next = "`git stash pop` brings it back; without it, `ua-hooks install` builds a new one";
  throw new UaError("failed", `${dataDir} is in a stash (git stash --all)`, next);
}
