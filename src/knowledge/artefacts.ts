import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { isUaError, UaError } from "../errors.js";
import { refuseLinks, removeFile } from "../platform/change-files.js";
import type { Project } from "../repository/locate.js";
import {
  damaged,
  type FileStamp,
  isAsStamped,
  makeFolder,
  readJsonObject,
  readProjectChunks,
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
 * tracked file makes the next checkout abort. What the graph and the fingerprints would say is in the store; of the two small ones there
 * is a live copy in the state dir.
 */
export function artefactPath(project: Project, name: ArtefactName): string {
  const file = join(project.dataDir, name);
  if (name === GRAPH || name === FINGERPRINTS) return file;
  const live = liveCopy(project, name);
  return existsSync(live) ? live : file;
}

type SmallArtefact = typeof META | typeof CONFIG;

export function liveCopy(project: Project, name: SmallArtefact): string {
  return inStateDir(project, name);
}

/** Where a graph or fingerprints are put that have to be adopted in place of the file in the data dir (repair.ts). */
export function arrivedCopy(project: Project, name: ArtefactName): string {
  return inStateDir(project, name);
}

function inStateDir({ stateDir, scope }: Project, name: string): string {
  return join(stateDir, "data", ...(scope === "." ? [] : [scope]), name);
}

/** Every place of an artefact, for the freshness stamp. */
export function artefactPlaces(project: Project): string[] {
  return [...NAMES.map((name) => join(project.dataDir, name)), liveCopy(project, META), liveCopy(project, CONFIG)];
}

/** Where an artefact must really be: a checkout can bring any of them, also as a link. */
export function homeOf({ root, stateDir }: Pick<Project, "root" | "stateDir">, path: string): string {
  return root === null || path.startsWith(`${stateDir}${sep}`) ? stateDir : root;
}

/** Both places of an artefact are read in this way, in parts, for one of any size; nothing where it is not there. */
export function readArtefactChunks(project: Pick<Project, "root" | "stateDir">, path: string): Iterable<Buffer> {
  return readProjectChunks(path, homeOf(project, path));
}

/** The artefacts that git tracks or tracked here. Never cleared: another branch may not have them. */
export function trackedArtefacts(db: Db, project: Project): Set<string> {
  return new Set(readSetting(db, SETTINGS.trackedArtefacts, project.scope) ?? []);
}

export function setTrackedArtefacts(db: Db, project: Project, names: Iterable<string>): void {
  writeSetting(db, SETTINGS.trackedArtefacts, [...names].sort(), project.scope);
}

export function addTrackedArtefacts(db: Db, project: Project, names: readonly string[]): void {
  const known = trackedArtefacts(db, project);
  if (names.some((name) => !known.has(name))) setTrackedArtefacts(db, project, [...known, ...names]);
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

/** Before anything is done: the artefacts are written last. */
export function guardDataDir(project: Project): void {
  refuseSubmodule(project);
  for (const name of ["", ...NAMES]) refuseLinks(join(project.dataDir, name));
}

/** What is written into another repository git shows there and here, and a checkout in it may need what we wrote to be gone. */
function refuseSubmodule({ dataDir }: Project): void {
  if (existsSync(join(dataDir, ".git")))
    throw new UaError(
      "refused",
      `${dataDir} is a git repository of its own, a submodule for example`,
      "make it a folder of this repository; `git rm` removes a submodule",
    );
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
  /** Called right before the file appears. */
  beforeRename?: () => void;
}

export function writeArtefact(
  db: Db,
  project: Project,
  name: SmallArtefact,
  value: unknown,
  options: WriteOptions,
): void {
  writeArtefactText(db, project, name, toJson(value), options);
}

/** False if git tracks the file and only the store has what would be in it. */
export function writeArtefactText(
  db: Db,
  project: Project,
  name: ArtefactName,
  text: string | Buffer | (() => Iterable<Buffer>),
  { allowTracked, asRead, beforeRename = () => {} }: WriteOptions,
): boolean {
  const isTracked = !allowTracked && trackedArtefacts(db, project).has(name);
  setUnrendered(db, project, name, isTracked);
  if (isTracked && (name === GRAPH || name === FINGERPRINTS)) return false;
  const path = isTracked ? inStateDir(project, name) : join(project.dataDir, name);
  if (!isTracked) refuseSubmodule(project); // a checkout may have replaced it meanwhile
  if (isTracked) makeFolder(dirname(path), project.stateDir);
  else makeFolder(project.dataDir, dirname(project.dataDir), 0o777);
  writeFileAtomic(path, text, 0o644, stagingDir(project.stateDir), () => {
    if (!isTracked && asRead !== undefined && !isAsStamped(path, asRead)) throw new ArtefactChanged(path);
    beforeRename();
  });
  if (!isTracked) dropCopy(project, name);
  return true;
}

/** In the data dir; or in the store, on a branch without a tracked file that was behind it. */
export function hasGraph(db: Db, project: Project): boolean {
  return existsSync(artefactPath(project, GRAPH)) || unrenderedArtefacts(db, project).includes(GRAPH);
}

/** Tracked artefacts that are behind the store. */
export function unrenderedArtefacts(db: Db, project: Project): ArtefactName[] {
  const names = new Set(readSetting(db, SETTINGS.unrendered, project.scope) ?? []);
  return NAMES.filter((name) => names.has(name));
}

function setUnrendered(db: Db, project: Project, name: ArtefactName, isBehind: boolean): void {
  const names = unrenderedArtefacts(db, project);
  if (names.includes(name) === isBehind) return;
  const next = isBehind ? [...names, name] : names.filter((other) => other !== name);
  writeSetting(db, SETTINGS.unrendered, next, project.scope);
}

/** In a bare repository both places are one. */
export function dropCopy(project: Project, name: ArtefactName): void {
  const copy = inStateDir(project, name);
  if (copy !== join(project.dataDir, name)) removeFile(copy);
}

export function readMeta(project: Project): Meta | null {
  const raw = readArtefact(project, META);
  if (raw === null) return null;
  if (typeof raw.gitCommitHash !== "string") throw damaged(artefactPath(project, META), "gitCommitHash is missing");
  return { ...raw, gitCommitHash: raw.gitCommitHash, lastAnalyzedAt: String(raw.lastAnalyzedAt ?? "") };
}

/**
 * Installing switches us on; `autoUpdate` in config.json can switch us off: false if it is false, null for any other value than true. We
 * never write the key: it also switches Understand-Anything's own hook, which starts an update with a model.
 */
export function readAutoUpdate(project: Project): boolean | null {
  const value = readArtefact(project, CONFIG)?.autoUpdate;
  if (value === undefined) return true;
  return typeof value === "boolean" ? value : null;
}
