import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { unaliasSteps } from "../agents/git-alias.js";
import { undoAgents } from "../agents/settings.js";
import { writtenFilesPath } from "../agents/written-files.js";
import { errnoOf, isUaError, isVersionError, type UaError } from "../errors.js";
import { uninstallHooks } from "../hook-managers/choose.js";
import { detectHookEnvironment, type HookEnvironment } from "../hook-managers/environment.js";
import { unexcludeHookFiles } from "../hook-managers/exclude.js";
import { type FileStep, isTemporaryOf, removeEmpty, Transaction } from "../hook-managers/plan.js";
import { type ArtefactName, trackedArtefacts } from "../knowledge/artefacts.js";
import { MARKER_NAME, markerPath } from "../marker/marker.js";
import { moveFile, refusalOf } from "../platform/change-files.js";
import { processNumber } from "../platform/process.js";
import { isWindows } from "../platform/windows.js";
import { type Context, withContext, withLockedContext } from "../repository/context.js";
import { isSetUp } from "../repository/installed.js";
import { NO_REDIRECT_PIN, type Project, projectOf } from "../repository/locate.js";
import { listWorktrees } from "../repository/worktrees.js";
import { removeTemporaries, stateDb } from "../store/files.js";
import { SETTINGS, writeSetting } from "../store/settings.js";
import { bringBackOthers } from "../verification/data-dir.js";
import { ARTEFACTS, forgetFolders, madeNames, recordedFolders } from "./created-files.js";
import { includeSteps, unexcludeSteps } from "./exclude.js";
import { saveTeamPlace, type TeamPlace, teamPlace, teamUninstallSteps } from "./team.js";

export interface UninstallOptions {
  purge: boolean;
  /** Gets what will be removed; returns whether to go on. */
  mayGo?: (going: { steps: readonly FileStep[]; folders: readonly string[] }) => Promise<boolean>;
}

export interface UninstallReport {
  steps: FileStep[];
  kept: string[];
  /** What is left as it is, behind a link of a checkout. */
  refused: UaError[];
  /** False if the user answered no. */
  done: boolean;
}

/**
 * Removes the hooks. Knowledge stays, unless `purge`: then the state and the artefacts that install created are removed
 * too.
 */
export async function uninstall(project: Project, options: UninstallOptions): Promise<UninstallReport> {
  const { purge, mayGo } = options;
  // Hooks and state belong to the clone, so the parts of all worktrees are removed, also of those with their own data.
  const projects = [project, ...listWorktrees(project).map((worktree) => projectOf(worktree, project, process.env))];
  const record = await readInstallRecord(project, projects);
  const noted = record ?? NOTHING_NOTED;
  const left = record === null && isSetUp(project) ? projects.map(({ dataDir }) => dataDir) : [];
  const agents = undoAgents(project);
  const isRecord = ({ file }: FileStep) => file === writtenFilesPath(project.stateDir);
  const environments = await hookEnvironmentsOf(project, projects);
  const parts: (() => readonly FileStep[])[] = [
    ...environments.flatMap((environment) => uninstallHooks(environment, noted.folders)),
    () => unexcludeHookFiles({ project }),
    () => markerSteps(projects),
    () => teamUninstallSteps(project, noted.place),
    () => unaliasSteps(project.commonDir),
    () => agents.edits.filter((edit) => !isRecord(edit)),
    ...(purge
      ? [() => noted.artefacts.map(removal), () => unexcludeSteps(project)]
      : [() => includeSteps(project, agents.exclude)]),
  ];
  const folders = purge && existsSync(project.stateDir) ? [project.stateDir] : [];
  const planned = unique(parts);
  const files = [...new Set(planned.map(({ file }) => file))];
  const refused = files.map(refusalOf).filter((error) => error !== null);
  if (mayGo !== undefined && !(await mayGo({ steps: planned.filter(isAllowed), folders })))
    return { steps: [], kept: [], refused, done: false };
  const carryOut = async (): Promise<UninstallReport> => {
    // No waiting from here to the last file, so Ctrl-C takes effect before or after.
    const work = new Transaction();
    for (const part of parts) work.carryOut(part().filter(isAllowed));
    // The records are removed after the files they name: after a kill, the next uninstall finds the rest.
    const made = noted.made.toReversed().map((folder) => resolve(project.commonDir, folder));
    removeEmpty([...agents.folders, ...made]);
    work.carryOut(agents.edits.filter(isRecord));
    if (purge) for (const each of projects) removePutAside(each.dataDir);
    if (purge) for (const each of projects) bringBackOthers(each, noted.created.get(each.scope) ?? []);
    await forgetInstallRecord(project);
    if (purge) endState(project);
    else for (const name of PROGRAM) rmSync(join(project.stateDir, name), { recursive: true, force: true });
    removeEmpty(made);
    const kept = [...(purge ? [] : [project.stateDir, ...noted.artefacts]), ...left].filter((path) => existsSync(path));
    return { steps: work.steps, kept, refused, done: true };
  };
  // A worker that is in the middle of its work would write back what is removed here.
  const report = record === null ? await carryOut() : await withLockedContext(project, carryOut);
  if (purge) purgeState(project, projects);
  return report;
}

/** What a link of a checkout leads to is not ours, and the user must get rid of the rest. */
const isAllowed = ({ file }: FileStep) => refusalOf(file) === null;

/** A linked worktree that git no longer finds, because the repository moved, must not prevent the uninstall. */
async function hookEnvironmentsOf(project: Project, others: readonly Project[]): Promise<HookEnvironment[]> {
  const found = await Promise.all(others.map((each) => detectHookEnvironment(each).catch(() => null)));
  return [await detectHookEnvironment(project), ...found.filter((environment) => environment !== null)];
}

/** Put aside until all else is done: a graph may be too large to be held in memory for the way back. */
const removal = (file: string): FileStep => ({
  ...{ file, what: "artefact removed", text: null },
  run: () => {
    const temporary = join(dirname(file), `.${basename(file)}.${processNumber()}.tmp`);
    moveFile(file, temporary);
    return () => moveFile(temporary, file);
  },
});

/** Also what a purge that was killed had put aside. */
function removePutAside(dataDir: string): void {
  removeTemporaries(dataDir, (name) => ARTEFACTS.some((artefact) => isTemporaryOf(artefact, name)));
}

/** Planned from the current files, without duplicates: several environments share most steps. */
function unique(parts: readonly (() => readonly FileStep[])[]): FileStep[] {
  const all = parts.flatMap((part) => part()).map((step) => [`${step.file}\n${step.what}`, step] as const);
  return [...new Map(all).values()];
}

/** Also those of worktrees that are gone. */
function markerFiles(project: Project): string[] {
  const dir = dirname(markerPath(project));
  const names = existsSync(dir) ? readdirSync(dir) : [];
  return names.filter((name) => MARKER_NAME.test(name)).map((name) => join(dir, name));
}

function markerSteps(projects: readonly Project[]): FileStep[] {
  const markers = [...new Set(projects.flatMap(markerFiles))];
  return markers.map((file) => ({ file, what: "pending marker removed", text: null }));
}

interface InstallRecord {
  /** Artefacts that install created and that were not committed since. */
  artefacts: string[];
  /** The names of all that it created, by whose graph it is. */
  created: ReadonlyMap<string, readonly ArtefactName[]>;
  /** Where the merge driver's attributes are. */
  place: TeamPlace | null;
  /** Folders with our hook files, and those that install created. */
  folders: string[];
  made: string[];
}

/**
 * What install noted for this moment; null where that cannot be read: no SQLite for this Node, a damaged database, one of a newer
 * version. Then the hooks go by what is in the files, and everything that may be the user's stays.
 */
async function readInstallRecord(project: Project, projects: readonly Project[]): Promise<InstallRecord | null> {
  if (!isSetUp(project)) return null;
  const read = async (context: Context): Promise<InstallRecord> => {
    const db = await context.database();
    const files = projects.flatMap((each) => {
      const tracked = trackedArtefacts(db, each);
      const made = madeNames(db, each).filter((name) => !tracked.has(name));
      return made.map((name) => join(each.dataDir, name));
    });
    const artefacts = [...new Set(files)].filter((file) => existsSync(file));
    const [folders, made] = [recordedFolders(db, SETTINGS.hookFolders), recordedFolders(db, SETTINGS.createdFolders)];
    const created = new Map(projects.map((each) => [each.scope, madeNames(db, each)]));
    return { artefacts, created, place: teamPlace(db, project), folders, made };
  };
  return withContext(project, read).catch(orUnreadable(null));
}

/** One of an older version is not unreadable: the command upgrades it first. */
function orUnreadable<T>(instead: T): (error: unknown) => T {
  return (error) => {
    const isOlder = isVersionError(error) && error.database === "older";
    if (!isUaError(error) || isOlder || (error.code !== "damaged" && error.code !== "failed")) throw error;
    return instead;
  };
}

const NOTHING_NOTED: InstallRecord = { artefacts: [], created: new Map(), place: null, folders: [], made: [] };

async function forgetInstallRecord(project: Project): Promise<void> {
  if (!isSetUp(project)) return;
  const forget = async (context: Context): Promise<void> => {
    const db = await context.database();
    saveTeamPlace(db, project, null);
    forgetFolders(db);
    writeSetting(db, SETTINGS.mode, null);
  };
  await withContext(project, forget).catch(orUnreadable(undefined));
}

/** What the hooks run; with --purge also all knowledge. */
const PROGRAM = ["shim.sh", "agent.sh", "entry.sh", "env", "config-ran", "templates", "seen", "runtime", "bin"];

/** With the lock held: a worker that waits for it finds that there is no state. */
function endState({ stateDir }: Project): void {
  const file = stateDb(stateDir);
  try {
    if (existsSync(file)) renameSync(file, `${file}.removed`);
  } catch (error) {
    if (!isWindows) throw error; // it is open: it goes with the folder
  }
}

const MOST_TRIES = 20;

/** A process that began before may still write a file into the folder while it is emptied. */
function purgeState({ stateDir }: Project, projects: readonly Project[]): void {
  for (let tries = 1; existsSync(stateDir); tries++) {
    try {
      rmSync(stateDir, { recursive: true, force: true });
    } catch (error) {
      if (errnoOf(error) !== "ENOTEMPTY" || tries === MOST_TRIES) throw error;
    }
  }
  for (const { worktree } of projects) rmSync(join(worktree.gitDir, NO_REDIRECT_PIN), { force: true });
  removeEmpty(projects.map(({ dataDir }) => dataDir));
}
