import { UaError } from "../errors.js";
import { timeAfter } from "../knowledge/times.js";
import type { Db } from "../store/sqlite.js";
import { pathKey } from "../store/state.js";
import { type Anchoring, anchorNow } from "./anchor.js";
import { digestOf, isOnDisk } from "./evidence.js";
import { addEvent, findRecord, keepRevision, putRecord, recordsWhere } from "./store.js";
import { type NamedSubject, normalise, spell } from "./subject.js";
import {
  type Evidence,
  MOST_CHARACTERS,
  ORIGINS,
  type Origin,
  type RecordType,
  type StoredRecord,
  type StoredStatus,
  TYPES,
} from "./types.js";
import type { RecordsContext } from "./verify.js";

export interface Candidate {
  type: RecordType;
  statement: string;
  subjects: NamedSubject[];
  confidence: number;
  origin: Origin;
  evidence: (Pick<Evidence, "kind" | "ref" | "locator"> & { quote?: string | null })[];
  /** A draft for any origin. */
  draft?: boolean;
  supersedes?: string[];
  sourceKey?: string | null;
}

export interface Added {
  record: StoredRecord;
  /** Why it has no anchor; null if it has one. */
  unanchored: string | null;
}

/**
 * Writes a record, anchored if possible. Records of people and of an ingesting system are active at once; those of an
 * agent are drafts until a person approves them, or the config approves the origin.
 */
export async function addRecord(worktree: RecordsContext, candidate: Candidate): Promise<Added> {
  const added = await newRecord(worktree, candidate);
  worktree.db.write(() => insertRecord(worktree, added));
  return added;
}

/** The same; null if there is such a statement, or one with the key of an ingesting system. */
export async function addRecordIfNew(worktree: RecordsContext, candidate: Candidate): Promise<Added | null> {
  const isThere = () => isKnown(worktree.db, candidate);
  if (isThere()) return null;
  const added = await newRecord(worktree, candidate);
  return worktree.db.write(() => {
    if (isThere()) return null;
    insertRecord(worktree, added);
    return added;
  });
}

function isKnown(db: Db, { sourceKey = null, statement, subjects }: Candidate): boolean {
  const byKey = sourceKey === null ? undefined : db.get("SELECT 1 AS one FROM records WHERE source_key = ?", sourceKey);
  return byKey !== undefined || findDuplicate(db, statement, subjects) !== null;
}

async function newRecord(worktree: RecordsContext, candidate: Candidate): Promise<Added> {
  checkCandidate(candidate);
  const { autoApprove } = (await worktree.config()).records;
  const { commit, subjects, why } = await anchorNow(worktree, candidate.subjects);
  const now = new Date().toISOString();
  const approved = candidate.draft !== true && (candidate.origin !== "agent" || autoApprove.includes("agent"));
  const record: StoredRecord = {
    id: `r-${process.getBuiltinModule("node:crypto").randomBytes(6).toString("hex")}`,
    type: candidate.type,
    statement: candidate.statement.trim(),
    status: approved ? "active" : "draft",
    confidence: candidate.confidence,
    origin: candidate.origin,
    createdAt: now,
    updatedAt: now,
    commit,
    approvedBy: approved ? (candidate.origin === "human" ? "human" : "config") : null,
    approvedAt: approved ? now : null,
    sourceKey: candidate.sourceKey ?? null,
    subjects,
    evidence: candidate.evidence.map((one) => ({
      ...{ kind: one.kind, ref: one.ref, locator: one.locator, quote: one.quote ?? null },
      digest: isOnDisk(one) ? digestOf(worktree.project.worktree.path, one) : null,
    })),
    links: (candidate.supersedes ?? []).map((target) => ({ type: "supersedes", target })),
  };
  return { record, unanchored: why };
}

/** Called inside a transaction: of two equal ones at the same time, the second finds the first. */
function insertRecord({ db, project, head }: RecordsContext, { record, unanchored }: Added): void {
  refuseDuplicate(db, record);
  putRecord(db, record);
  const anchor = unanchored === null ? `anchored at ${record.commit}` : `not anchored: ${unanchored}`;
  addEvent(db, record.id, {
    ...{ at: record.createdAt, view: project.worktree.id, head, event: "created", became: record.status },
    detail: `${record.origin}; ${anchor}`,
  });
  for (const { target } of record.links) needRecord(db, target);
  if (record.status === "active") supersedeLinked(db, record, record.origin);
}

export function checkCandidate({ type, statement, confidence, origin }: Candidate): void {
  const length = [...statement.trim()].length;
  if (length === 0) throw new UaError("usage", "a record needs a statement");
  if (length > MOST_CHARACTERS) {
    throw new UaError(
      "usage",
      `the statement has ${length} characters; at most ${MOST_CHARACTERS} are allowed`,
      "shorten it",
    );
  }
  if (!TYPES.includes(type)) throw new UaError("usage", `"${type}" is not one of ${TYPES.join(", ")}`);
  if (!ORIGINS.includes(origin)) throw new UaError("usage", `"${origin}" is not one of ${ORIGINS.join(", ")}`);
  if (!(confidence >= 0 && confidence <= 1)) throw new UaError("usage", "confidence is a number from 0 to 1");
}

/** The same statement about the same subject, unless that one was retired or replaced. */
function refuseDuplicate(db: Db, record: StoredRecord): void {
  const other = findDuplicate(db, record.statement, record.subjects);
  if (other === null) return;
  const what = `record ${other.id} (${other.status}) has the same statement${record.subjects[0] === undefined ? "" : ` about ${spell(record.subjects[0])}`}`;
  throw new UaError("usage", what, `run \`ua-hooks record show ${other.id}\``);
}

function findDuplicate(db: Db, statement: string, subjects: readonly NamedSubject[]): StoredRecord | null {
  const condition = "normal = ? AND status IN ('draft', 'active', 'rejected')";
  const same = recordsWhere(db, condition, normalise(statement));
  const mine = new Set(subjects.map((one) => spell({ ...one, path: pathKey(one.path) })));
  const isAbout = (other: StoredRecord) =>
    other.subjects.length === 0
      ? mine.size === 0
      : other.subjects.some((one) => mine.has(spell({ ...one, path: pathKey(one.path) })));
  return same.find(isAbout) ?? null;
}

export function needRecord(db: Db, id: string): StoredRecord {
  const record = findRecord(db, id);
  if (record === null) throw new UaError("usage", `there is no record "${id}"`, "run `ua-hooks record list --all`");
  return record;
}

/** Activates a draft; an active record is confirmed, and the signal of a finished task is cleared. */
export function approve(db: Db, id: string, by: string): StoredRecord {
  return db.write(() => {
    // Read inside the transaction, here and below: what another process changed before it must not be undone.
    const record = needRecord(db, id);
    if (record.status !== "draft" && record.status !== "active") {
      throw new UaError("usage", `record ${id} is ${record.status}`, "add it again if it is still valid");
    }
    db.run("DELETE FROM record_signals WHERE record = ?", id);
    const approved = setStatus(db, record, { status: "active", event: "approved", by, approvedBy: by });
    supersedeLinked(db, approved, by);
    return approved;
  });
}

export function reject(
  db: Db,
  id: string,
  by: string,
  { archive = false, why = null as string | null } = {},
): StoredRecord {
  const status = archive ? "archived" : "rejected";
  return db.write(() => setStatus(db, needRecord(db, id), { status, event: status, by, detail: why }));
}

/** `newer` replaces `older`. */
export function supersede(db: Db, older: string, newer: string, by: string): StoredRecord {
  if (older === newer) throw new UaError("usage", "a record cannot supersede itself");
  return db.write(() => {
    const [before, after] = [needRecord(db, older), needRecord(db, newer)];
    db.run(
      "INSERT OR IGNORE INTO record_links(record, type, target) VALUES(?, 'supersedes', ?)",
      ...[after.id, before.id],
    );
    return setStatus(db, before, { status: "superseded", event: "superseded", by, detail: `by ${after.id}` });
  });
}

/** Records to be replaced are superseded when the new one is activated, not while it is a draft. */
function supersedeLinked(db: Db, { id, links }: StoredRecord, by: string): void {
  for (const { target } of links) {
    if (findRecord(db, target)?.status === "active") supersede(db, target, id, by);
  }
}

interface StatusChange {
  status: StoredStatus;
  event: string;
  by: string;
  approvedBy?: string;
  detail?: string | null;
}

function setStatus(db: Db, record: StoredRecord, change: StatusChange): StoredRecord {
  const { status, event, by, approvedBy, detail = null } = change;
  const at = changeTime(record);
  const approval = approvedBy === undefined ? {} : { approvedBy, approvedAt: at };
  const changed: StoredRecord = { ...record, status, updatedAt: at, ...approval };
  keepRevision(db, record, by, at);
  db.run(
    "UPDATE records SET status = ?, updated_at = ?, approved_by = ?, approved_at = ? WHERE id = ?",
    ...[status, at, changed.approvedBy, changed.approvedAt, record.id],
  );
  if (status !== "active") db.run("DELETE FROM record_seen WHERE record = ?", record.id);
  addEvent(db, record.id, { at, event, was: record.status, became: status, detail: detail ?? `by ${by}` });
  return changed;
}

const DAY_MS = 86_400_000;

/** Later than the version that it changes, whose author's clock, or ours before, may be somewhat ahead of ours. */
function changeTime({ updatedAt }: StoredRecord): string {
  const now = new Date();
  return Date.parse(updatedAt) > now.getTime() + DAY_MS ? now.toISOString() : timeAfter(updatedAt, now.toISOString());
}

/** How often a record is read again whose subjects were changed while git was asked about them. */
const MOST_TRIES = 5;

/** Anchors a record again: a person confirmed it for the current code. `first`: what belongs to the same transaction. */
export async function reanchor(
  worktree: RecordsContext,
  id: string,
  by: string,
  first: () => void = () => {},
): Promise<Added> {
  const { db } = worktree;
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const anchoring = await anchorNow(worktree, needRecord(db, id).subjects);
    const record = db.write(() => {
      if (!isAbout(needRecord(db, id), anchoring.subjects)) return null;
      first();
      return saveAnchor(worktree, needRecord(db, id), by, anchoring);
    });
    if (record !== null) return { record, unanchored: anchoring.why };
  }
  throw new UaError("busy", `record ${id} is being changed by another process`, "try again in a moment");
}

/** Whether these are the subjects of a record, anchored or not. */
function isAbout({ subjects }: StoredRecord, others: readonly NamedSubject[]): boolean {
  const names = (all: readonly NamedSubject[]) => all.map((one) => `${one.kind} ${spell(one)}`).join("\n");
  return names(subjects) === names(others);
}

function saveAnchor(
  { db, project, head }: RecordsContext,
  record: StoredRecord,
  by: string,
  { commit, subjects, why }: Anchoring,
): StoredRecord {
  const at = changeTime(record);
  const anchored: StoredRecord = { ...record, commit, subjects, updatedAt: at };
  keepRevision(db, record, by, at);
  putRecord(db, anchored);
  addEvent(db, record.id, {
    ...{ at, view: project.worktree.id, head, event: "anchored" },
    detail: why === null ? `at ${commit}` : `not anchored: ${why}`,
  });
  return anchored;
}

/** Deletes drafts, rejected and archived records older than this. Active and superseded ones are never deleted. */
export function vacuum(db: Db, { days, dryRun }: { days: number; dryRun: boolean }): StoredRecord[] {
  const edge = new Date(Date.now() - days * DAY_MS).toISOString();
  return db.write(() => {
    const gone = recordsWhere(db, "status IN ('draft', 'rejected', 'archived') AND updated_at <= ?", edge);
    if (!dryRun) for (const { id } of gone) db.run("DELETE FROM records WHERE id = ?", id);
    return gone;
  });
}
