import type { Drift } from "../fingerprint/types.js";
import type { Facts } from "../knowledge/facts.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import { keyPath } from "../store/state.js";
import { currentSummaries } from "./current-summaries.js";
import type { EntryState } from "./enter.js";
import type { SummaryState } from "./summaries.js";

/** A file whose summary was written for another content. */
export interface DriftedSummary {
  path: string;
  summary_state: SummaryState;
  drift: Drift;
  details: string[];
  summary_updated_at: string;
  uncommitted: boolean;
}

/** Every summary of a worktree that is not fresh. Cost grows with their number, not with the number of files. */
export async function driftedSummaries(
  db: Db,
  facts: Facts,
  { worktree }: Project,
  { uncommitted }: EntryState,
): Promise<DriftedSummary[]> {
  const now = new Map(unlike(db, worktree.id));
  for (const { path, after } of uncommitted) {
    if (after === null) now.delete(path);
    else now.set(path, after);
  }
  const files = [...now].map(([path, oid]) => ({ path, oid }));
  const summaries = await currentSummaries(db, facts, worktree.path, uncommitted, files);
  const over = new Set(uncommitted.map(({ path }) => path));
  return [...summaries]
    .filter(([, { state }]) => state !== "fresh")
    .map(([path, { state, drift, details, updatedAt }]) => ({
      ...{ path, summary_state: state, drift, details },
      ...{ summary_updated_at: updatedAt, uncommitted: over.has(path) },
    }))
    .sort((a, b) => ORDER.indexOf(a.summary_state) - ORDER.indexOf(b.summary_state) || (a.path < b.path ? -1 : 1));
}

const ORDER: SummaryState[] = ["stale", "aging", "fresh"];

/** Rows with summaries, but none for the row's own content. */
function unlike(db: Db, worktree: string): [path: string, oid: string][] {
  const rows = db.all<{ path: string; oid: string }>(
    `SELECT DISTINCT r.path AS path, r.content_oid AS oid
     FROM summaries s JOIN file_registry r ON r.view = ? AND r.path = s.path
     WHERE NOT EXISTS (SELECT 1 FROM summaries e WHERE e.path = r.path AND e.content_oid = r.content_oid)`,
    worktree,
  );
  return rows.map(({ path, oid }) => [keyPath(path), oid]);
}

/** Committed files that could have a summary and have none. */
export function pathsWithoutSummary(db: Db, worktree: string): string[] {
  const rows = db.all<{ path: string }>(
    `SELECT path FROM file_registry r WHERE view = ? AND type IN ('text', 'generated')
       AND NOT EXISTS (SELECT 1 FROM summaries s WHERE s.path = r.path)
     ORDER BY path`,
    worktree,
  );
  return rows.map(({ path }) => keyPath(path));
}
