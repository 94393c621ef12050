import type { Db, Value } from "../store/sqlite.js";
import { pathKey } from "../store/state.js";
import { judgeRecords, type View } from "./judge.js";
import { noteSeen } from "./seen.js";
import { recordsWhere } from "./store.js";
import type { Named } from "./subject.js";
import type { Origin, RecordType, Status, StoredRecord, Verdict } from "./types.js";

export interface Query {
  /** Of this status in this view; null: what default retrieval gives, active and historical. */
  status: Status | "all" | null;
  includeStale: boolean;
  type: RecordType | null;
  origin: Origin | null;
  /** Words that the statement must hold, in any order. */
  text: string | null;
  about: Named | null;
}

export const ANYTHING: Query = {
  ...{ status: null, includeStale: false, type: null, origin: null, text: null, about: null },
};

/** Records that fit, as they stand in this view, newest first. */
export async function queryRecords(view: View, query: Query, { grades = true } = {}): Promise<Verdict[]> {
  const stored = storedMatches(view.db, query);
  const verdicts = await judgeRecords(view, stored, { grades });
  noteSeen(view.db, view.project.view.id, view.head, verdicts, new Date().toISOString());
  return verdicts.filter(({ status }) => isWanted(status, query)).reverse();
}

function isWanted(status: Status, { status: wanted, includeStale }: Query): boolean {
  if (wanted === "all") return true;
  if (wanted !== null) return status === wanted;
  return status === "active" || status === "historical" || (includeStale && status === "stale");
}

/** What stands in the database already is chosen there; the verdict afterwards. */
function storedMatches(db: Db, { status, type, origin, text, about }: Query): StoredRecord[] {
  const conditions: string[] = ["1 = 1"];
  const values: Value[] = [];
  const need = (condition: string, ...more: Value[]) => {
    conditions.push(condition);
    values.push(...more);
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

export interface Counts {
  active: number;
  stale: number;
  historical: number;
}

/** For `status`: how many of the records that count hold in this view. */
export async function countRecords(view: View): Promise<Counts> {
  const counts: Counts = { active: 0, stale: 0, historical: 0 };
  const stored = recordsWhere(view.db, "status = 'active'");
  for (const { status } of await judgeRecords(view, stored, { grades: false })) {
    if (status === "active" || status === "stale" || status === "historical") counts[status]++;
  }
  return counts;
}
