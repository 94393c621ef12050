import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { isTooDeep } from "../json-depth.js";
import { refuseLinks, removeFile } from "../platform/change-files.js";
import { visible } from "../printable.js";
import type { Project } from "../repository/locate.js";
import { isNumber, isObject, isText, listOf, parseJson } from "../store/check.js";
import { faultPoint } from "../store/fault.js";
import { makeFolder, readProjectBytes, stagingDir, toJson, writeFileAtomic } from "../store/files.js";
import type { Db } from "../store/sqlite.js";
import { pathKey } from "../store/state.js";
import type { Comparison } from "../verification/compare.js";
import type { Decision } from "../verification/decide.js";
import type { Rename } from "../verification/renames.js";

import { duePaths, questionsOf, type SymbolQuestion, updateText } from "./questions.js";
import { eventsOf, type MarkerRow, readRow, saveRow } from "./row.js";
import { type MarkerChange, markerChanges } from "./symbols.js";

export const MARKER_SCHEMA = "ua-hooks.pending/1";

/** pending-update.json, as docs/marker.md describes it: the order of the keys is part of the format. */
export interface Marker extends Decision {
  schema: typeof MARKER_SCHEMA;
  generation: number;
  state: "pending" | "claimed" | "failed";
  worktree: { id: string; path: string; linked: boolean };
  base: { commit: string | null };
  head: { commit: string; branch?: string };
  events: string[];
  createdAt: string;
  updatedAt: string;
  renamedFiles: Rename[];
  fileChanges: MarkerChange[];
  dependents: string[];
  dependentUses: Comparison["dependentUses"];
  records: { stale: string[]; historical: string[]; reactivated: string[] };
  estimatedTokens: number;
  lease: { id: string; holder: string; expiresAt: string } | null;
  attempts: number;
  lastError: string | null;
}

/** As it is in the file. null: what a model reads was not measured yet (VerifyOptions.measuresTokens). */
export type StoredMarker = Omit<Marker, "estimatedTokens"> & { estimatedTokens: number | null };

export const isMeasured = (marker: StoredMarker): marker is Marker => marker.estimatedTokens !== null;

export const NO_RECORDS: Marker["records"] = { stale: [], historical: [], reactivated: [] };

export function markerPath(project: Project): string {
  const { worktree, scope, dataDir } = project;
  const main = !worktree.linked || scope === worktree.id;
  const name = main ? "pending-update.json" : `pending-update.${worktree.id}.json`;
  const apart = markersApart(project);
  if (!existsSync(apart)) return join(dataDir, name);
  return join(apart, ...(scope === "." ? [] : [scope]), name);
}

/** Where markers are while git tracks one: a hook that rewrote the tracked file would make the next checkout abort. */
function markersApart({ stateDir }: Project): string {
  return join(stateDir, "markers");
}

export const MARKER_NAME = /^pending-update.*\.json$/;

/**
 * Once git was seen to track a marker (`tracked`: names of files in the data dir), markers of this clone are in the state dir: the
 * tracked file stays as it was committed. This is never undone, as for artefacts: another branch may still track the file.
 */
export function keepMarkersApart(project: Project, tracked: readonly string[]): void {
  if (!tracked.some((name) => MARKER_NAME.test(name)) || existsSync(markersApart(project))) return;
  mkdirSync(markersApart(project), { mode: 0o700 });
  const untracked = readdirSync(project.dataDir).filter((name) => MARKER_NAME.test(name) && !tracked.includes(name));
  for (const name of untracked) removeFile(join(project.dataDir, name));
}

/**
 * Updates a worktree's marker from a verdict: content is computed, lease and attempts are in the database, the file is
 * written from both. The database is written first, so that no reader has a generation that the database does not know.
 */
export function updateMarker(
  db: Db,
  project: Project,
  comparison: Comparison,
  circumstances: Circumstances,
): StoredMarker | null {
  const marker = saveMarkerRow(db, project, comparison, circumstances);
  faultPoint("marker.render");
  renderMarker(project, marker);
  return marker;
}

/** The row alone, in the caller's transaction; the file is written after what it is about. */
export function saveMarkerRow(
  db: Db,
  project: Project,
  comparison: Comparison,
  circumstances: Circumstances,
): StoredMarker | null {
  return comparison.action === "SKIP" ? clear(db, project) : advance(db, project, comparison, circumstances);
}

interface Circumstances {
  base: string | null;
  events: readonly string[];
  now: string;
  /** What a model reads for the update; null if that was not measured. */
  tokens: number | null;
  /** Changes of records between base and HEAD. */
  records: Marker["records"];
}

/** The row stays: a generation never restarts. */
function clear(db: Db, project: Project): null {
  db.run(
    `UPDATE markers SET state = 'none', content = NULL, events = '[]', created_at = NULL, attempts = 0, last_error = NULL,
     last_lease = COALESCE(lease_id, last_lease), lease_id = NULL, lease_holder = NULL, lease_expires_at = NULL,
     lease_generation = NULL WHERE view = ?`,
    project.worktree.id,
  );
  db.run("DELETE FROM attempts WHERE view = ?", project.worktree.id);
  return null;
}

function advance(db: Db, project: Project, comparison: Comparison, circumstances: Circumstances): StoredMarker {
  const { events, now } = circumstances;
  return db.write(() => {
    const before = readRow(db, project.worktree.id);
    const content = updateText(comparison);
    const same = before?.content === content;
    const tries = triesAt(db, project.worktree.id, questionsOf(comparison));
    const row: MarkerRow = {
      generation: (before?.generation ?? 0) + (same ? 0 : 1),
      state: tries.failed ? "failed" : "pending",
      content,
      events: JSON.stringify([...new Set([...eventsOf(before), ...events])]),
      created_at: before?.created_at ?? now,
      updated_at: now,
      lease_id: before?.lease_id ?? null,
      lease_holder: before?.lease_holder ?? null,
      lease_expires_at: before?.lease_expires_at ?? null,
      lease_generation: before?.lease_generation ?? null,
      last_lease: before?.last_lease ?? null,
      attempts: tries.most,
      last_error: tries.lastError,
      tokens: circumstances.tokens,
    };
    saveRow(db, project.worktree.id, row);
    const insert = "INSERT OR REPLACE INTO generations(view, generation, paths) VALUES(?, ?, ?)";
    db.run(insert, project.worktree.id, row.generation, pathsText(comparison));
    return toMarker(project, comparison, row, circumstances);
  });
}

const pathsText = (comparison: Comparison) => JSON.stringify(duePaths(comparison));

/** What was measured for the same update of the same files; null if it is another one. */
export function measuredTokens(db: Db, worktree: string, comparison: Comparison): number | null {
  const row = readRow(db, worktree);
  if (row?.content !== updateText(comparison)) return null;
  const sql = "SELECT paths FROM generations WHERE view = ? AND generation = ?";
  const listed = db.get<{ paths: string }>(sql, worktree, row.generation);
  return listed?.paths === pathsText(comparison) ? row.tokens : null;
}

/** After this many attempts for the same content it is still shown, but agents are no longer asked to do it. */
const MOST_ATTEMPTS = 3;

/** Attempts are counted by content: a symbol that is edited again starts at zero. The columns hold its id and its hash. */
function triesAt(db: Db, worktree: string, questions: readonly SymbolQuestion[]) {
  const rows = db.all<AttemptRow>("SELECT path, oid, count, last_error FROM attempts WHERE view = ?", worktree);
  const known = new Map(rows.map((row) => [`${row.oid} ${row.path}`, row]));
  const tries = questions.map(([id, hash]) => known.get(`${hash} ${pathKey(id)}`));
  const most = tries.reduce((highest, one) => Math.max(highest, one?.count ?? 0), 0);
  const failed = tries.length > 0 && tries.every((one) => (one?.count ?? 0) >= MOST_ATTEMPTS);
  return { most, failed, lastError: tries.find((one) => one?.last_error)?.last_error ?? null };
}

interface AttemptRow {
  path: string;
  oid: string;
  count: number;
  last_error: string | null;
}

function toMarker(
  project: Project,
  comparison: Comparison,
  row: MarkerRow,
  { base, now, records }: Circumstances,
): StoredMarker {
  const { worktree } = project;
  return {
    schema: MARKER_SCHEMA,
    generation: row.generation,
    state: leaseOf(row, now) !== null ? "claimed" : row.state === "failed" ? "failed" : "pending",
    worktree: { id: worktree.id, path: worktree.path, linked: worktree.linked },
    base: { commit: base },
    head: { commit: comparison.head, ...(comparison.branch === undefined ? {} : { branch: comparison.branch }) },
    events: eventsOf(row),
    createdAt: row.created_at ?? now,
    updatedAt: row.updated_at ?? now,
    action: comparison.action,
    reason: comparison.reason,
    filesToReanalyze: comparison.filesToReanalyze,
    deletedFiles: comparison.deletedFiles,
    renamedFiles: comparison.renamedFiles,
    rerunArchitecture: comparison.rerunArchitecture,
    rerunTour: comparison.rerunTour,
    fileChanges: markerChanges(comparison),
    dependents: comparison.dependents,
    dependentUses: comparison.dependentUses,
    records,
    estimatedTokens: row.tokens,
    lease: leaseOf(row, now),
    attempts: row.attempts,
    lastError: row.last_error,
  };
}

/** The current lease; null if it has expired. */
export function leaseOf(row: MarkerRow, now: string): Marker["lease"] {
  if (row.lease_id === null || row.lease_expires_at === null || row.lease_expires_at <= now) return null;
  return { id: row.lease_id, holder: row.lease_holder ?? "", expiresAt: row.lease_expires_at };
}

/** Not rewritten when only events and times changed; restored if it was deleted: deleting it is not an ack. */
export function renderMarker(project: Project, marker: StoredMarker | null): void {
  const path = markerPath(project);
  if (marker === null) {
    if (existsSync(path)) removeFile(path);
    return;
  }
  refuseLinks(path);
  if (isSameButForTimes(readMarkerFile(project, path), marker)) return;
  if (path.startsWith(markersApart(project))) makeFolder(dirname(path), project.stateDir);
  writeFileAtomic(path, visible(toJson(marker)), 0o644, stagingDir(project.stateDir));
}

/** Checks the fields that a reader uses. The freshness stamp has shown that the file is as we wrote it. */
function isMarker(value: unknown): value is StoredMarker {
  if (!isObject(value)) return false;
  const { schema, state, generation, action, reason, head, lease, estimatedTokens } = value;
  const lists = [value.filesToReanalyze, value.deletedFiles, value.dependents];
  return (
    schema === MARKER_SCHEMA &&
    [state, action, reason].every(isText) &&
    isNumber(generation) &&
    (estimatedTokens === null || isNumber(estimatedTokens)) &&
    lists.every(listOf(isText)) &&
    Array.isArray(value.fileChanges) &&
    isObject(head) &&
    isText(head.commit) &&
    (lease === null || (isObject(lease) && isText(lease.expiresAt)))
  );
}

/** It grows with the number of files that are pending: the limit is the one of artefacts. */
function readMarkerFile({ root, stateDir }: Project, path: string): string | null {
  return readProjectBytes(path, root ?? stateDir)?.toString("utf8") ?? null;
}

function isSameButForTimes(text: string | null, marker: StoredMarker): boolean {
  if (text === null || isTooDeep(text)) return false;
  const written = parseJson(text, isObject);
  if (written === null) return false;
  const { events: _e, updatedAt: _u, ...there } = written;
  const { events: _f, updatedAt: _v, ...wanted } = marker;
  return JSON.stringify(there) === JSON.stringify(wanted);
}

/**
 * The marker file, for a reader whose stamp matches. null: there is none that can be read, or its tokens were not measured yet, and a
 * verification writes it.
 */
export function readMarker(project: Project): Marker | null {
  const marker = readStoredMarker(project);
  return marker !== null && isMeasured(marker) ? marker : null;
}

export function readStoredMarker(project: Project): StoredMarker | null {
  const text = readMarkerFile(project, markerPath(project));
  const marker = text === null || isTooDeep(text) ? null : parseJson(text, isMarker);
  if (marker === null) return null;
  if (marker.lease === null || marker.lease.expiresAt > new Date().toISOString()) return marker;
  return { ...marker, state: "pending", lease: null }; // it expired after the file was written
}
