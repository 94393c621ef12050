import { isText, listOf, parseJson } from "../store/check.js";
import type { Db } from "../store/sqlite.js";

/** A worktree's marker in the database. */
export interface MarkerRow {
  generation: number;
  state: string;
  content: string | null;
  events: string;
  created_at: string | null;
  updated_at: string | null;
  lease_id: string | null;
  lease_holder: string | null;
  lease_expires_at: string | null;
  /** The generation that the holder claimed. */
  lease_generation: number | null;
  /** The lease that ended with a delivery: a second delivery under it gets the same answer. */
  last_lease: string | null;
  attempts: number;
  last_error: string | null;
  /** What a model reads for the update; null if that was not measured yet. */
  tokens: number | null;
}

export function readRow(db: Db, worktree: string): MarkerRow | undefined {
  return db.get<MarkerRow>("SELECT * FROM markers WHERE view = ?", worktree);
}

export function eventsOf(row: MarkerRow | undefined): string[] {
  return row === undefined ? [] : (parseJson(row.events, listOf(isText)) ?? []);
}

export function saveRow(db: Db, worktree: string, row: MarkerRow): void {
  db.run(
    `INSERT OR REPLACE INTO markers(view, generation, state, content, events, created_at, updated_at,
     lease_id, lease_holder, lease_expires_at, lease_generation, last_lease, attempts, last_error, tokens)
     VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[worktree, row.generation, row.state, row.content, row.events, row.created_at, row.updated_at],
    ...[row.lease_id, row.lease_holder, row.lease_expires_at, row.lease_generation, row.last_lease],
    ...[row.attempts, row.last_error, row.tokens],
  );
}
