import { UaError } from "../errors.js";
import { fromJson } from "../json.js";
import type { Db } from "../store/sqlite.js";
import { toKind } from "./evidence.js";
import { addEvent, findRecord, keepRevision, putRecord, recordsWhere, revisionsOf } from "./store.js";
import {
  type Evidence,
  MOST_CHARACTERS,
  ORIGINS,
  STORED,
  type StoredRecord,
  type Subject,
  type SubjectKind,
  TYPES,
} from "./types.js";

/**
 * A file of records: one JSON object per line, by id, keys in one order. Two files can be merged line by line
 * (`merge=union` in .gitattributes); importing gives the same result for any order and any duplicates.
 */
export function exportRecords(
  db: Db,
  { drafts, id }: { drafts: boolean; id?: string },
): { text: string; count: number } {
  const condition = `${drafts ? "1 = 1" : "status != 'draft'"}${id === undefined ? "" : " AND id = ?"}`;
  const found = recordsWhere(db, condition, ...(id === undefined ? [] : [id]));
  const records = found.sort((a, b) => (a.id < b.id ? -1 : 1));
  return { text: records.map((record) => `${toLine(record)}\n`).join(""), count: records.length };
}

function toLine(r: StoredRecord): string {
  return JSON.stringify({
    ...{ id: r.id, type: r.type, statement: r.statement, status: r.status, confidence: r.confidence, origin: r.origin },
    ...{ created_at: r.createdAt, updated_at: r.updatedAt, created_at_commit: r.commit },
    ...{ approved_by: r.approvedBy, approved_at: r.approvedAt, source_key: r.sourceKey },
    subjects: r.subjects.map(({ kind, path, symbol, fingerprint, blob, extractor }) => ({
      ...{ kind, path, symbol, code_fingerprint: fingerprint, blob, extractor },
    })),
    evidence: r.evidence.map(({ kind, ref, locator, quote, digest }) => ({ kind, ref, locator, quote, digest })),
    supersedes: r.links.map(({ target }) => target).sort(),
  });
}

export interface Imported {
  added: string[];
  updated: string[];
  unchanged: number;
}

/**
 * The union by id; of two versions of a record the one that was changed last. The whole file, or nothing. Times are others': one to come
 * counts as now. A version that was here before undoes nothing, and a record that was rejected or archived here stays so against every
 * version that is not later by our clock.
 */
export function importRecords(db: Db, text: string, file: string): Imported {
  const now = Date.now();
  const incoming = new Map<string, StoredRecord[]>();
  for (const record of parseLines(text, file)) incoming.set(record.id, [...(incoming.get(record.id) ?? []), record]);
  const at = new Date(now).toISOString();
  const done: Imported = { added: [], updated: [], unchanged: 0 };
  db.write(() => {
    for (const [id, versions] of incoming) {
      const known = findRecord(db, id);
      const news = known === null ? versions : versions.filter((version) => isNews(db, version, known, now));
      const record = news.reduce<StoredRecord | null>(
        (newest, one) => (newest === null || isNewer(one, newest, now) ? one : newest),
        null,
      );
      if (record === null) {
        done.unchanged++;
        continue;
      }
      if (known !== null) keepRevision(db, known, "import", at);
      putRecord(db, record);
      addEvent(db, record.id, { at, event: "imported", was: known?.status ?? null, became: record.status });
      (known === null ? done.added : done.updated).push(record.id);
    }
  });
  return done;
}

function isNews(db: Db, record: StoredRecord, known: StoredRecord, now: number): boolean {
  const isDropped = known.status === "rejected" || known.status === "archived";
  if (isDropped && Date.parse(record.updatedAt) > now) return false;
  if (!isNewer(record, known, now)) return false;
  const line = toLine(record);
  return revisionsOf(db, known.id).every(({ before }) => toLine(before) !== line);
}

/** The same on every machine, independent of which of the two was there first. */
function isNewer(one: StoredRecord, other: StoredRecord, now: number): boolean {
  const [time, otherTime] = [Date.parse(one.updatedAt), Date.parse(other.updatedAt)];
  return (
    (Math.min(time, now) - Math.min(otherTime, now) || time - otherTime || (toLine(one) > toLine(other) ? 1 : -1)) > 0
  );
}

export function* parseLines(text: string, file: string): Generator<StoredRecord> {
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const where = `${file}, line ${at + 1}`;
    if (/^(<{7}|={7}|>{7})/.test(line)) throw bad(where, "it has an unresolved merge conflict");
    yield toRecord(parseObject(line, where), where);
  }
}

type Raw = Record<string, unknown>;

export function parseObject(line: string, where: string): Raw {
  try {
    const value = fromJson(line);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Raw;
  } catch {
    // reported below
  }
  throw bad(where, "it is not a JSON object");
}

export function bad(where: string, why: string): UaError {
  return new UaError("damaged", `${where}: ${why}`, "correct the line; nothing was imported");
}

const ID = /^[\w-]{1,100}$/;
const OID = /^([0-9a-f]{40}|[0-9a-f]{64})$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** The fields of one line, each checked. */
function fieldsOf(raw: Raw, where: string) {
  const text = (key: string): string => {
    const value = raw[key];
    if (typeof value !== "string" || value === "") throw bad(where, `"${key}" must be a string`);
    return value;
  };
  return {
    text,
    optional: (key: string): string | null => (typeof raw[key] === "string" ? (raw[key] as string) : null),
    oneOf: <T extends string>(key: string, allowed: readonly T[]): T => {
      const found = allowed.find((one) => one === raw[key]);
      if (found === undefined) throw bad(where, `"${key}" must be one of ${allowed.join(", ")}`);
      return found;
    },
    matching: (key: string, pattern: RegExp, what: string): string => {
      const value = text(key);
      if (!pattern.test(value)) throw bad(where, `"${key}" must be ${what}`);
      return value;
    },
    time: (key: string): string => {
      const value = text(key);
      if (!TIME.test(value) || Number.isNaN(Date.parse(value))) throw bad(where, `"${key}" must be a time`);
      return value;
    },
    share: (key: string): number => {
      const value = raw[key];
      if (typeof value === "number" && value >= 0 && value <= 1) return value;
      throw bad(where, `"${key}" must be a number from 0 to 1`);
    },
  };
}

function toRecord(raw: Raw, where: string): StoredRecord {
  const { text, time, optional, oneOf, matching, share } = fieldsOf(raw, where);
  const statement = text("statement");
  if ([...statement].length > MOST_CHARACTERS)
    throw bad(where, `the statement has more than ${MOST_CHARACTERS} characters`);
  return {
    id: matching("id", ID, "letters, digits, - and _"),
    type: oneOf("type", TYPES),
    statement,
    status: oneOf("status", STORED),
    confidence: share("confidence"),
    origin: oneOf("origin", ORIGINS),
    createdAt: time("created_at"),
    updatedAt: time("updated_at"),
    ...{ approvedBy: optional("approved_by"), approvedAt: optional("approved_at"), sourceKey: optional("source_key") },
    ...anchorOf(raw, where),
    evidence: list(raw, "evidence", where).map((one) => toEvidence(one, where)),
    links: (Array.isArray(raw.supersedes) ? raw.supersedes : []).flatMap((target) =>
      typeof target === "string" && ID.test(target) ? [{ type: "supersedes" as const, target }] : [],
    ),
  };
}

/** A partial anchor counts as none. The commit becomes an argument of git. */
function anchorOf(raw: Raw, where: string): Pick<StoredRecord, "commit" | "subjects"> {
  const { optional, matching } = fieldsOf(raw, where);
  const subjects = list(raw, "subjects", where).map((one) => toSubject(one, where));
  const commit = optional("created_at_commit") === null ? null : matching("created_at_commit", OID, "a commit's id");
  if (commit !== null && subjects.length > 0 && subjects.every(({ fingerprint }) => fingerprint !== null)) {
    return { commit, subjects };
  }
  return {
    commit: null,
    subjects: subjects.map((one) => ({ ...one, fingerprint: null, blob: null, extractor: null })),
  };
}

function list(raw: Raw, key: string, where: string): Raw[] {
  const value = raw[key] ?? [];
  const isObjects = Array.isArray(value) && value.every((one) => typeof one === "object" && one !== null);
  if (!isObjects) throw bad(where, `"${key}" must be a list of objects`);
  return value as Raw[];
}

const KINDS: readonly SubjectKind[] = ["path", "symbol", "directory"];

function toSubject(raw: Raw, where: string): Subject {
  const kind = KINDS.find((one) => one === raw.kind);
  const { path, symbol = "" } = raw;
  if (kind === undefined) throw bad(where, `a subject's "kind" must be one of ${KINDS.join(", ")}`);
  if (typeof path !== "string" || typeof symbol !== "string" || isOutside(path)) {
    throw bad(where, "a subject's path must be one inside the repository");
  }
  const fingerprint = typeof raw.code_fingerprint === "string" ? raw.code_fingerprint : null;
  if (fingerprint !== null && !/^(blob|tree|symbol|symbol:h1):[0-9a-f]+$/.test(fingerprint)) {
    throw bad(where, `"${fingerprint}" is not a fingerprint`);
  }
  const blob = typeof raw.blob === "string" && OID.test(raw.blob) ? raw.blob : null;
  return { kind, path, symbol, fingerprint, blob, extractor: typeof raw.extractor === "string" ? raw.extractor : null };
}

function isOutside(path: string): boolean {
  return path.startsWith("/") || path.split("/").includes("..");
}

function toEvidence(raw: Raw, where: string): Evidence {
  const kind = toKind(raw.kind);
  if (kind === undefined || typeof raw.ref !== "string") throw bad(where, "evidence needs a kind and a ref");
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  return { kind, ref: raw.ref, locator: text(raw.locator), quote: text(raw.quote), digest: text(raw.digest) };
}
