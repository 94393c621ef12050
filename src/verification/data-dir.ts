import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { filesTrackedIn, ignoredAmong } from "../git/tracked.js";
import {
  type ArtefactName,
  CONFIG,
  dropCopy,
  FINGERPRINTS,
  GRAPH,
  homeOf,
  META,
  setTrackedArtefacts,
  trackedArtefacts,
} from "../knowledge/artefacts.js";
import { noteTracked } from "../knowledge/left-artefacts.js";
import { moveEntries, removeEmptyFolder } from "../platform/change-files.js";
import type { LockedContext } from "../repository/context.js";
import { dataDirOf, LONG_NAME, type Project, SHORT_NAME } from "../repository/locate.js";
import { excludeFile } from "../repository/own-files.js";
import { makeFolder, writeFileAtomic } from "../store/files.js";
import { mapBlock } from "../store/marked-block.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { canWrite } from "../store/state.js";
import type { Comparison } from "./compare.js";

const WRITTEN: readonly ArtefactName[] = [GRAPH, FINGERPRINTS, META];
const MARKER = /^pending-update.*\.json$/;

/**
 * With the lock held, before a verification: which folder is the data dir. Everybody else goes by which folders exist
 * (repository/locate.ts), as Understand-Anything does. So where a checkout brought a `.ua/` that git tracks beside an untracked
 * `.understand-anything/`, the latter is moved into the state dir. Before that, `verify` stores what is in it.
 */
export async function settleDataDir(
  { db, lock, project }: Pick<LockedContext, "db" | "lock" | "project">,
  verify: () => Promise<{ outcome: string }>,
): Promise<void> {
  const { root } = project;
  if (root === null) return;
  project.dataDir = dataDirOf(root); // another verification may have moved it
  const long = join(root, LONG_NAME);
  if (!existsSync(project.dataDir)) bringBackOthers(project);
  if (!(await givesWay(root))) return;
  const { outcome } = await verify();
  if (outcome === "off") return;
  lock.assertHeld();
  excludeInShort(db, project);
  // What was adopted from one folder says nothing about the other.
  writeSetting(db, SETTINGS.adopted, null, project.scope);
  writeSetting(db, SETTINGS.unrendered, null, project.scope);
  for (const name of [META, CONFIG] as const) dropCopy(project, name);
  const aside = asideDir(project);
  makeFolder(aside, project.stateDir);
  // The graph first: after a kill, what is left has none, and is not read as a graph without its baseline.
  const names = readdirSync(long).sort((a, b) => Number(b === GRAPH) - Number(a === GRAPH));
  moveEntries(long, aside, names);
  removeEmptyFolder(long);
  writeSetting(db, SETTINGS.dataDirMoved, aside, project.scope);
  project.dataDir = dataDirOf(root);
  await noteTracked(db, project); // the verification of the other folder may have found that git tracks none
}

/** git tracks the graph in `.ua/`, and nothing in the `.understand-anything/` beside it. */
async function givesWay(root: string): Promise<boolean> {
  if (!isFolder(join(root, LONG_NAME)) || !isFolder(join(root, SHORT_NAME))) return false;
  const graph = `${SHORT_NAME}/${GRAPH}`;
  if (!existsSync(join(root, graph))) return false;
  const tracked = await filesTrackedIn(root, [graph, LONG_NAME]);
  return tracked.length === 1 && tracked[0] === graph;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Where an untracked `.understand-anything/` is kept while git tracks `.ua/`. */
export function asideDir({ stateDir, scope }: Pick<Project, "stateDir" | "scope">): string {
  return join(stateDir, "aside", scope === "." ? "main" : `linked.${scope}`);
}

/**
 * On a branch without `.ua/`, and before a purge: what others wrote into the folder that was moved away. `ours`: on such a branch every artefact,
 * since what the store writes is newer; before a purge those that install created.
 */
export function bringBackOthers(project: Project, ours: readonly ArtefactName[] = WRITTEN): void {
  const aside = asideDir(project);
  if (project.root === null || !existsSync(aside)) return;
  const names = readdirSync(aside).filter((name) => !MARKER.test(name) && !ours.some((one) => one === name));
  const long = join(project.root, LONG_NAME);
  const missing = names.filter((name) => !existsSync(join(long, name)));
  if (missing.length === 0) return;
  makeFolder(long, homeOf(project, long), 0o777);
  moveEntries(aside, long, missing);
}

/** What we write into `.ua/`: markers, artefacts that are not committed, and on a branch without `.ua/` all of them. */
function excludeInShort(db: Db, project: Project): void {
  const made = readSetting(db, SETTINGS.createdArtefacts, project.scope) ?? [];
  exclude(
    project,
    ["pending-update*.json", ...made].map((name) => `/${SHORT_NAME}/${name}`),
  );
}

/** More lines in install's block of git's exclude file. */
function exclude(project: Project, lines: readonly string[]): void {
  const file = excludeFile(project);
  if (file === null || !existsSync(file)) return;
  const text = readFileSync(file, "utf8");
  const wanted = mapBlock(text, (block) => {
    const [first = "", ...rest] = block.split("\n");
    return [first, ...lines.filter((line) => !rest.includes(line)), ...rest].join("\n");
  });
  if (wanted !== text) writeFileAtomic(file, wanted, 0o644);
}

/**
 * A commit took meta.json out of git and left the graph there (docs/team.md): from now on it is this clone's own, excluded, and follows
 * HEAD. A branch that still tracks it overwrites an excluded file without a word.
 */
export async function takeBackMeta(db: Db, project: Project, { diff }: Pick<Comparison, "diff">): Promise<boolean> {
  const { root } = project;
  const known = trackedArtefacts(db, project);
  if (root === null || !known.has(META)) return false;
  const folder = basename(project.dataDir);
  const meta = `${folder}/${META}`;
  // git removes the file of whoever pulls the commit; it stays where it was committed.
  const isRemoved = diff?.changes.some(({ path, oid }) => path === meta && oid === null) === true;
  if (!isRemoved && existsSync(join(root, meta))) return false;
  const graph = `${folder}/${GRAPH}`;
  const tracked = await filesTrackedIn(root, [graph, meta]);
  if (tracked.length !== 1 || tracked[0] !== graph) return false;
  exclude(project, [`/${meta}`]);
  if ((await ignoredAmong(root, [meta])).size === 0) return false;
  setTrackedArtefacts(
    db,
    project,
    [...known].filter((name) => name !== META),
  );
  return true;
}

/** Where the folder went that was moved away since the last call; null: none was. */
export function takeMovedNews(db: Db, { scope, stateDir }: Project): string | null {
  const aside = readSetting(db, SETTINGS.dataDirMoved, scope);
  if (aside !== null && canWrite(stateDir)) writeSetting(db, SETTINGS.dataDirMoved, null, scope);
  return aside;
}
