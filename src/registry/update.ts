import { UaError } from "../errors.js";
import { diffCommits, listCommits } from "../git/history.js";
import type { WorkState } from "../git/status.js";
import { isRegularFile, listTree } from "../git/trees.js";
import { worktreeOids } from "../git/worktree.js";
import type { Facts } from "../knowledge/facts.js";
import { isOurs } from "../repository/inputs.js";
import type { Project } from "../repository/locate.js";
import { isObject } from "../store/check.js";
import { faultPoint } from "../store/fault.js";
import type { Db } from "../store/sqlite.js";
import { advance } from "./advance.js";
import { describe } from "./describe.js";
import { type FileKind, kindByName, takesSummary } from "./kinds.js";
import { describeWorkFile, offerContents } from "./overlay.js";
import { readRegistryState, rowOids, saveAsked, saveRows } from "./rows.js";
import { putSummary } from "./summaries.js";
import { compareFiles, filesOf } from "./tree.js";

export interface SummaryUpdate {
  path: string;
  summary: string;
  /** The content it was written for, if the writer knows it. */
  content_oid?: string;
}

export interface Updated {
  updated: { path: string; content_oid: string; summary_updated_at: string }[];
  failed: { path: string; reason: string }[];
  /** Paths of the commit without a summary. */
  untold: string[];
  last_verified_sha: string | null;
  /** Whether the sha is HEAD now; false if a path failed. */
  advanced: boolean;
}

const MOST_CHARACTERS = 10_000;

/** The result of a task, from JSON: `{ updates: [{ path, summary }] }`. */
export function parseUpdates(value: unknown): SummaryUpdate[] {
  const updates = isObject(value) ? value.updates : undefined;
  if (!Array.isArray(updates)) throw wrongShape("there is no list `updates`");
  return updates.map((one: unknown, at) => {
    if (!isObject(one) || typeof one.path !== "string" || one.path === "")
      throw wrongShape(`updates[${at}] has no path`);
    const { path, summary, content_oid: oid } = one;
    if (typeof summary !== "string") throw wrongShape(`updates[${at}] (${path}) has no summary`);
    if (oid !== undefined && typeof oid !== "string") throw wrongShape(`updates[${at}].content_oid is not a string`);
    return { path, summary, ...(oid === undefined ? {} : { content_oid: oid }) };
  });
}

function wrongShape(what: string): UaError {
  return new UaError(
    "usage",
    `the summaries cannot be read: ${what}`,
    'use the form { "updates": [{ "path", "summary" }] }',
  );
}

/** The files that a commit touched, against its first parent. */
export async function touchedPaths(cwd: string, commit: string): Promise<string[]> {
  const commits = await listCommits(cwd, ["-1", commit]);
  const changes = await diffCommits(cwd, commits);
  const touched = [...changes.values()].flat().map(({ path }) => path);
  return touched.filter((path) => !isOurs(path));
}

export interface Task {
  updates: readonly SummaryUpdate[];
  /** The other paths of the task, without a summary. */
  touched: readonly string[];
  state: WorkState;
  facts: Facts;
  /** Phase 0 and 1, before the sha may move (invariant "reads verify first"). */
  verify: () => Promise<unknown>;
}

/**
 * Stores each summary with its content, all in one transaction. A failed path is reported, does not prevent the others,
 * and keeps the sha where it is. In an empty registry only the touched files get rows.
 */
export async function updateSummaries(db: Db, project: Project, task: Task): Promise<Updated> {
  const { worktree } = project;
  const { head } = task.state;
  const at = new Date().toISOString();
  const there = await lookAt(project, task);
  const failed = task.updates.flatMap((update) => {
    const reason = objection(update, there.get(update.path));
    return reason === null ? [] : [{ path: update.path, reason }];
  });
  const bad = new Set(failed.map(({ path }) => path));
  const good = task.updates.filter(({ path }) => !bad.has(path));
  const paths = new Set([...task.touched, ...good.map(({ path }) => path)]);
  await keepFacts(project, task.facts, good, there);
  const firstRows = readRegistryState(db, worktree.id) === null ? await rowsOf(project, head, paths) : [];
  db.write(() => {
    for (const { path, summary } of good) putSummary(db, path, there.get(path)?.oid ?? "", summary.trim(), at);
    faultPoint("registry.summaries");
    if (firstRows.length > 0) saveRows(db, worktree.id, null, { put: firstRows, removed: [], sha: null });
  });
  const advanced = failed.length === 0 && head !== null && (await moveOn(db, project, head, task));
  return {
    updated: good.map(({ path }) => ({ path, content_oid: there.get(path)?.oid ?? "", summary_updated_at: at })),
    failed,
    untold: await withoutSummary(project, task),
    last_verified_sha: readRegistryState(db, worktree.id)?.sha ?? null,
    advanced,
  };
}

/** The fingerprint is stored with the summary: uncommitted content may never be seen again. */
async function keepFacts(
  { worktree }: Project,
  facts: Facts,
  good: readonly SummaryUpdate[],
  there: ReadonlyMap<string, Here>,
): Promise<void> {
  const contents = good.flatMap(({ path }) => {
    const oid = there.get(path)?.oid;
    return oid === undefined ? [] : [{ path, oid }];
  });
  const unknown = contents.filter((one) => facts.known(one) === null);
  offerContents(facts, worktree.path, unknown);
  await facts.of(unknown);
}

interface Here {
  oid: string;
  type: FileKind;
}

/** Touched files that still exist, could have a summary, and got none. */
async function withoutSummary({ worktree }: Project, { updates, touched, state }: Task): Promise<string[]> {
  const described = new Set(updates.map(({ path }) => path));
  const left = touched.filter((path) => !described.has(path) && takesSummary(kindByName(path) ?? "text"));
  const committed = await headOids(worktree.path, state.head, left);
  const gone = new Set(state.changes.filter(({ there }) => !there).map(({ path }) => path));
  return left.filter((path) => committed.has(path) && !gone.has(path));
}

/** The current contents of the paths: in the work tree, or, for files that a sparse checkout leaves out, at HEAD. */
async function lookAt({ worktree }: Project, { updates, state }: Task): Promise<Map<string, Here>> {
  const paths = [...new Set(updates.map(({ path }) => path))].filter(isInside);
  const changed = new Map(state.changes.map((change) => [change.path, change]));
  const committed = await headOids(worktree.path, state.head, paths);
  const known = paths.filter((path) => committed.has(path) || changed.get(path)?.there === true);
  const hashed = await worktreeOids(worktree.path, known);
  const here = new Map<string, Here>();
  for (const path of known) {
    const oid = hashed.get(path) ?? (changed.has(path) ? undefined : committed.get(path));
    if (oid !== undefined) here.set(path, { oid, type: describeWorkFile(worktree.path, path).type });
  }
  return here;
}

function isInside(path: string): boolean {
  return !path.startsWith("/") && !path.split("/").includes("..") && !isOurs(path);
}

/** More names would be too long for a command line. */
const MOST_NAMES = 200;

async function headOids(cwd: string, head: string | null, paths: readonly string[]): Promise<Map<string, string>> {
  if (head === null || paths.length === 0) return new Map();
  if (paths.length > MOST_NAMES || paths.some((path) => !path.isWellFormed())) return filesOf(cwd, head);
  const entries = await listTree(cwd, head, paths);
  return new Map(entries.filter(({ mode }) => isRegularFile(mode)).map(({ path, oid }) => [path, oid]));
}

/** Why a summary cannot be stored; null: it can. */
function objection({ path, summary, content_oid: oid }: SummaryUpdate, here: Here | undefined): string | null {
  if (!isInside(path)) return "the path is not a file in this worktree";
  if (here === undefined) return "there is no such file in this worktree, or git ignores it";
  if (!takesSummary(here.type)) return `it is a ${here.type} file, which has no summary`;
  if (summary.trim() === "") return "the summary is empty";
  if (summary.length > MOST_CHARACTERS) return `the summary is longer than ${MOST_CHARACTERS} characters`;
  if (oid !== undefined && oid !== here.oid)
    return `the file has changed since: its content is now ${here.oid.slice(0, 10)}`;
  return null;
}

async function rowsOf({ worktree }: Project, head: string | null, paths: ReadonlySet<string>) {
  const committed = await headOids(worktree.path, head, [...paths]);
  return describe(
    worktree.path,
    [...committed].filter(([path]) => paths.has(path)).map(([path, oid]) => ({ path, oid })),
  );
}

/**
 * The last step (invariant "advance last"). If only some files have rows, the sha moves only if there are no others.
 */
async function moveOn(db: Db, project: Project, head: string, { verify }: Task): Promise<boolean> {
  const { worktree } = project;
  await verify();
  const registryState = readRegistryState(db, worktree.id);
  if (registryState === null) return false;
  const isWhole =
    registryState.sha !== null ||
    compareFiles(rowOids(db, worktree.id), await filesOf(worktree.path, head)).length === 0;
  if (!isWhole) return false;
  await advance(db, project, head);
  saveAsked(db, worktree.id, head, null);
  return true;
}
