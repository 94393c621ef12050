import { isNumber, isObject, isText, listOf, parseStored } from "../store/check.js";
import type { Db, Value } from "../store/sqlite.js";
import { keyPath, pathKey } from "../store/state.js";
import { normalise } from "./subject.js";
import type { Evidence, Link, StoredRecord, Subject } from "./types.js";

/** Most clones have no records; then nothing else is loaded. */
export function hasRecords(db: Db): boolean {
  return db.get("SELECT 1 AS one FROM records WHERE status = 'active' LIMIT 1") !== undefined;
}

export function findRecord(db: Db, id: string): StoredRecord | null {
  return recordsWhere(db, "id = ?", id)[0] ?? null;
}

/** More ids than this do not fit into one statement. */
const MOST_VALUES = 500;

export function recordsById(db: Db, ids: readonly string[]): StoredRecord[] {
  const found: StoredRecord[] = [];
  for (let at = 0; at < ids.length; at += MOST_VALUES) {
    const some = ids.slice(at, at + MOST_VALUES);
    for (const record of recordsWhere(db, `id IN (${marks(some)})`, ...some)) found.push(record);
  }
  return found;
}

export const marks = (values: readonly unknown[]): string => values.map(() => "?").join(",");

/** Complete records, oldest first. `condition` is about the table `records`. */
export function recordsWhere(db: Db, condition: string, ...values: Value[]): StoredRecord[] {
  const rows = db.all<RecordRow>(`SELECT * FROM records WHERE ${condition} ORDER BY created_at, id`, ...values);
  const records = new Map(rows.map((row) => [row.id, fromRow(row)]));
  const few = rows.length <= MOST_VALUES;
  const ids = few ? rows.map(({ id }) => id) : [];
  const of = few ? `WHERE record IN (${marks(ids)})` : "";
  if (rows.length === 0) return [];
  for (const row of db.all<SubjectRow>(`SELECT * FROM record_subjects ${of} ORDER BY record, position`, ...ids)) {
    records.get(row.record)?.subjects.push(toSubject(row));
  }
  for (const row of db.all<EvidenceRow>(`SELECT * FROM record_evidence ${of} ORDER BY record, position`, ...ids)) {
    const { record, position: _position, ...evidence } = row;
    records.get(record)?.evidence.push({ ...evidence, ref: keyPath(evidence.ref) });
  }
  for (const { record, ...link } of db.all<Link & { record: string }>(
    `SELECT * FROM record_links ${of} ORDER BY record, type, target`,
    ...ids,
  )) {
    records.get(record)?.links.push(link);
  }
  return [...records.values()];
}

/** Writes a complete record; an existing one with that id is replaced. */
export function putRecord(db: Db, record: StoredRecord): void {
  const r = record;
  db.run(
    `INSERT INTO records(id, type, statement, normal, status, confidence, origin, created_at, updated_at,
     created_at_commit, approved_by, approved_at, source_key) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT(id) DO UPDATE SET type = excluded.type, statement = excluded.statement, normal = excluded.normal,
     status = excluded.status, confidence = excluded.confidence, origin = excluded.origin,
     created_at = excluded.created_at, updated_at = excluded.updated_at, created_at_commit = excluded.created_at_commit,
     approved_by = excluded.approved_by, approved_at = excluded.approved_at, source_key = excluded.source_key`,
    ...[r.id, r.type, r.statement, normalise(r.statement), r.status, r.confidence, r.origin, r.createdAt],
    ...[r.updatedAt, r.commit, r.approvedBy, r.approvedAt, r.sourceKey],
  );
  for (const table of ["record_subjects", "record_evidence", "record_links"]) {
    db.run(`DELETE FROM ${table} WHERE record = ?`, r.id);
  }
  r.subjects.forEach((one, at) => {
    db.run(
      `INSERT INTO record_subjects(record, position, kind, path, symbol, fingerprint, blob, extractor)
       VALUES(?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[r.id, at, one.kind, pathKey(one.path), one.symbol, one.fingerprint, one.blob, one.extractor],
    );
  });
  r.evidence.forEach((one, at) => {
    db.run(
      "INSERT INTO record_evidence(record, position, kind, ref, locator, quote, digest) VALUES(?, ?, ?, ?, ?, ?, ?)",
      ...[r.id, at, one.kind, pathKey(one.ref), one.locator, one.quote, one.digest],
    );
  });
  for (const { type, target } of r.links) {
    db.run("INSERT OR IGNORE INTO record_links(record, type, target) VALUES(?, ?, ?)", r.id, type, target);
  }
}

/** Saves the current version of a record before it is changed. */
export function keepRevision(db: Db, record: StoredRecord, by: string, at: string): void {
  db.run(
    `INSERT INTO record_revisions(record, revision, at, by, before)
     SELECT ?, COALESCE(MAX(revision), 0) + 1, ?, ?, ? FROM record_revisions WHERE record = ?`,
    ...[record.id, at, by, JSON.stringify(record), record.id],
  );
}

export interface Revision {
  revision: number;
  at: string;
  by: string;
  before: StoredRecord;
}

const isStoredRecord = (value: unknown): value is StoredRecord =>
  isObject(value) &&
  [value.id, value.type, value.statement, value.status, value.origin, value.createdAt, value.updatedAt].every(isText) &&
  isNumber(value.confidence) &&
  [value.subjects, value.evidence, value.links].every(listOf(isObject));

export function revisionsOf(db: Db, id: string): Revision[] {
  const sql = "SELECT revision, at, by, before FROM record_revisions WHERE record = ? ORDER BY revision";
  return db.all<Omit<Revision, "before"> & { before: string }>(sql, id).map((row) => ({
    ...row,
    before: parseStored(row.before, isStoredRecord, `revision ${row.revision} of record ${id}`),
  }));
}

export interface RecordEvent {
  at: string;
  /** The worktree and commit of a verdict; null for a change of the record itself. */
  view: string | null;
  head: string | null;
  event: string;
  was: string | null;
  became: string | null;
  reason: string | null;
  detail: string | null;
}

const NOTHING = { view: null, head: null, was: null, became: null, reason: null, detail: null };

export function addEvent(
  db: Db,
  record: string,
  event: Partial<RecordEvent> & Pick<RecordEvent, "at" | "event">,
): void {
  const e = { ...NOTHING, ...event };
  db.run(
    `INSERT INTO record_events(record, at, view, head, event, was, became, reason, detail)
     VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[record, e.at, e.view, e.head, e.event, e.was, e.became, e.reason, e.detail],
  );
}

export function eventsOf(db: Db, id: string): RecordEvent[] {
  return db.all<RecordEvent>(
    "SELECT at, view, head, event, was, became, reason, detail FROM record_events WHERE record = ? ORDER BY id",
    id,
  );
}

interface RecordRow {
  id: string;
  type: StoredRecord["type"];
  statement: string;
  status: StoredRecord["status"];
  confidence: number;
  origin: StoredRecord["origin"];
  created_at: string;
  updated_at: string;
  created_at_commit: string | null;
  approved_by: string | null;
  approved_at: string | null;
  source_key: string | null;
}

function fromRow(row: RecordRow): StoredRecord {
  return {
    ...{ id: row.id, type: row.type, statement: row.statement, status: row.status, confidence: row.confidence },
    ...{ origin: row.origin, createdAt: row.created_at, updatedAt: row.updated_at, commit: row.created_at_commit },
    ...{ approvedBy: row.approved_by, approvedAt: row.approved_at, sourceKey: row.source_key },
    ...{ subjects: [], evidence: [], links: [] },
  };
}

type SubjectRow = Subject & { record: string; position: number };
type EvidenceRow = Evidence & { record: string; position: number };

function toSubject({ kind, path, symbol, fingerprint, blob, extractor }: SubjectRow): Subject {
  return { kind, path: keyPath(path), symbol, fingerprint, blob, extractor };
}
