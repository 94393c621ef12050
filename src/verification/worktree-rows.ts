import { extractorOf } from "../fingerprint/languages.js";
import { recogniseBlobs } from "../knowledge/baseline.js";
import type { Project } from "../repository/locate.js";
import { readSetting, SETTINGS } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { pathKey } from "../store/state.js";
import type { Reference } from "./candidates.js";
import type { Comparison } from "./compare.js";

export interface WorktreeRow {
  id: string;
  token: string;
  scope: string;
  path: string;
  verified_sha: string | null;
  base_sha: string | null;
  rules: string | null;
  verified_at: string | null;
}

export function worktreeRow(db: Db, id: string): WorktreeRow | undefined {
  return db.get<WorktreeRow>("SELECT * FROM views WHERE id = ?", id);
}

export function allWorktreeRows(db: Db): WorktreeRow[] {
  return db.all<WorktreeRow>("SELECT * FROM views ORDER BY id");
}

/**
 * A new worktree, or one with the name of an earlier one: the old rows are removed. The row is written before
 * everything else about the worktree, so that after a kill nothing is left without one.
 */
export function enterWorktree(db: Db, { worktree, scope }: Project, token: string): void {
  db.write(() => {
    forgetWorktree(db, worktree.id);
    const sql = "INSERT INTO views(id, token, scope, path) VALUES(?, ?, ?, ?)";
    db.run(sql, worktree.id, token, scope, worktree.path);
  });
}

/**
 * The verified commit to start from: this worktree's own, or, for a new worktree, any other of the same graph, because
 * they differ only by their commits. null if there is none, or the rules changed.
 */
export function referenceFor(db: Db, project: Project, rules: string): Reference | null {
  const own = worktreeRow(db, project.worktree.id);
  // Acknowledgements belong to one worktree: its list of differences leaves them out (invariant "verdicts belong to a
  // worktree").
  const sql = "SELECT * FROM views WHERE scope = ? AND id NOT IN (SELECT view FROM view_baseline) ORDER BY id";
  const others = db.all<WorktreeRow>(sql, project.scope);
  for (const row of own === undefined || own.verified_sha === null ? others : [own]) {
    if (row.verified_sha !== null && row.rules === rules) return { view: row.id, commit: row.verified_sha };
  }
  return null;
}

/** The commit of a worktree's registry rows; null if it has none, or not for all files. */
export function registrySha(db: Db, worktree: string): string | null {
  const sql = "SELECT last_verified_sha AS sha FROM registry_views WHERE view = ?";
  return db.get<{ sha: string | null }>(sql, worktree)?.sha ?? null;
}

export interface Verified {
  project: Project;
  token: string;
  sha: string;
  /** Whether nothing is pending at `sha`. */
  settled: boolean;
  rules: string;
  at: string;
  comparison: Pick<Comparison, "verdicts" | "recognised">;
}

/**
 * The last write of a verification: from here on the worktree counts as verified at this commit (invariant "advance
 * last").
 */
export function saveVerified(db: Db, { project, token, sha, settled, rules, at, comparison }: Verified): void {
  const { worktree, scope } = project;
  const { verdicts, recognised } = comparison;
  db.write(() => {
    recogniseBlobs(db, scope, recognised);
    const base = settled ? sha : (worktreeRow(db, worktree.id)?.base_sha ?? sharedBase(db, scope));
    db.run(
      `INSERT OR REPLACE INTO views(id, token, scope, path, verified_sha, base_sha, rules, verified_at)
       VALUES(?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[worktree.id, token, scope, worktree.path, sha, base, rules, at],
    );
    db.run("DELETE FROM drift WHERE view = ?", worktree.id);
    for (const verdict of verdicts) {
      db.run(
        `INSERT INTO drift(view, path, oid, analysed_oid, extractor, drift, change_level, details, symbols)
         VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[worktree.id, pathKey(verdict.filePath), verdict.oid, verdict.analysedOid, extractorOf(verdict.filePath)],
        ...[verdict.drift, verdict.changeLevel, JSON.stringify(verdict.details)],
        verdict.symbols === undefined ? null : JSON.stringify(verdict.symbols),
      );
    }
  });
}

/** These contents are fingerprinted in another way from now on: every worktree compares its files once more. */
export function forgetVerdicts(db: Db, oids: readonly string[]): void {
  db.write(() => {
    for (const oid of oids) db.run("DELETE FROM drift WHERE oid = ? OR analysed_oid = ?", oid, oid);
    db.run("UPDATE views SET rules = NULL");
    db.run("DELETE FROM compared");
  });
}

/** The commit that the graph of a scope describes, if it is one. */
export function sharedBase(db: Db, scope: string): string | null {
  return readSetting(db, SETTINGS.baseCommit, scope);
}

/** Removes the graph state of a removed worktree. */
export function forgetScope(db: Db, scope: string): void {
  for (const table of ["baseline", "imports"]) db.run(`DELETE FROM ${table} WHERE scope = ?`, scope);
  // baseCommit:<scope> and its like. A worktree may be named "folders": those two keys are no scope's.
  const others = "key NOT IN ('hooks:folders', 'made:folders')";
  db.run(`DELETE FROM settings WHERE substr(key, instr(key, ':')) = ? AND ${others}`, `:${scope}`);
}

const TABLES_BY_WORKTREE = [
  "drift",
  "compared",
  "markers",
  "generations",
  "attempts",
  "view_baseline",
  ...["file_registry", "registry_views", "registry_runs"],
  ...["record_seen", "record_moves", "record_files", "record_views"],
];

/** A removed worktree, or one whose name is used again: all of its rows are removed. */
export function forgetWorktree(db: Db, id: string): void {
  db.write(() => {
    for (const table of ["views", ...TABLES_BY_WORKTREE]) {
      db.run(`DELETE FROM ${table} WHERE ${table === "views" ? "id" : "view"} = ?`, id);
    }
    db.run("DELETE FROM symbol_baseline WHERE owner = ?", id);
    db.run("DELETE FROM candidates WHERE owner = ?", id);
    // An accepted task is not bound to its worktree: it counts wherever its commit is.
    db.run("DELETE FROM record_signals WHERE view = ? AND reason != 'scope_files_changed'", id);
  });
}
