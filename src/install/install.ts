import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { aliasSteps } from "../agents/git-alias.js";
import { trustedExecution } from "../analyzers/trust.js";
import { isUaError } from "../errors.js";
import { readHead } from "../git/head.js";
import { listTree } from "../git/trees.js";
import { chooseManagers, foldersOf, installHooks, removeFromOtherManagers } from "../hook-managers/choose.js";
import {
  type Ask,
  detectHookEnvironment,
  type HookEnvironment,
  runsConfigHooks,
} from "../hook-managers/environment.js";
import type { HookManager, ManagerName } from "../hook-managers/manager.js";
import { type FileStep, Transaction } from "../hook-managers/plan.js";
import { wrongHooksPath } from "../hook-managers/wrong-path.js";
import {
  addTrackedArtefacts,
  artefactPath,
  GRAPH,
  guardDataDir,
  isArtefactChanged,
  ownFileOf,
  readAutoUpdate,
} from "../knowledge/artefacts.js";
import { keepMarkersApart, markerPath } from "../marker/marker.js";
import { removeFile } from "../platform/change-files.js";
import { onInterrupt } from "../platform/interrupt.js";
import { isWindows } from "../platform/windows.js";
import { type Config, loadConfig } from "../repository/config.js";
import { type LockedContext, withLockedContext } from "../repository/context.js";
import { NO_REDIRECT_PIN, type Project, projectOf, ROOT_FILE } from "../repository/locate.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { makeStateDir } from "../store/state.js";
import { usesStatements, verifyWorktree } from "../sync/switch.js";
import { chooseMode, modeOf } from "../verification/config.js";
import type { Verification } from "../verification/verify.js";
import { planWantedAgents } from "./agents.js";
import { buildBaseline, type OnProgress, refuseDamaged } from "./baseline.js";
import { ARTEFACTS, forgetCreated, recordCreated, recordFolders, rememberAbsent } from "./created-files.js";
import { excludeNotes, excludeSteps } from "./exclude.js";
import { detectFindings, type Findings, grammarsFor, languagesAtHead } from "./findings.js";
import { prepareStateDir, runtimeSteps } from "./runtime.js";
import { planTeam, saveTeamPlace, type TeamPlace, type TeamPlan, teamPlace } from "./team.js";

export interface InstallOptions {
  dryRun: boolean;
  init: boolean;
  rebuild: boolean;
  /** The artefacts are committed. */
  team: boolean;
  /** Agents to notify, or `auto`; null: those of the last install. */
  agents?: readonly string[] | null;
  /** Their entries go into the files that are committed. */
  shared?: boolean;
  mayWriteSettings?: (files: readonly string[]) => Promise<boolean>;
  /** The place to install into; null: chosen automatically. */
  manager?: ManagerName | null;
  /** The mode of this clone; null: as it was, or as the config says. */
  mode?: Config["mode"] | null;
  /** Returns whether a tracked file may be written. */
  mayWriteTracked: Ask;
  onProgress: OnProgress;
}

export interface InstallReport {
  steps: FileStep[];
  places: ManagerName[];
  /** What could not be done, and what to do about it. */
  notes: string[];
  /** null for a dry run, which does not read the files. */
  found: Findings | null;
  graph: "built" | "found" | "none";
  files: number;
  /** What config.json says about it: null for a value that is neither true nor false. */
  autoUpdate: boolean | null;
  mode: Config["mode"];
  /** False where core.hooksPath names a folder that does not exist; a note says what to do. */
  runsHooks: boolean;
  team: TeamPlace | null;
  verification: Verification | null;
}

/** All or nothing: files are written in a transaction, and created ones are removed if a later part fails. */
export async function install(project: Project, options: InstallOptions): Promise<InstallReport> {
  guardDataDir(project);
  const config = await loadConfig(project.root);
  const environment = await detectHookEnvironment(project);
  const places = chooseManagers(environment, options.manager ?? null);
  const build = options.init && (options.rebuild || !existsSync(artefactPath(project, GRAPH)));
  if (build) refuseDamaged(project);
  const report: InstallReport = {
    ...{ steps: [], places: [], notes: [], graph: build ? "built" : "found", files: 0 },
    found: null,
    autoUpdate: true,
    mode: config.mode,
    runsHooks: true,
    team: null,
    verification: null,
  };
  const work = new Transaction(options.dryRun);
  if (options.dryRun) return { ...report, ...(await plan(environment, places, options, work)) };

  const { removeNew, keepArtefacts } = rememberAbsent(project);
  const takeBack = () => {
    work.undo();
    removeNew();
  };
  const forget = onInterrupt(takeBack);
  try {
    makeStateDir(project.stateDir);
    // All of it with the lock held: of two installs at the same time, the second waits for the first.
    return await withLockedContext(project, async (locked) => {
      const leave = onInterrupt(locked.lock.release);
      try {
        const parts = { locked, project, config, build, environment, places, keepArtefacts };
        return { ...report, ...(await carryOut(parts, options, work)) };
      } finally {
        leave();
      }
    });
  } catch (error) {
    takeBack();
    throw error;
  } finally {
    forget();
  }
}

async function plan(
  environment: HookEnvironment,
  places: readonly HookManager[],
  options: InstallOptions,
  work: Transaction,
) {
  const team = await planTeam(environment.project, { wanted: options.team, mayWriteTracked: options.mayWriteTracked });
  const agents = await planWantedAgents(environment.project, { ...options, mayWriteSettings: async () => true });
  work.carryOut([...team.steps.filter(({ file }) => !file.startsWith(environment.project.stateDir)), ...agents.edits]);
  removeFromOtherManagers(environment, places, work);
  const moved = await installHooks(environment, places, options.mayWriteTracked, work);
  return { steps: work.steps, places: moved.places, notes: [...agents.notes, ...moved.notes], team: team.place };
}

interface InstallParts {
  locked: LockedContext;
  project: Project;
  config: Config;
  build: boolean;
  environment: HookEnvironment;
  places: readonly HookManager[];
  keepArtefacts(): void;
}

async function carryOut(
  parts: InstallParts,
  options: InstallOptions,
  work: Transaction,
): Promise<Partial<InstallReport>> {
  const { locked, project, config, build, environment, places } = parts;
  const { db } = locked;
  const { files, languages } = await languagesAtHead(project);
  prepareStateDir(project, grammarsFor(languages));
  pinChoices(project);
  if (options.mode) chooseMode(db, config, options.mode);
  const made = recordCreated(db, project, build ? ARTEFACTS : []);
  const team = await planInstalledTeam(db, project, options);
  const agents = await planWantedAgents(project, options);
  const hidden = team.place === null ? made : [];
  const excluded = excludeSteps(project, hidden, agents.exclude);
  // Add further files here: one transaction, undone as a whole.
  const runtime = runtimeSteps(project, trustedExecution(db, config, project));
  const alias = isWindows && agents.edits.length > 0 ? aliasSteps(project.commonDir) : [];
  work.carryOut([...runtime, ...excluded, ...team.steps, ...alias, ...agents.edits]);
  removeFromOtherManagers(environment, places, work);
  const moved = await installHooks(environment, places, options.mayWriteTracked, work);
  saveTeamPlace(db, project, team.place);
  recordFolders(db, SETTINGS.hookFolders, foldersOf(environment));
  const folders = work.made.map((folder) => relative(project.commonDir, folder));
  recordFolders(db, SETTINGS.createdFolders, folders);
  const found = detectFindings(environment, files, languages);
  const notes = [
    ...agents.notes,
    ...moved.notes,
    ...excludeNotes(project, hidden, agents.exclude),
    ...waitingNotes(db, config, project),
  ];
  const done = {
    steps: work.steps,
    places: moved.places,
    notes,
    team: team.place,
    found,
    mode: modeOf(db, config),
    runsHooks: runsConfigHooks(environment) || wrongHooksPath(environment)?.isMissing !== true,
  };
  if (!options.init) return { ...done, graph: "none" };
  const begun = await initialise(parts, options);
  return { ...done, ...begun, notes: [...notes, ...begun.notes] };
}

function waitingNotes(db: Db, config: Config, project: Project): string[] {
  if (trustedExecution(db, config, project) === config.execution) return [];
  return [`execution: ${config.execution} in the config is ignored until \`ua-hooks trust\` allows it in this clone`];
}

/** An earlier --team stays in effect; only `--team` itself asks about .gitattributes. */
function planInstalledTeam(db: Db, project: Project, { team, mayWriteTracked }: InstallOptions): Promise<TeamPlan> {
  const wanted = team || teamPlace(db, project) !== null;
  return planTeam(project, { wanted, mayWriteTracked: team ? mayWriteTracked : async () => false });
}

async function initialise(
  { locked, project, build, keepArtefacts }: InstallParts,
  options: InstallOptions,
): Promise<Pick<InstallReport, "notes" | "graph" | "files" | "autoUpdate" | "verification">> {
  const { db } = locked;
  const head = await readHead(project.worktree.gitDir, project.commonDir);
  if (head.commit !== null) await saveTracked(db, project, head.commit);
  const notes = options.rebuild && existsSync(artefactPath(project, GRAPH)) ? await storeReplaced(locked) : [];
  const files = build ? await buildUnlessThere(locked, head.commit, options) : null;
  if (files === null && build) {
    forgetCreated(db, project);
    keepArtefacts();
  }
  if (project.mainPath === null && (files !== null || readSetting(db, SETTINGS.graphWorktree) === null))
    writeSetting(db, SETTINGS.graphWorktree, project.worktree.id);
  const verification = await verifyWorktree(locked);
  return {
    notes,
    graph: files === null ? "found" : "built",
    files: files ?? 0,
    autoUpdate: readAutoUpdate(project),
    verification,
  };
}

/**
 * Before a rebuild: what was written into a graph that is not adopted yet, of an older version or by another tool, is stored. Where
 * nothing says which code it describes, a copy of it is kept.
 */
async function storeReplaced(locked: LockedContext): Promise<string[]> {
  const { project } = locked;
  try {
    await verifyWorktree(locked);
    return [];
  } catch (error) {
    if (!isUaError(error) || error.code !== "failed") throw error;
    const copy = join(project.stateDir, `replaced-${Date.now()}-${GRAPH}`);
    copyFileSync(artefactPath(project, GRAPH), copy);
    return [`the graph that was replaced is kept as ${copy}: ${error.message}`];
  }
}

/** null: another program wrote a graph since install began, which is the baseline then. */
async function buildUnlessThere(
  locked: LockedContext,
  commit: string | null,
  { rebuild, onProgress }: InstallOptions,
): Promise<number | null> {
  if (!rebuild && existsSync(artefactPath(locked.project, GRAPH))) return null;
  try {
    if (usesStatements())
      return await (await import("../sync/install-graph.js")).installGraph(locked, commit, onProgress);
    return await buildBaseline(await locked.load(), commit, onProgress);
  } catch (error) {
    if (rebuild || !isArtefactChanged(error)) throw error;
    return null;
  }
}

/** The artefacts that git tracks: hooks never write those (invariant "no self-triggering"). */
async function saveTracked(db: Db, project: Project, commit: string): Promise<void> {
  const entries = await listTree(project.worktree.path, commit, [".understand-anything", ".ua"]);
  const here = entries.flatMap(({ path }) => ownFileOf(path) ?? []);
  addTrackedArtefacts(db, project, here);
  keepMarkersApart(project, here);
}

function pinChoices(project: Project): void {
  const { worktree, stateDir, mainPath, scope } = project;
  if (worktree.linked && scope === worktree.id) {
    // Its marker may have been in the shared data dir; from now on it is in its own.
    removeFile(markerPath(sharedProject(project)));
    writeFileSync(join(worktree.gitDir, NO_REDIRECT_PIN), "");
  }
  // Only a separate git dir cannot find its work tree from a linked one.
  if (mainPath !== null && !worktree.linked)
    writeFileSync(join(stateDir, ROOT_FILE), `${relative(stateDir, mainPath)}\n`, { mode: 0o600 });
}

function sharedProject(project: Project): Project {
  const main = { ...project.worktree, id: ".", linked: false };
  return { ...projectOf(main, project, {}), ...{ worktree: project.worktree, scope: "." } };
}
