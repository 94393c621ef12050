import { UaError } from "../errors.js";
import { isText, listOf, orNull, pairOf, parseStored } from "../store/check.js";
import type { Db } from "../store/sqlite.js";
import { pathKey } from "../store/state.js";
import { leaseOf } from "./marker.js";
import type { Due, SymbolQuestion } from "./questions.js";
import { readRow } from "./row.js";

export interface Claim {
  holder: string;
  minutes: number;
  /** The caller's own lease, to be extended. */
  renew: string | null;
  /** The update that was claimed stays the one of the lease, although there is a newer one. */
  keepsUpdate?: boolean;
}

/** One holder at a time. The lock is held, so the second of two simultaneous callers finds the first. */
export function takeLease(db: Db, worktree: string, { holder, minutes, renew, keepsUpdate = false }: Claim): string {
  const now = new Date();
  const row = readRow(db, worktree);
  const live = row === undefined ? null : leaseOf(row, now.toISOString());
  if (renew !== null && row?.lease_id !== renew) throw unknownLease(renew);
  const own = live !== null && isConversation(holder) && live.holder === holder ? live.id : renew;
  if (live !== null && live.id !== own) {
    const left = `until ${live.expiresAt.slice(11, 16)} UTC`;
    throw new UaError(
      "busy",
      `${live.holder} holds the lease, ${left} (lease ${live.id})`,
      `wait, or, if its holder has ended, run \`ua-hooks release\`; if it is yours, \`ua-hooks claim --lease ${live.id}\``,
    );
  }
  const id = own ?? process.getBuiltinModule("node:crypto").randomBytes(6).toString("hex");
  const expires = new Date(now.getTime() + minutes * 60_000).toISOString();
  db.run(
    `UPDATE markers SET lease_id = ?, lease_holder = ?, lease_expires_at = ?,
     lease_generation = CASE WHEN ? THEN COALESCE(lease_generation, generation) ELSE generation END WHERE view = ?`,
    ...[id, holder, expires, keepsUpdate ? 1 : 0, worktree],
  );
  return id;
}

/** `client:id`: an agent's conversation, which may claim again. The name of a person may stand for two of them. */
const isConversation = (holder: string) => /^[a-z]+:[\w-]+$/.test(holder);

export interface Held {
  id: string;
  holder: string | null;
  /** The generation that the holder claimed; null for a lease that ended with a delivery. */
  generation: number | null;
}

/** The lease of a delivery. With one live lease its id may be omitted; null if there is none. */
export function heldLease(db: Db, worktree: string, given: string | null): Held | null {
  const row = readRow(db, worktree);
  if (given === null) {
    const live = row === undefined ? null : leaseOf(row, new Date().toISOString());
    return live === null ? null : { id: live.id, holder: live.holder, generation: row?.lease_generation ?? null };
  }
  // An expired lease is still accepted if there was no other claim since.
  if (row?.lease_id === given) return { id: given, holder: row.lease_holder, generation: row.lease_generation };
  if (row?.last_lease === given) return { id: given, holder: null, generation: null };
  throw unknownLease(given);
}

/** `id`: only this lease. Another holder may have claimed since. */
export function endLease(db: Db, worktree: string, id: string | null = null): void {
  db.run(
    `UPDATE markers SET last_lease = COALESCE(lease_id, last_lease), lease_id = NULL, lease_holder = NULL,
     lease_expires_at = NULL, lease_generation = NULL WHERE view = ? AND COALESCE(lease_id = ?, TRUE)`,
    ...[worktree, id],
  );
}

function unknownLease(id: string): UaError {
  return new UaError(
    "usage",
    `there is no lease "${id}" in this worktree`,
    "run `ua-hooks pending` to see the lease, or `ua-hooks claim` to take a new one",
  );
}

/** The paths of a generation; an unknown generation is an error of the caller. */
export function listedAt(db: Db, worktree: string, generation: number): Due[] {
  const sql = "SELECT paths FROM generations WHERE view = ? AND generation = ?";
  const row = db.get<{ paths: string }>(sql, worktree, generation);
  if (row === undefined) throw new UaError("usage", `there was no generation ${generation} in this worktree`);
  return parseStored(row.paths, listOf(pairOf(isText, orNull(isText))), `generation ${generation}`);
}

/** Counts a failed attempt, or (0) stores why a delivery was refused, by content. */
export function countAttempt(
  db: Db,
  worktree: string,
  questions: readonly SymbolQuestion[],
  { error, count }: { error: string; count: number },
): void {
  db.write(() => {
    for (const [id, hash] of questions) {
      db.run(
        `INSERT INTO attempts(view, path, oid, count, last_error) VALUES(?, ?, ?, ?, ?)
         ON CONFLICT(view, path, oid) DO UPDATE SET count = count + ?, last_error = excluded.last_error`,
        ...[worktree, pathKey(id), hash, count, error, count],
      );
    }
  });
}
