import { isText, listOf, parseStored } from "../store/check.js";
import type { Db } from "../store/sqlite.js";
import { keyPath, pathKey } from "../store/state.js";
import type { FileKind } from "./kinds.js";

/** What the rows of a worktree describe. */
export interface RegistryState {
  /** The commit of the rows; null: only some files have rows. */
  sha: string | null;
  /** HEAD at the last report of changes. */
  asked: string | null;
  /** The upstream commit at the last verification behind it. */
  upstream: string | null;
  /** Rises with every write: a result computed from an older one is computed again. */
  generation: number;
}

export interface FileRow {
  path: string;
  oid: string;
  type: FileKind;
  /** null: the blob is missing in this clone. */
  size: number | null;
}

/** null: the registry of this worktree was never filled. */
export function readRegistryState(db: Db, worktree: string): RegistryState | null {
  const row = db.get<RegistryState>(
    `SELECT last_verified_sha AS sha, asked_sha AS asked, upstream_sha AS upstream, generation
     FROM registry_views WHERE view = ?`,
    worktree,
  );
  if (row === undefined) return null;
  const { sha, asked, upstream, generation } = row;
  return { sha, asked, upstream, generation };
}

export interface RowChanges {
  put: readonly FileRow[];
  removed: readonly string[];
  sha: string | null;
}

/**
 * Rows and sha in one transaction, and only if no other process has written since `before` was read: all or nothing.
 * `also` runs in the same transaction.
 */
export function saveRows(
  db: Db,
  worktree: string,
  before: RegistryState | null,
  { put, removed, sha }: RowChanges,
  also: () => void = () => {},
): boolean {
  return db.write(() => {
    if (readRegistryState(db, worktree)?.generation !== before?.generation) return false;
    // One statement for all: 50,000 single ones take a second, mostly for calls into SQLite.
    if (put.length > 0) {
      db.run(
        `INSERT OR REPLACE INTO file_registry(view, path, content_oid, type, size_bytes)
         SELECT ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`,
        ...[worktree, JSON.stringify(put.map(({ path, oid, type, size }) => [pathKey(path), oid, type, size]))],
      );
    }
    if (removed.length > 0) {
      const sql = "DELETE FROM file_registry WHERE view = ? AND path IN (SELECT value FROM json_each(?))";
      db.run(sql, worktree, JSON.stringify(removed.map(pathKey)));
    }
    also();
    db.run(
      `INSERT INTO registry_views(view, last_verified_sha, verified_at, generation) VALUES(?, ?, ?, 1)
       ON CONFLICT(view) DO UPDATE SET last_verified_sha = excluded.last_verified_sha,
         verified_at = excluded.verified_at, generation = generation + 1`,
      ...[worktree, sha, new Date().toISOString()],
    );
    return true;
  });
}

/** `commit`: HEAD, if the answer reports changes; `upstream`: the commit that the worktree is behind. */
export function saveAsked(db: Db, worktree: string, commit: string | null, upstream: string | null): void {
  const before = readRegistryState(db, worktree);
  const [asked, behind] = [commit ?? before?.asked ?? null, upstream ?? before?.upstream ?? null];
  if (before === null || (before.asked === asked && before.upstream === behind)) return;
  db.run("UPDATE registry_views SET asked_sha = ?, upstream_sha = ? WHERE view = ?", asked, behind, worktree);
}

/** Path and blob of every row, in two strings: 50,000 objects would take five times as long. */
export function rowOids(db: Db, worktree: string): Map<string, string> {
  const found = db.get<{ paths: string; oids: string }>(
    `SELECT json_group_array(path) AS paths, json_group_array(content_oid) AS oids FROM file_registry WHERE view = ?`,
    worktree,
  );
  const [paths, oids] = [found?.paths, found?.oids].map((text) =>
    parseStored(text ?? "[]", listOf(isText), "the rows of the registry"),
  );
  const rows = new Map<string, string>();
  for (const [at, key] of (paths ?? []).entries()) rows.set(keyPath(key), oids?.[at] ?? "");
  return rows;
}

export function countRows(db: Db, worktree: string): number {
  return db.get<{ n: number }>("SELECT count(*) AS n FROM file_registry WHERE view = ?", worktree)?.n ?? 0;
}

/** All rows of a worktree by path, or those of some paths. */
export function readRows(db: Db, worktree: string, paths: readonly string[] | null = null): FileRow[] {
  const columns = "path, content_oid AS oid, type, size_bytes AS size";
  const of = paths === null ? "" : "AND path IN (SELECT value FROM json_each(?))";
  const values = paths === null ? [worktree] : [worktree, JSON.stringify(paths.map(pathKey))];
  const rows = db.all<FileRow>(`SELECT ${columns} FROM file_registry WHERE view = ? ${of} ORDER BY path`, ...values);
  return rows.map(({ path, oid, type, size }) => ({ path: keyPath(path), oid, type, size }));
}

/** Number of conversations that are remembered. */
const KEPT_RUNS = 200;

export function isInRun(db: Db, worktree: string, id: string): boolean {
  return db.get("SELECT 1 AS one FROM registry_runs WHERE view = ? AND id = ?", worktree, id) !== undefined;
}

export function saveRun(db: Db, worktree: string, id: string): void {
  db.write(() => {
    db.run(
      "INSERT OR REPLACE INTO registry_runs(view, id, at) VALUES(?, ?, ?)",
      worktree,
      id,
      new Date().toISOString(),
    );
    const newest = "SELECT rowid FROM registry_runs WHERE view = ? ORDER BY rowid DESC LIMIT ?";
    db.run(`DELETE FROM registry_runs WHERE view = ? AND rowid NOT IN (${newest})`, worktree, worktree, KEPT_RUNS);
  });
}
