import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { ignoredAmong, trackedAmong } from "../git/tracked.js";
import type { Project } from "../repository/locate.js";
import { makeFolder, readProjectBytes, readProjectFile, stagingDir, writeFileAtomic } from "../store/files.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import {
  type ArtefactName,
  addTrackedArtefacts,
  CONFIG,
  dropCopy,
  FINGERPRINTS,
  GRAPH,
  homeOf,
  liveCopy,
  META,
  setTrackedArtefacts,
  trackedArtefacts,
} from "./artefacts.js";
import { fingerprintText } from "./fingerprint-file.js";
import { StoredGraph } from "./stored-graph.js";

const NAMES: readonly ArtefactName[] = [GRAPH, FINGERPRINTS, META, CONFIG];

/** Where git knows each artefact. */
const pathsIn =
  (root: string, { dataDir }: Project) =>
  (name: string) =>
    relative(root, join(dataDir, name));

/** The artefacts that git tracks here from now on count as such, before anything is written. */
export async function noteTracked(db: Db, project: Project): Promise<ReadonlySet<string>> {
  const { root } = project;
  if (root === null) return new Set();
  const pathOf = pathsIn(root, project);
  const tracked = await trackedAmong(root, NAMES.map(pathOf));
  const names = NAMES.filter((name) => tracked.has(pathOf(name)));
  addTrackedArtefacts(db, project, names);
  return new Set(names);
}

/**
 * A branch that tracks the artefacts was left, and git removed them. Where they are ignored, as `install` arranges it, they are
 * ours again: what is stored goes back into the data dir, and the baseline is read anew, without what came with that branch.
 */
export async function returnToIgnored(db: Db, project: Project): Promise<boolean> {
  const { root } = project;
  const known = trackedArtefacts(db, project);
  const missing = [...known].filter((name) => !existsSync(join(project.dataDir, name)));
  if (root === null || missing.length === 0) return false;
  const pathOf = pathsIn(root, project);
  const tracked = await trackedAmong(root, missing.map(pathOf));
  const ignored = await ignoredAmong(
    root,
    missing.map(pathOf).filter((path) => !tracked.has(path)),
  );
  const ours = missing.filter((name) => ignored.has(pathOf(name)));
  if (ours.length === 0) return false;
  for (const name of NAMES.filter((one) => ours.includes(one))) bringBack(db, project, name);
  const left = new Set(ours);
  setTrackedArtefacts(
    db,
    project,
    [...known].filter((name) => !left.has(name)),
  );
  writeSetting(db, SETTINGS.adopted, null, project.scope);
  return true;
}

function bringBack(db: Db, project: Project, name: ArtefactName): void {
  const text = storedText(db, project, name);
  if (text === null) return;
  makeFolder(project.dataDir, homeOf(project, project.dataDir), 0o755);
  writeFileAtomic(join(project.dataDir, name), text, 0o644, stagingDir(project.stateDir));
  dropCopy(project, name);
}

function storedText(db: Db, project: Project, name: ArtefactName): Parameters<typeof writeFileAtomic>[1] | null {
  const { scope } = project;
  if (name === CONFIG) return readSetting(db, SETTINGS.configFile, scope);
  if (name === META) return readProjectBytes(liveCopy(project, META), homeOf(project, liveCopy(project, META)));
  if (name === FINGERPRINTS) {
    const commit = readSetting(db, SETTINGS.baseCommit, scope);
    const at = new Date().toISOString();
    return commit === null ? null : () => fingerprintText(db, scope, { commit, at, changes: new Map() });
  }
  const graph = StoredGraph.load(db, scope);
  return graph === null ? null : () => graph.text();
}

/** A checkout overwrites an ignored config.json without a word: what the user has in it is kept. */
export function keepConfigFile(db: Db, project: Project): void {
  if (trackedArtefacts(db, project).has(CONFIG)) return;
  const file = join(project.dataDir, CONFIG);
  const text = readProjectFile(file, homeOf(project, file));
  if (text !== null && text !== readSetting(db, SETTINGS.configFile, project.scope))
    writeSetting(db, SETTINGS.configFile, text, project.scope);
}
