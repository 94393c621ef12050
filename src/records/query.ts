import type { Db, Value } from "../store/sqlite.js";
import { pathKey } from "../store/state.js";
import { saveSeen } from "./seen.js";
import { recordsWhere } from "./store.js";
import type { NamedSubject } from "./subject.js";
import type { Origin, RecordStatus, RecordType, RecordVerdict, StoredRecord } from "./types.js";
import { type RecordsContext, verifyRecords } from "./verify.js";

export interface Query {
  /** With this status in this worktree; null: the default, active and historical. */
  status: RecordStatus | "all" | null;
  includeStale: boolean;
  type: RecordType | null;
  origin: Origin | null;
  /** Words that the statement must contain, in any order. */
  text: string | null;
  about: NamedSubject | null;
}

export const ANYTHING: Query = {
  ...{ status: null, includeStale: false, type: null, origin: null, text: null, about: null },
};

/** Matching records with their verdicts in this worktree, newest first. */
export async function queryRecords(
  worktree: RecordsContext,
  query: Query,
  { grades = true } = {},
): Promise<RecordVerdict[]> {
  const stored = storedMatches(worktree.db, query);
  const verdicts = await verifyRecords(worktree, stored, { grades });
  saveSeen(worktree.db, worktree.project.worktree.id, worktree.head, verdicts, new Date().toISOString());
  return verdicts.filter(({ status }) => isRequested(status, query)).reverse();
}

function isRequested(status: RecordStatus, { status: wanted, includeStale }: Query): boolean {
  if (wanted === "all") return true;
  if (wanted !== null) return status === wanted;
  return status === "active" || status === "historical" || (includeStale && status === "stale");
}

/** Stored fields are matched in the database; verdicts afterwards. */
function storedMatches(db: Db, { status, type, origin, text, about }: Query): StoredRecord[] {
  const conditions: string[] = ["1 = 1"];
  const values: Value[] = [];
  const need = (condition: string, ...more: Value[]) => {
    conditions.push(condition);
    for (const value of more) values.push(value);
  };
  const isComputed = status === null || status === "active" || status === "stale" || status === "historical";
  if (isComputed) need("status = 'active'");
  else if (status !== "all") need("status = ?", status);
  if (type !== null) need("type = ?", type);
  if (origin !== null) need("origin = ?", origin);
  for (const word of text?.toLowerCase().split(/\s+/).filter(Boolean) ?? [])
    need("instr(lower(statement), ?) > 0", word);
  if (about !== null) {
    const sql = "id IN (SELECT record FROM record_subjects WHERE path = ?";
    if (about.kind === "directory") need(`${sql} OR path LIKE ? ESCAPE '\\')`, pathKey(about.path), below(about.path));
    else if (about.kind === "path") need(`${sql})`, pathKey(about.path));
    else need(`${sql} AND symbol = ?)`, pathKey(about.path), about.symbol);
  }
  return recordsWhere(db, conditions.join(" AND "), ...values);
}

function below(folder: string): string {
  return folder === "" ? "%" : `${pathKey(folder).replace(/[\\%_]/g, "\\$&")}/%`;
}

export interface RecordCounts {
  active: number;
  stale: number;
  historical: number;
}

/** For `status`: verdicts of all active records in this worktree, counted. */
export async function countRecords(worktree: RecordsContext): Promise<RecordCounts> {
  const counts: RecordCounts = { active: 0, stale: 0, historical: 0 };
  const stored = recordsWhere(worktree.db, "status = 'active'");
  for (const { status } of await verifyRecords(worktree, stored, { grades: false })) {
    if (status === "active" || status === "stale" || status === "historical") counts[status]++;
  }
  return counts;
}
