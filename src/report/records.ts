import { ANYTHING, queryRecords } from "../records/query.js";
import { hasRecords } from "../records/store.js";
import type { RecordVerdict } from "../records/types.js";
import { openRecords } from "../records/verify.js";
import type { Context } from "../repository/context.js";
import type { RecordsPart, StaleRecord } from "./types.js";

/**
 * Verdicts for this worktree, computed now (invariant "verdicts belong to a worktree"). Most clones have no records and
 * skip this.
 */
export async function recordsOf(context: Context): Promise<RecordsPart> {
  const verdicts = hasRecords(await context.database())
    ? await queryRecords(await openRecords(context), { ...ANYTHING, includeStale: true })
    : [];
  const of = (status: string) => verdicts.filter((one) => one.status === status);
  return {
    counts: { active: of("active").length, stale: of("stale").length, historical: of("historical").length },
    stale: of("stale").map(toStale),
  };
}

function toStale({ record: { id, type, statement }, reason, grade, subjects }: RecordVerdict): StaleRecord {
  return { id, type, statement, reason, grade, paths: subjects.map(({ path }) => path) };
}
