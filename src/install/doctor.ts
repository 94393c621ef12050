import { existsSync, lstatSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UaError } from "../errors.js";
import { detectHookEnvironment } from "../hook-managers/environment.js";
import { forgetLeft, readLeft } from "../knowledge/parse-notes.js";
import { withContext, withLockedContext } from "../repository/context.js";
import { isSetUp } from "../repository/installed.js";
import type { Project } from "../repository/locate.js";
import { stateDb } from "../store/files.js";
import { dropStamps } from "../verification/stamp.js";
import { forgetVerdicts } from "../verification/worktree-rows.js";
import { CHECKS, type DoctorCheck, staleLocks, storeProblem } from "./checks.js";
import { type InstallOptions, install } from "./install.js";
import { misplacedFiles } from "./runtime.js";
import { salvage, UNREAD, unreadDatabases } from "./salvage.js";

/** Runs all checks; hooks are tested by firing them. */
export async function examine(project: Project): Promise<DoctorCheck[]> {
  const environment = await detectHookEnvironment(project);
  const found: DoctorCheck[] = [];
  for (const check of CHECKS) for (const finding of await check(environment)) found.push(finding);
  return found;
}

/**
 * Repairs what belongs to us: hooks, program, locks of dead processes, and a damaged database, which is rebuilt from
 * git and the graph.
 */
export async function repair(project: Project, options: InstallOptions): Promise<string[]> {
  if (!existsSync(join(project.stateDir, "env")) && !isSetUp(project)) {
    throw new UaError("not-set-up", "ua-hooks is not installed here", "run `ua-hooks install`");
  }
  const misplaced = misplacedFiles(project.stateDir);
  for (const name of misplaced) rmSync(join(project.stateDir, name));
  const isDamaged = (await storeProblem(project))?.isDamaged === true;
  const replaced =
    isDamaged || unreadDatabases(project.stateDir).length > 0 ? await replaceDatabase(project, isDamaged) : [];
  const done = [...misplaced.map((name) => `removed ${name}, a file where a folder belongs`), ...replaced];
  for (const name of await staleLocks(project)) {
    rmSync(join(project.stateDir, name), { recursive: true, force: true });
    done.push(`removed ${name} of a process that is gone`);
  }
  if (!isDamaged) for (const line of await parseAgain(project)) done.push(line);
  const { steps, notes } = await install(project, { ...options, init: isDamaged });
  return [...done, ...steps.map(({ what }) => what), ...notes, ...(isDamaged ? [REBUILT] : [])];
}

/** Forgets which blobs ended a process, and what was said about them. */
async function parseAgain(project: Project): Promise<string[]> {
  if (readLeft(project.stateDir, false).length === 0) return [];
  return withLockedContext(project, async ({ db }) => {
    dropStamps(project);
    const forgotten = forgetLeft(project.stateDir);
    forgetVerdicts(
      db,
      forgotten.map(({ oid }) => oid),
    );
    return forgotten.map(({ path, oid }) => `${path} (blob ${oid}) is parsed again`);
  });
}

/**
 * A new database with what could be read in the damaged one. Says what was lost. Until it is read, the damaged one has a name of its own: if
 * the process is killed, the next repair reads it.
 */
async function replaceDatabase(project: Project, isDamaged: boolean): Promise<string[]> {
  const file = stateDb(project.stateDir);
  if (isDamaged) moveDatabase(file, `${file}${UNREAD}${Date.now()}`);
  const found: string[] = [];
  for (const aside of unreadDatabases(project.stateDir)) {
    const { records, summaries, analyses, descriptions } = await withContext(project, async (context) =>
      salvage(aside, await context.database(), project.stateDir),
    );
    const kept = aside.replace(UNREAD, ".damaged-");
    moveDatabase(aside, kept);
    found.push(
      `the damaged database is kept as ${kept}`,
      `read from the damaged database: ${records} records, ${summaries} summaries of files, ${analyses} analyses, ${descriptions} descriptions`,
    );
  }
  return [
    ...found,
    "lost with the database: all other records (`ua-hooks record import` reads an export of them), summaries, analyses and descriptions of contents that the graph does not show now; the history of records; trust in commands (`ua-hooks trust`)",
  ];
}

/** With its log, which is moved first: without the database nothing reads it. */
function moveDatabase(from: string, to: string): void {
  for (const end of ["-wal", "-shm", ""]) {
    const isThere = lstatSync(from + end, { throwIfNoEntry: false }) !== undefined; // also a link that leads nowhere
    if (isThere) renameSync(from + end, to + end);
  }
}

const REBUILT =
  "rebuilt from git and the graph: the baseline, fingerprints, the file registry, what the graph describes";
