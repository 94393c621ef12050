import { type FileAnalysis, isFileAnalysis } from "../graph/analyses.js";
import { parseStored } from "../store/check.js";
import type { Db } from "../store/sqlite.js";
import { keyPath, pathKey } from "../store/state.js";
import { pack, unpack } from "./packed.js";
import { storedGraph } from "./stored-graph.js";

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

/** Of an analysis that does not answer for all symbols of its content, since it left the graph before all of them were described. */
const IS_WHOLE = "NOT EXISTS (SELECT 1 FROM partly_analysed p WHERE p.path = analyses.path AND p.oid = analyses.oid)";

/** What a graph describes now is known as well; only what leaves it is stored apart. */
export function isKnown(db: Db, path: string, oid: string): boolean {
  const sql = `SELECT 1 AS one FROM analyses WHERE path = ? AND oid = ? AND ${IS_WHOLE}`;
  return db.get(sql, pathKey(path), oid) !== undefined || scopeWith(db, path, oid) !== null;
}

export function knownAnalysis(db: Db, path: string, oid: string): Known | null {
  return storedAnalysis(db, path, oid) ?? currentAnalysis(db, path, oid);
}

/** One that was delivered, or that left the graph. */
export function storedAnalysis(db: Db, path: string, oid: string): Known | null {
  const row = rowOf(db, path, oid);
  if (row === undefined) return null;
  const { data, source } = row;
  return { analysis: parseStored(analysisText(data), isFileAnalysis, `the analysis of ${path} at ${oid}`), source };
}

/** Deflated; text where a program of before 0.1 stored it. */
type AnalysisData = string | Uint8Array;

function rowOf(db: Db, path: string, oid: string): { data: AnalysisData; source: AnalysisSource } | undefined {
  return db.get("SELECT data, source FROM analyses WHERE path = ? AND oid = ?", pathKey(path), oid);
}

/** Empty for one that is damaged. */
export function analysisText(data: AnalysisData): string {
  if (typeof data === "string") return data;
  try {
    return unpack(data);
  } catch {
    return "";
  }
}

function currentAnalysis(db: Db, path: string, oid: string): Known | null {
  const scope = scopeWith(db, path, oid);
  if (scope === null) return null;
  const graph = storedGraph(db, scope);
  const analysis = graph?.analysisOf(path) ?? null;
  return { analysis: analysis ?? NOTHING, source: graph?.sourceOf(path) ?? "structural" };
}

/** The scope whose graph describes this content. */
function scopeWith(db: Db, path: string, oid: string): string | null {
  if (oid === ABSENT) return null;
  const sql = "SELECT scope FROM baseline WHERE path = ? AND analysed_oid = ? LIMIT 1";
  return db.get<{ scope: string }>(sql, pathKey(path), oid)?.scope ?? null;
}

/** The analysed contents of a path, newest first, without absence. */
export function knownOids(db: Db, path: string): string[] {
  const current = "SELECT DISTINCT analysed_oid AS oid FROM baseline WHERE path = ? AND analysed_oid IS NOT NULL";
  const stored = `SELECT oid FROM analyses WHERE path = ? AND oid != '' AND ${IS_WHOLE} ORDER BY delivered_at DESC, rowid DESC LIMIT ?`;
  const key = pathKey(path);
  const rows = [...db.all<{ oid: string }>(current, key), ...db.all<{ oid: string }>(stored, key, NEWEST)];
  return [...new Set(rows.map(({ oid }) => oid))].slice(0, NEWEST);
}

/** The paths under which this content was analysed. */
export function knownPaths(db: Db, oid: string): string[] {
  const sql = `SELECT path FROM analyses WHERE oid = ? AND oid != '' AND ${IS_WHOLE}
    UNION SELECT path FROM baseline WHERE analysed_oid = ? ORDER BY path LIMIT 100`;
  return db.all<{ path: string }>(sql, oid, oid).map(({ path }) => keyPath(path));
}

/** Returns whether a different analysis was stored for this content. */
export function putAnalysis(db: Db, path: string, oid: string, { analysis, source }: Known, at: string): boolean {
  const text = JSON.stringify(analysis);
  const before = rowOf(db, path, oid);
  if (before?.source === source && analysisText(before.data) === text) return false;
  db.run(
    `INSERT INTO analyses(path, oid, data, source, delivered_at) VALUES(?, ?, ?, ?, ?)
     ON CONFLICT(path, oid) DO UPDATE SET data = excluded.data, source = excluded.source`,
    ...[pathKey(path), oid, pack(text), source, at],
  );
  return before !== undefined;
}

export function putAbsence(db: Db, path: string, at: string): void {
  if (!isKnown(db, path, ABSENT)) putAnalysis(db, path, ABSENT, { analysis: NOTHING, source: "found" }, at);
}

/** The files of a graph that the structural analyzer made. */
export function structuralPaths(db: Db, scope: string): Set<string> {
  const sql = "SELECT path FROM pieces WHERE scope = ? AND source = 'structural' AND path != ''";
  return new Set(db.all<{ path: string }>(sql, scope).map(({ path }) => keyPath(path)));
}
