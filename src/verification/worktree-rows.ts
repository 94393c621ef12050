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
 * A worktree seen for the first time, or one that took an earlier one's name: nothing of that one may be believed. The
 * row comes before everything else that is kept for the view, so that a kill leaves nothing that nobody cleans up.
 */
export function enterWorktree(db: Db, { worktree, scope }: Project, token: string): void {
  db.write(() => {
    forgetWorktree(db, worktree.id);
    const sql = "INSERT INTO views(id, token, scope, path) VALUES(?, ?, ?, ?)";
    db.run(sql, worktree.id, token, scope, worktree.path);
  });
}

/**
 * The verified commit to start from: this view's own, or, for a worktree seen for the first time, any other of the
 * same graph, since they differ by what their commits differ. null where there is none, or other rules held then.
 */
export function referenceFor(db: Db, project: Project, rules: string): Reference | null {
  const own = worktreeRow(db, project.worktree.id);
  // What another view acknowledged, it did for itself: its list of what differs leaves that out (invariant "verdicts belong to a worktree").
  const sql = "SELECT * FROM views WHERE scope = ? AND id NOT IN (SELECT view FROM view_baseline) ORDER BY id";
  const others = db.all<WorktreeRow>(sql, project.scope);
  for (const row of own === undefined || own.verified_sha === null ? others : [own]) {
    if (row.verified_sha !== null && row.rules === rules) return { view: row.id, commit: row.verified_sha };
  }
  return null;
}

/** The commit that the registry's rows of a view describe; null where it has none, or not of all files. */
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

/** The last write of a judgement: from here on the view counts as verified at this commit (invariant "advance last"). */
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
        `INSERT INTO drift(view, path, oid, analysed_oid, extractor, drift, change_level, details)
         VALUES(?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[worktree.id, pathKey(verdict.filePath), verdict.oid, verdict.analysedOid, extractorOf(verdict.filePath)],
        ...[verdict.drift, verdict.changeLevel, JSON.stringify(verdict.details)],
      );
    }
  });
}

/** The commit that the graph of a scope describes, as far as a commit can say it. */
export function sharedBase(db: Db, scope: string): string | null {
  return readSetting(db, SETTINGS.baseCommit, scope);
}

/** A graph that a worktree kept to itself went with it. */
export function forgetScope(db: Db, scope: string): void {
  for (const table of ["baseline", "imports"]) db.run(`DELETE FROM ${table} WHERE scope = ?`, scope);
  // baseCommit:<scope> and its like. A worktree may be named "folders": those two keys are no scope's.
  const others = "key NOT IN ('hooks:folders', 'made:folders')";
  db.run(`DELETE FROM settings WHERE substr(key, instr(key, ':')) = ? AND ${others}`, `:${scope}`);
}

const TABLES_BY_WORKTREE = [
  ...["drift", "markers", "generations", "attempts", "view_baseline"],
  ...["file_registry", "registry_views", "registry_runs"],
  ...["record_seen", "record_moves", "record_files", "record_views"],
];

/** A worktree that is gone, or whose name another one took: nothing of it may be believed. */
export function forgetWorktree(db: Db, id: string): void {
  db.write(() => {
    for (const table of ["views", ...TABLES_BY_WORKTREE]) {
      db.run(`DELETE FROM ${table} WHERE ${table === "views" ? "id" : "view"} = ?`, id);
    }
    // That a task was accepted is no verdict of the worktree it was done in: it goes where the commit goes.
    db.run("DELETE FROM record_signals WHERE view = ? AND reason != 'scope_files_changed'", id);
  });
}
