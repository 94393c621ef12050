import { randomBytes } from "node:crypto";
import { UaError } from "../errors.js";
import type { Db } from "../store/sqlite.js";
import { pathKey } from "../store/state.js";
import { anchorNow } from "./anchor.js";
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
  const { db, project } = worktree;
  checkCandidate(candidate);
  const { autoApprove } = (await worktree.config()).records;
  const { commit, subjects, why } = await anchorNow(worktree, candidate.subjects);
  const now = new Date().toISOString();
  const approved = candidate.draft !== true && (candidate.origin !== "agent" || autoApprove.includes("agent"));
  const record: StoredRecord = {
    id: `r-${randomBytes(6).toString("hex")}`,
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
      digest: isOnDisk(one) ? digestOf(project.worktree.path, one) : null,
    })),
    links: (candidate.supersedes ?? []).map((target) => ({ type: "supersedes", target })),
  };
  db.write(() => {
    // Inside the transaction: of two equal ones at the same time, the second finds the first.
    refuseDuplicate(db, record);
    putRecord(db, record);
    const anchor = why === null ? `anchored at ${commit}` : `not anchored: ${why}`;
    addEvent(db, record.id, {
      ...{ at: now, view: project.worktree.id, head: worktree.head, event: "created", became: record.status },
      detail: `${record.origin}; ${anchor}`,
    });
    for (const { target } of record.links) needRecord(db, target);
    if (approved) supersedeLinked(db, record, record.origin);
  });
  return { record, unanchored: why };
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

export function findDuplicate(db: Db, statement: string, subjects: readonly NamedSubject[]): StoredRecord | null {
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
  const record = needRecord(db, id);
  if (record.status !== "draft" && record.status !== "active") {
    throw new UaError("usage", `record ${id} is ${record.status}`, "add it again if it is still valid");
  }
  return db.write(() => {
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
  const [before, after] = [needRecord(db, older), needRecord(db, newer)];
  return db.write(() => {
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
  const at = new Date().toISOString();
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

/** Anchors a record again: a person confirmed it for the current code. */
export async function reanchor(worktree: RecordsContext, id: string, by: string): Promise<Added> {
  const record = needRecord(worktree.db, id);
  const { commit, subjects, why } = await anchorNow(worktree, record.subjects);
  const at = new Date().toISOString();
  const anchored: StoredRecord = { ...record, commit, subjects, updatedAt: at };
  worktree.db.write(() => {
    keepRevision(worktree.db, record, by, at);
    putRecord(worktree.db, anchored);
    addEvent(worktree.db, id, {
      ...{ at, view: worktree.project.worktree.id, head: worktree.head, event: "anchored" },
      detail: why === null ? `at ${commit}` : `not anchored: ${why}`,
    });
  });
  return { record: anchored, unanchored: why };
}

/** Deletes drafts, rejected and archived records older than this. Active and superseded ones are never deleted. */
export function vacuum(db: Db, { days, dryRun }: { days: number; dryRun: boolean }): StoredRecord[] {
  const edge = new Date(Date.now() - days * 86_400_000).toISOString();
  return db.write(() => {
    const gone = recordsWhere(db, "status IN ('draft', 'rejected', 'archived') AND updated_at <= ?", edge);
    if (!dryRun) for (const { id } of gone) db.run("DELETE FROM records WHERE id = ?", id);
    return gone;
  });
}
