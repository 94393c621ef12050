import { existsSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type Plan as AgentPlan, agentsInstalled, agentsInUse, planAgents, undoAgents } from "../agents/settings.js";
import { languageOf } from "../fingerprint/languages.js";
import { readHead } from "../git/head.js";
import { listTree } from "../git/trees.js";
import { lock } from "../hook/lock.js";
import { type Verification, verifyView } from "../hook/verify.js";
import { markerPath } from "../marker/marker.js";
import { type Config, loadConfig } from "../project/config.js";
import { NO_REDIRECT_PIN, type Project, projectOf, ROOT_NOTE } from "../project/locate.js";
import { loadRules } from "../project/rules.js";
import { listViews } from "../project/views.js";
import {
  type ArtefactName,
  artefactOf,
  artefactPath,
  CONFIG,
  FINGERPRINTS,
  GRAPH,
  guardDataDir,
  META,
  readArtefact,
  refuseDamaged,
  setTrackedArtefacts,
  trackedArtefacts,
  writeArtefact,
} from "../store/artefacts.js";
import { stateDb } from "../store/files.js";
import type { Db } from "../store/sqlite.js";
import { getSetting, openState, setSetting } from "../store/state.js";
import { buildBaseline, type OnProgress } from "./baseline.js";
import { excludeSteps, includeSteps, unexcludeSteps } from "./exclude.js";
import { nativeInstallSteps, nativeUninstallSteps } from "./native.js";
import { carryOut, type Step, stillNeeded } from "./plan.js";
import { packageFile, prepareStateDir, runtimeSteps } from "./runtime.js";
import { noteTeamPlace, planTeam, type TeamPlace, type TeamPlan, teamPlace, teamUninstallSteps } from "./team.js";

export interface InstallOptions {
  dryRun: boolean;
  init: boolean;
  rebuild: boolean;
  /** The artefacts are meant to be committed. */
  team: boolean;
  /** Agents to speak to, or `auto`; null: those of the last install. */
  agents: readonly string[] | null;
  /** Their entries go into the files that are meant to be committed. */
  shared: boolean;
  mayWriteSettings: (files: readonly string[]) => Promise<boolean>;
  /** Answers whether .gitattributes, which is everybody's, may be written. */
  mayWriteTracked: () => Promise<boolean>;
  /** Answers whether an existing `autoUpdate` may be changed to true. */
  mayEnable: () => Promise<boolean>;
  onProgress: OnProgress;
}

export interface InstallReport {
  steps: Step[];
  graph: "built" | "found" | "none";
  files: number;
  autoUpdate: boolean;
  team: TeamPlace | null;
  /** What was left alone, and why. */
  notes: string[];
  verification: Verification | null;
}

export async function install(project: Project, options: InstallOptions): Promise<InstallReport> {
  guardDataDir(project);
  const config = await loadConfig(project.root);
  const hooks = await nativeInstallSteps(project, packageFile("templates", "hook.sh"));
  const build = options.init && (options.rebuild || !existsSync(artefactPath(project, GRAPH)));
  if (build) refuseDamaged(project);
  const report: InstallReport = {
    steps: hooks,
    graph: build ? "built" : "found",
    files: 0,
    autoUpdate: true,
    team: null,
    notes: [],
    verification: null,
  };
  if (options.dryRun) {
    const { place, steps } = await planTeam(project, options.team, async () => true);
    const agents = await planWantedAgents(project, { ...options, mayWriteSettings: async () => true });
    return { ...report, steps: stillNeeded([...hooks, ...steps, ...agents.edits]), team: place, notes: agents.notes };
  }

  const removeNew = rememberAbsent(project);
  let undo = () => {};
  try {
    prepareStateDir(project, await grammarsInUse(project));
    pinChoices(project);
    const db = await openState(project.stateDir);
    try {
      const made = noteMade(db, project, options.init ? (build ? ARTEFACTS : [CONFIG]) : []);
      const team = await planInstalledTeam(db, project, options);
      const agents = await planWantedAgents(project, options);
      const excluded = excludeSteps(project, team.place === null ? made : [], agents.exclude);
      const ours = [...runtimeSteps(project, config.execution), ...excluded];
      const steps = stillNeeded([...ours, ...team.steps, ...agents.edits, ...hooks]);
      undo = carryOut(steps);
      noteTeamPlace(db, project, team.place);
      Object.assign(report, { steps, team: team.place, notes: agents.notes });
      if (!options.init) return { ...report, graph: "none" };
      const held = await lock(db, project.stateDir, 10_000);
      try {
        return { ...report, ...(await initialise(db, held, project, config, build, options)) };
      } finally {
        held.release();
      }
    } finally {
      db.close();
    }
  } catch (error) {
    undo();
    removeNew();
    throw error;
  }
}

/** Once for the team, always for the team; only `--team` itself asks about .gitattributes. */
function planInstalledTeam(db: Db, project: Project, { team, mayWriteTracked }: InstallOptions): Promise<TeamPlan> {
  const wanted = team || teamPlace(db, project) !== null;
  return planTeam(project, wanted, team ? mayWriteTracked : async () => false);
}

function planWantedAgents(project: Project, options: InstallOptions): Promise<AgentPlan> {
  const before = agentsInstalled(project);
  const clients = (options.agents ?? before.clients).flatMap((name) => {
    return name === "auto" ? agentsInUse(project, process.env) : [name];
  });
  return planAgents(project, {
    ...{ clients, shared: options.shared || (options.agents === null && before.shared) },
    template: (name) => packageFile("templates", name),
    mayWriteTracked: options.mayWriteSettings,
  });
}

const ARTEFACTS: readonly ArtefactName[] = [GRAPH, META, FINGERPRINTS, CONFIG];

/** A failed install leaves nothing that was not there before it. */
function rememberAbsent({ view, stateDir, dataDir }: Project): () => void {
  const ours = [join(view.gitDir, NO_REDIRECT_PIN), stateDir, dataDir, ...ARTEFACTS.map((name) => join(dataDir, name))];
  const absent = ours.filter((path) => !existsSync(path));
  return () => {
    for (const path of absent) rmSync(path, { recursive: true, force: true });
  };
}

/** Which artefacts are install's own, by name: those are excluded from git, and go at a purge. */
function noteMade(db: Db, project: Project, wanted: readonly ArtefactName[]): ArtefactName[] {
  const known = madeNames(db, project);
  const made = [
    ...known,
    ...wanted.filter((name) => !known.includes(name) && !existsSync(join(project.dataDir, name))),
  ];
  if (made.length > known.length) setSetting(db, `made:${project.scope}`, JSON.stringify(made));
  return made;
}

function madeNames(db: Db, project: Project): ArtefactName[] {
  return JSON.parse(getSetting(db, `made:${project.scope}`) ?? "[]") as ArtefactName[];
}

async function initialise(
  db: Db,
  held: Awaited<ReturnType<typeof lock>>,
  project: Project,
  config: Config,
  build: boolean,
  options: InstallOptions,
): Promise<Pick<InstallReport, "files" | "autoUpdate" | "verification">> {
  const head = await readHead(project.view.gitDir, project.commonDir);
  if (head.commit !== null) await noteTracked(db, project, head.commit);
  let files = 0;
  if (build) {
    const rules = await loadRules(project.root, project.dataDir, config);
    files = await buildBaseline({ db, project, config, rules }, head.commit, options.onProgress);
  }
  if (project.mainPath === null && getSetting(db, "graphView") === null) setSetting(db, "graphView", project.view.id);
  const autoUpdate = await enable(db, project, options);
  const verification = await verifyView(db, held, project, []);
  return { files, autoUpdate, verification };
}

/** Those of HEAD's files, and of the languages that turn up in almost every repository. */
async function grammarsInUse(project: Project): Promise<Set<string>> {
  const { commit } = await readHead(project.view.gitDir, project.commonDir);
  const tree = commit === null ? [] : await listTree(project.view.path, commit);
  const found = tree.flatMap(({ path }) => languageOf(path)?.grammar ?? []);
  return new Set([...found, "typescript", "tsx", "javascript", "python"]);
}

/** Which artefacts git tracks here: those are never written by a hook (law 12). */
async function noteTracked(db: Db, project: Project, commit: string): Promise<void> {
  const entries = await listTree(project.view.path, commit, [".understand-anything", ".ua"]);
  const here = entries.flatMap(({ path }) => artefactOf(path) ?? []);
  setTrackedArtefacts(db, project, new Set([...trackedArtefacts(db, project), ...here]));
}

/** `autoUpdate: true`; a value that somebody chose is changed only after asking. */
async function enable(db: Db, project: Project, options: InstallOptions): Promise<boolean> {
  const config = readArtefact(project, CONFIG);
  if (config?.autoUpdate === true) return true;
  if (config?.autoUpdate !== undefined && !(await options.mayEnable())) return false;
  writeArtefact(db, project, CONFIG, { ...config, autoUpdate: true }, true);
  return true;
}

function pinChoices(project: Project): void {
  const { view, stateDir, mainPath, scope } = project;
  if (view.linked && scope === view.id) {
    // Until now it may have had a marker among the others; from here on its own data dir has it.
    rmSync(markerPath(sharedProject(project)), { force: true });
    writeFileSync(join(view.gitDir, NO_REDIRECT_PIN), "");
  }
  // Only a separate git dir cannot find its work tree again from a linked one.
  if (mainPath !== null && !view.linked)
    writeFileSync(join(stateDir, ROOT_NOTE), `${relative(stateDir, mainPath)}\n`, { mode: 0o600 });
}

function sharedProject(project: Project): Project {
  const main = { ...project.view, id: ".", linked: false };
  return { ...projectOf(main, project, {}), ...{ view: project.view, scope: "." } };
}

export interface UninstallReport {
  steps: Step[];
  kept: string[];
}

/** Takes the hooks out. What was learned stays, unless `purge`: then state and the artefacts we made go too. */
export async function uninstall(project: Project, { purge }: { purge: boolean }): Promise<UninstallReport> {
  // Hooks and state are the clone's, so every worktree's part goes, also of one that keeps its data to itself.
  const projects = [project, ...listViews(project).map((view) => projectOf(view, project, process.env))];
  const agents = undoAgents(project);
  const steps: Step[] = [...(await nativeUninstallSteps(project)), ...markerSteps(projects), ...agents.edits];
  const { made, place } = await installed(project, projects);
  steps.push(...teamUninstallSteps(project, place));
  if (purge) {
    steps.push(...made.map((file): Step => ({ file, what: "artefact removed", text: null })));
    steps.push(...unexcludeSteps(project));
  } else steps.push(...includeSteps(project, agents.exclude));
  carryOut(steps);
  for (const folder of agents.folders) removeIfEmpty(folder);
  if (purge) {
    for (const view of listViews(project)) {
      rmSync(join(view.gitDir, NO_REDIRECT_PIN), { force: true });
    }
    rmSync(project.stateDir, { recursive: true, force: true });
    for (const { dataDir } of projects) removeIfEmpty(dataDir);
  } else {
    for (const name of ["shim.sh", "agent.sh", "env"]) rmSync(join(project.stateDir, name), { force: true });
  }
  return { steps, kept: purge ? [] : [project.stateDir, ...made] };
}

function markerSteps(projects: readonly Project[]): Step[] {
  const markers = [...new Set(projects.map(markerPath))];
  return markers
    .filter((file) => existsSync(file))
    .map((file) => ({ file, what: "pending marker removed", text: null }));
}

/** What install noted for this moment: artefacts that it made and nobody committed since, and where the team's part is. */
async function installed(
  project: Project,
  projects: readonly Project[],
): Promise<{ made: string[]; place: TeamPlace | null }> {
  if (!existsSync(stateDb(project.stateDir))) return { made: [], place: null };
  const db = await openState(project.stateDir);
  try {
    const files = projects.flatMap((each) => {
      const tracked = trackedArtefacts(db, each);
      const made = madeNames(db, each).filter((name) => !tracked.has(name));
      return made.map((name) => join(each.dataDir, name));
    });
    const place = teamPlace(db, project);
    noteTeamPlace(db, project, null);
    return { made: [...new Set(files)].filter((file) => existsSync(file)), place };
  } finally {
    db.close();
  }
}

function removeIfEmpty(dir: string): void {
  try {
    rmdirSync(dir);
  } catch {
    // something of somebody else's is in it, or it never was
  }
}
