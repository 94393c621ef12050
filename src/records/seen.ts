import type { Db } from "../store/sqlite.js";
import { pathKey } from "../store/state.js";
import { addEvent, marks } from "./store.js";
import type { RecordVerdict } from "./types.js";

interface SeenStatus {
  status: string;
  reason: string | null;
  grade: string | null;
}

export interface Transition {
  id: string;
  was: string;
  became: string;
  reason: string | null;
}

const ACTIVE: SeenStatus = { status: "active", reason: null, grade: null };

/**
 * Saves what changed since a worktree's records were last verified, for `record log`. The verdicts do not depend on it.
 * A read that finds nothing new writes nothing.
 */
export function saveSeen(
  db: Db,
  worktree: string,
  head: string | null,
  verdicts: readonly RecordVerdict[],
  at: string,
): Transition[] {
  const isNew = (of: readonly RecordVerdict[]) => changesOf(db, worktree, of).some((part) => part.length > 0);
  if (!isNew(verdicts)) return [];
  return db.write(() => {
    // Computed again: another process may have changed a record, or saved the same verdicts, since they were made.
    const [changed, moves] = changesOf(db, worktree, verdicts.filter(isUnchanged(db)));
    for (const [id, position, path] of moves) moveTo(db, worktree, id, position, path);
    return changed.flatMap(([verdict, was]) => saveChange(db, verdict, { at, view: worktree, head }, was));
  });
}

/** Whether a record still is as it was when it was verified. */
function isUnchanged(db: Db): (verdict: RecordVerdict) => boolean {
  const sql = "SELECT 1 AS one FROM records WHERE id = ? AND status = ? AND updated_at = ?";
  return ({ record }) => db.get(sql, record.id, record.status, record.updatedAt) !== undefined;
}

function changesOf(
  db: Db,
  worktree: string,
  verdicts: readonly RecordVerdict[],
): [changed: [verdict: RecordVerdict, was: SeenStatus][], moves: SubjectMove[]] {
  const ids = verdicts.map(({ record }) => record.id);
  const before = seenIn(db, worktree, ids);
  const changed = verdicts.flatMap((verdict): [RecordVerdict, SeenStatus][] => {
    const { record, status, reason, grade } = verdict;
    const was = before.get(record.id) ?? ACTIVE;
    const differs = was.status !== status || was.reason !== reason || was.grade !== grade;
    return isVerified(record.status) && differs ? [[verdict, was]] : [];
  });
  return [changed, movesOf(db, worktree, verdicts)];
}

type SubjectMove = [id: string, position: number, path: string | null];

const isVerified = (stored: string) => stored === "active";

/** A grade that was unknown before is no transition. */
function saveChange(
  db: Db,
  { record, status, reason, grade, details }: RecordVerdict,
  seen: { at: string; view: string; head: string | null },
  was: SeenStatus,
): Transition[] {
  if (status === "active") db.run("DELETE FROM record_seen WHERE view = ? AND record = ?", seen.view, record.id);
  else
    db.run(
      "INSERT OR REPLACE INTO record_seen(view, record, status, reason, grade) VALUES(?, ?, ?, ?, ?)",
      ...[seen.view, record.id, status, reason, grade],
    );
  if (was.status === status && was.reason === reason && was.grade === null) return [];
  const event = status === "active" ? "reactivated" : status;
  const detail = [grade, ...details.slice(0, 3)].filter((text) => text !== null).join("; ");
  addEvent(db, record.id, {
    ...{ ...seen, event, was: was.status, became: status },
    ...{ reason, detail: detail || null },
  });
  return was.status === status && was.reason === reason
    ? []
    : [{ id: record.id, was: was.status, became: status, reason }];
}

function seenIn(db: Db, worktree: string, ids: readonly string[]): Map<string, SeenStatus> {
  const few = ids.length <= 500;
  const of = few ? ` AND record IN (${marks(ids)})` : "";
  const rows = db.all<SeenStatus & { record: string }>(
    `SELECT record, status, reason, grade FROM record_seen WHERE view = ?${of}`,
    ...[worktree, ...(few ? ids : [])],
  );
  return new Map(rows.map((row) => [row.record, row]));
}

/** Subjects that are found under another name, and those that no longer are (null). */
function movesOf(db: Db, worktree: string, verdicts: readonly RecordVerdict[]): SubjectMove[] {
  const rows = db.all<{ record: string; position: number; path: string }>(
    "SELECT record, position, path FROM record_moves WHERE view = ?",
    worktree,
  );
  const known = new Map(rows.map((row) => [`${row.record} ${row.position}`, row.path]));
  const changes: SubjectMove[] = [];
  for (const { record, subjects } of verdicts) {
    subjects.forEach(({ path }, position) => {
      const moved = path === record.subjects[position]?.path ? null : path;
      const before = known.get(`${record.id} ${position}`) ?? null;
      if (before !== (moved === null ? null : pathKey(moved))) changes.push([record.id, position, moved]);
    });
  }
  return changes;
}

function moveTo(db: Db, worktree: string, id: string, position: number, path: string | null): void {
  db.run("DELETE FROM record_moves WHERE view = ? AND record = ? AND position = ?", worktree, id, position);
  if (path === null) return;
  const sql = "INSERT INTO record_moves(view, record, position, path) VALUES(?, ?, ?, ?)";
  db.run(sql, worktree, id, position, pathKey(path));
}
