import { existsSync, rmSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { isUaError, UaError } from "../errors.js";
import type { PlainFingerprint } from "../fingerprint/plain.js";
import { renderedEntry, storedEntries } from "../fingerprint/stored.js";
import type { Project } from "../repository/locate.js";
import {
  damaged,
  type FileStamp,
  isAsStamped,
  isLink,
  makeFolder,
  readJsonObject,
  readProjectBytes,
  refuseEscape,
  stagingDir,
  stampOf,
  toJson,
  writeFileAtomic,
} from "../store/files.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";

export const GRAPH = "knowledge-graph.json";
export const META = "meta.json";
export const FINGERPRINTS = "fingerprints.json";
export const CONFIG = "config.json";
const NAMES = [GRAPH, META, FINGERPRINTS, CONFIG] as const;
export type ArtefactName = (typeof NAMES)[number];

export interface Meta {
  gitCommitHash: string;
  lastAnalyzedAt: string;
  [other: string]: unknown;
}

/**
 * The files that other tools read. If git tracks one, no hook writes it (invariant "no self-triggering"): a dirty
 * tracked file makes the next checkout abort. Its live copy is in the state dir, and all our readers prefer that.
 */
export function artefactPath(project: Project, name: ArtefactName): string {
  const live = liveCopy(project, name);
  return existsSync(live) ? live : join(project.dataDir, name);
}

export function liveCopy(project: Project, name: ArtefactName): string {
  return join(project.stateDir, "data", ...(project.scope === "." ? [] : [project.scope]), name);
}

/** Both places of every artefact, for the freshness stamp. */
export function artefactPlaces(project: Project): string[] {
  return NAMES.flatMap((name) => [join(project.dataDir, name), liveCopy(project, name)]);
}

/** Where an artefact must really be: a checkout can bring any of them, also as a link. */
export function homeOf({ root, stateDir }: Pick<Project, "root" | "stateDir">, path: string): string {
  return root === null || path.startsWith(`${stateDir}${sep}`) ? stateDir : root;
}

/** Both places of an artefact are read in this way; throws where it is not there. */
export function readArtefactBytes(project: Pick<Project, "root" | "stateDir">, path: string): Buffer {
  const content = readProjectBytes(path, homeOf(project, path));
  if (content === null) throw damaged(path, "it is gone");
  return content;
}

/** The artefacts that git tracks or tracked here. Never cleared: another branch may not have them. */
export function trackedArtefacts(db: Db, project: Project): Set<string> {
  return new Set(readSetting(db, SETTINGS.trackedArtefacts, project.scope) ?? []);
}

export function setTrackedArtefacts(db: Db, project: Project, names: Iterable<string>): void {
  writeSetting(db, SETTINGS.trackedArtefacts, [...names].sort(), project.scope);
}

/** The artefact at a repository path, if it is one. */
export function artefactOf(path: string): ArtefactName | null {
  const name = /^(?:\.understand-anything|\.ua)\/([^/]+)$/.exec(path)?.[1];
  return NAMES.find((known) => known === name) ?? null;
}

/** The name of a file of ours in the data dir that this path of the repository is: an artefact, or a marker. */
export function ownFileOf(path: string): string | null {
  return artefactOf(path) ?? /^(?:\.understand-anything|\.ua)\/(pending-update[^/]*\.json)$/.exec(path)?.[1] ?? null;
}

/** Refuses a data dir that is a link, and an artefact in it that is a link out of the project. */
export function guardDataDir(project: Project): void {
  const home = project.root ?? project.stateDir;
  refuseLinkedDir(project);
  for (const name of NAMES) refuseEscape(join(project.dataDir, name), home);
}

/** A link leads out of the project, or to a folder whose files git may track under other names than those that we look for. */
function refuseLinkedDir({ dataDir, root, stateDir }: Project): void {
  refuseEscape(dataDir, root ?? stateDir);
  if (!isLink(dataDir)) return;
  throw new UaError("refused", `${dataDir} is a symbolic link`, "replace it by the folder itself");
}

/**
 * Invariant "never overwrite what cannot be read": a store that does not load, or is not empty but has no valid entry,
 * is never overwritten.
 */
export function refuseDamaged(project: Project): void {
  for (const name of NAMES) readArtefact(project, name);
  readFingerprintStore(project);
}

export function readArtefact(project: Project, name: ArtefactName): Record<string, unknown> | null {
  const path = artefactPath(project, name);
  return readJsonObject(path, homeOf(project, path));
}

/** Another program wrote an artefact between our reading and our writing of it. */
export class ArtefactChanged extends UaError {
  readonly artefact: string;

  constructor(path: string) {
    super("busy", `${path} was written by another program meanwhile; its version is kept`, "run the command again");
    this.artefact = path;
  }
}

export function isArtefactChanged(error: unknown): error is ArtefactChanged {
  return isUaError(error) && "artefact" in error;
}

/** How often work is repeated that found an artefact changed. */
const MOST_TRIES = 5;

/** Repeats work that read an artefact which another program wrote before we could: the work has to adopt it first. */
export async function repeatIfChanged<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isArtefactChanged(error) || tries === MOST_TRIES) throw error;
    }
  }
}

/** Taken before an artefact is read, for `asRead`. Our own write a moment before is no reason to look at the content. */
export function artefactStamp(project: Project, name: ArtefactName): FileStamp {
  return stampOf(join(project.dataDir, name), { own: true });
}

export type ReadStamps = Record<typeof GRAPH | typeof FINGERPRINTS, FileStamp>;

export function stampsAsRead(project: Project): ReadStamps {
  return { [GRAPH]: artefactStamp(project, GRAPH), [FINGERPRINTS]: artefactStamp(project, FINGERPRINTS) };
}

export interface WriteOptions {
  /** A command was typed, so a tracked file may be written; its live copy is then out of date and removed. */
  allowTracked: boolean;
  /** The file in the data dir is replaced only if it is still this one: see artefactStamp. */
  asRead?: FileStamp;
}

export function writeArtefact(
  db: Db,
  project: Project,
  name: ArtefactName,
  value: unknown,
  options: WriteOptions,
): void {
  writeArtefactText(db, project, name, toJson(value), options);
}

export function writeArtefactText(
  db: Db,
  project: Project,
  name: ArtefactName,
  text: string | Buffer,
  { allowTracked, asRead }: WriteOptions,
): void {
  const toLive = !allowTracked && trackedArtefacts(db, project).has(name);
  const path = toLive ? liveCopy(project, name) : join(project.dataDir, name);
  if (!toLive) refuseLinkedDir(project); // a checkout may have replaced it meanwhile
  if (toLive) makeFolder(dirname(path), project.stateDir);
  else makeFolder(project.dataDir, dirname(project.dataDir), 0o777);
  writeFileAtomic(path, text, 0o644, stagingDir(project.stateDir), () => {
    if (!toLive && asRead !== undefined && !isAsStamped(path, asRead)) throw new ArtefactChanged(path);
  });
  if (!toLive) dropLiveCopy(project, name);
}

/** Writes the tracked file from its live copy, which stays until all of them are written. */
export function exportArtefact(project: Project, name: ArtefactName): void {
  refuseLinkedDir(project);
  writeFileAtomic(
    join(project.dataDir, name),
    readArtefactBytes(project, liveCopy(project, name)),
    0o644,
    stagingDir(project.stateDir),
  );
}

/** In a bare repository both places are one. */
export function dropLiveCopy(project: Project, name: ArtefactName): void {
  const live = liveCopy(project, name);
  if (live !== join(project.dataDir, name)) rmSync(live, { force: true });
}

export function readMeta(project: Project): Meta | null {
  const raw = readArtefact(project, META);
  if (raw === null) return null;
  if (typeof raw.gitCommitHash !== "string") throw damaged(artefactPath(project, META), "gitCommitHash is missing");
  return { ...raw, gitCommitHash: raw.gitCommitHash, lastAnalyzedAt: String(raw.lastAnalyzedAt ?? "") };
}

/** config.json belongs to other tools, too: we only use autoUpdate, and only `true` enables us. */
export function isAutoUpdate(project: Project): boolean {
  return readArtefact(project, CONFIG)?.autoUpdate === true;
}

export interface StoredFingerprints {
  gitCommitHash: string | null;
  files: Map<string, PlainFingerprint>;
}

/** A store that is not empty but has no valid entry is damaged: overwriting it would make every file new again. */
export function readFingerprintStore(project: Project): StoredFingerprints | null {
  const raw = readArtefact(project, FINGERPRINTS);
  if (raw === null) return null;
  const { files, isDamaged } = storedEntries(raw);
  if (isDamaged) {
    throw damaged(artefactPath(project, FINGERPRINTS), "it is not empty, but none of its entries can be used");
  }
  return { gitCommitHash: typeof raw.gitCommitHash === "string" ? raw.gitCommitHash : null, files };
}

export function fingerprintStoreJson(commit: string, at: string, files: Map<string, PlainFingerprint>): unknown {
  const entries = [...files].map(([path, entry]) => [path, renderedEntry(entry)] as const);
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return { version: "1.0.0", gitCommitHash: commit, generatedAt: at, files: Object.fromEntries(sorted) };
}
