import { basename } from "node:path";
import { UaError } from "../errors.js";
import { isStashed } from "../git/stash.js";
import type { Project } from "../repository/locate.js";
import { readProjectBytes, toJson } from "../store/files.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { announceMeta, recordAdopted } from "./adopted.js";
import {
  artefactPath,
  CONFIG,
  FINGERPRINTS,
  fingerprintStoreJson,
  GRAPH,
  homeOf,
  META,
  readArtefact,
  trackedArtefacts,
  writeArtefact,
  writeArtefactText,
} from "./artefacts.js";
import { digestOf, sharedRows } from "./baseline.js";
import { Facts, type Limits, storedFacts } from "./facts.js";
import { readSnapshot } from "./snapshots.js";

/**
 * Restores a deleted graph, or all of the data dir (`git clean -xfd`), descriptions included: the graph from its snapshot, fingerprints from
 * the facts, meta from the verified state. Only if there was a graph of ours before, and git does not track it: a
 * checkout of a branch without the graph is intended. An interrupted restore starts again, unless another tool wrote a
 * graph meanwhile.
 */
export async function revive(db: Db, project: Project, limits: Limits): Promise<boolean> {
  const { scope } = project;
  const path = artefactPath(project, GRAPH);
  const graph = readProjectBytes(path, homeOf(project, path))?.toString("utf8") ?? null;
  if (
    readSetting(db, SETTINGS.reviving, scope) === null &&
    (graph !== null || trackedArtefacts(db, project).has(GRAPH))
  )
    return false;
  await refuseStashed(project);
  const rows = sharedRows(db, project.scope);
  const configs = JSON.stringify(readSetting(db, SETTINGS.configs, scope) ?? []);
  const text = readSnapshot(db, scope, digestOf(rows, configs));
  const commit = readSetting(db, SETTINGS.baseCommit, scope);
  if (rows.size === 0 || text === null || commit === null || (graph !== null && graph !== text.toString("utf8"))) {
    writeSetting(db, SETTINGS.reviving, null, scope);
    return false;
  }
  const at = new Date().toISOString();
  const fingerprints = await fingerprintsOf(db, project, limits, { commit, at });
  writeSetting(db, SETTINGS.reviving, at, scope);
  writeArtefactText(db, project, GRAPH, text, { allowTracked: false });
  writeArtefact(db, project, FINGERPRINTS, fingerprints, { allowTracked: false });
  const meta = { lastAnalyzedAt: at, gitCommitHash: commit, version: "1.0.0", analyzedFiles: rows.size };
  announceMeta(db, project, `${commit} ${at}`);
  writeArtefact(db, project, META, meta, { allowTracked: false });
  if (readArtefact(project, CONFIG) === null) {
    const config = readSetting(db, SETTINGS.configFile, scope) ?? toJson({ autoUpdate: true });
    writeArtefactText(db, project, CONFIG, config, { allowTracked: false });
  }
  recordAdopted(db, project);
  writeSetting(db, SETTINGS.reviving, null, scope);
  return true;
}

/** Missing fingerprints, as the baseline has them. */
export async function renewFingerprints(db: Db, project: Project, limits: Limits): Promise<void> {
  const commit = readSetting(db, SETTINGS.baseCommit, project.scope);
  if (commit === null || readArtefact(project, FINGERPRINTS) !== null) return;
  const fingerprints = await fingerprintsOf(db, project, limits, { commit, at: new Date().toISOString() });
  writeArtefact(db, project, FINGERPRINTS, fingerprints, { allowTracked: false });
}

async function fingerprintsOf(
  db: Db,
  project: Project,
  limits: Limits,
  { commit, at }: { commit: string; at: string },
): Promise<unknown> {
  const rows = sharedRows(db, project.scope);
  const wanted = [...rows].flatMap(([path, { oid }]) => (oid === null ? [] : [{ path, oid }]));
  const facts = await new Facts(storedFacts(db, { keep: true }), project.worktree.path, limits).of(wanted);
  return fingerprintStoreJson(commit, at, new Map([...facts.values()].map((fact) => [fact.filePath, fact])));
}

/** `git stash --all` took the data dir along. What was written in its place would make `git stash pop` fail. */
async function refuseStashed({ dataDir, root, worktree }: Project): Promise<void> {
  if (root === null || !(await isStashed(worktree.path, [basename(dataDir)]))) return;
  const next = "`git stash pop` brings it back; without it, `ua-hooks install` builds a new one";
  throw new UaError("failed", `${dataDir} is in a stash (git stash --all)`, next);
}
