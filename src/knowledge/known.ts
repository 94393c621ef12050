import { type FileAnalysis, isFileAnalysis } from "../graph/analyses.js";
import { parseStored } from "../store/check.js";
import type { Db } from "../store/sqlite.js";
import { keyPath, pathKey } from "../store/state.js";

/**
 * The origin of an analysis. `structural`: our own analyzer, whose edges are computed again when files are added or
 * removed; those of others are kept.
 */
export type AnalysisSource = "structural" | "agent" | "found" | "ack";

export interface Known {
  analysis: FileAnalysis;
  source: AnalysisSource;
}

/** The oid of an absent path. Absence is stored like content. */
export const ABSENT = "";

/** Number of versions of a file that are compared with a new one. */
const NEWEST = 20;

const NOTHING: FileAnalysis = { nodes: [], edges: [], inboundFrom: [] };

export function isKnown(db: Db, path: string, oid: string): boolean {
  return db.get("SELECT 1 AS one FROM analyses WHERE path = ? AND oid = ?", pathKey(path), oid) !== undefined;
}

export function knownAnalysis(db: Db, path: string, oid: string): Known | null {
  const row = db.get<{ data: string; source: AnalysisSource }>(
    "SELECT data, source FROM analyses WHERE path = ? AND oid = ?",
    ...[pathKey(path), oid],
  );
  return row === undefined
    ? null
    : {
        analysis: parseStored(row.data, isFileAnalysis, `the analysis of ${path} at ${oid}`),
        source: row.source,
      };
}

/** The analysed contents of a path, newest first, without absence. */
export function knownOids(db: Db, path: string): string[] {
  const sql = "SELECT oid FROM analyses WHERE path = ? AND oid != '' ORDER BY delivered_at DESC, rowid DESC LIMIT ?";
  return db.all<{ oid: string }>(sql, pathKey(path), NEWEST).map(({ oid }) => oid);
}

/** The paths under which this content was analysed. */
export function knownPaths(db: Db, oid: string): string[] {
  const sql = "SELECT path FROM analyses WHERE oid = ? AND oid != '' ORDER BY path LIMIT 100";
  return db.all<{ path: string }>(sql, oid).map(({ path }) => keyPath(path));
}

/** Returns whether a different analysis was stored for this content. */
export function putAnalysis(db: Db, path: string, oid: string, { analysis, source }: Known, at: string): boolean {
  const data = JSON.stringify(analysis);
  const before = db.get<{ data: string; source: string }>(
    "SELECT data, source FROM analyses WHERE path = ? AND oid = ?",
    ...[pathKey(path), oid],
  );
  if (before?.data === data && before.source === source) return false;
  db.run(
    `INSERT INTO analyses(path, oid, data, source, delivered_at) VALUES(?, ?, ?, ?, ?)
     ON CONFLICT(path, oid) DO UPDATE SET data = excluded.data, source = excluded.source`,
    ...[pathKey(path), oid, data, source, at],
  );
  return before !== undefined;
}

export function putAbsence(db: Db, path: string, at: string): void {
  if (!isKnown(db, path, ABSENT)) putAnalysis(db, path, ABSENT, { analysis: NOTHING, source: "found" }, at);
}

/** The files of a graph whose current analysis is from the structural analyzer. */
export function structuralPaths(db: Db, scope: string): Set<string> {
  const rows = db.all<{ path: string }>(
    `SELECT b.path AS path FROM baseline b JOIN analyses a ON a.path = b.path AND a.oid = b.analysed_oid
     WHERE b.scope = ? AND a.source = 'structural'`,
    scope,
  );
  return new Set(rows.map(({ path }) => keyPath(path)));
}
