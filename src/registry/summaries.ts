import { compareFingerprints, DRIFT_DISTANCE } from "../fingerprint/compare.js";
import { isPassing } from "../fingerprint/content.js";
import { extractorOf } from "../fingerprint/languages.js";
import type { Drift, FileFingerprint } from "../fingerprint/types.js";
import { type Facts, factKey, type WantedFact } from "../knowledge/facts.js";
import { isText, listOf, parseJson } from "../store/check.js";
import type { Db } from "../store/sqlite.js";
import { keyPath, pathKey } from "../store/state.js";

/** `aging`: bodies changed since it was written. `stale`: the interface changed. */
export type SummaryState = "fresh" | "aging" | "stale";

interface SummaryGrade {
  drift: Drift;
  details: string[];
}

/** A file's summary, and the drift since it was written. */
export interface CurrentSummary extends SummaryGrade {
  summary: string;
  updatedAt: string;
  /** The content it was written for. */
  oid: string;
  state: SummaryState;
}

interface Version {
  oid: string;
  summary: string;
  updatedAt: string;
}

/** Number of versions of a file that are compared with a new one. */
const NEWEST = 20;
/** With more paths it is faster to read all of them. */
const MANY = 500;

/**
 * The summaries of files at given contents: the one written for that content, else the nearest by drift, else none.
 * None is ever deleted, so content that returns has its summary again (invariant "keyed by content").
 */
export async function summariesFor(
  db: Db,
  facts: Facts,
  files: readonly WantedFact[],
): Promise<Map<string, CurrentSummary>> {
  const versions = readVersions(db, files);
  const summaries = new Map<string, CurrentSummary>();
  const open: (WantedFact & { from: string })[] = [];
  for (const { path, oid } of files) {
    const known = versions.get(path) ?? [];
    const exact = known.find((version) => version.oid === oid);
    if (exact !== undefined) summaries.set(path, { ...exact, state: "fresh", drift: "none", details: [] });
    else for (const { oid: from } of known.slice(0, NEWEST)) open.push({ path, oid, from });
  }
  for (const [at, grade] of (await gradeAll(db, facts, open)).entries()) {
    const { path, from } = open[at] ?? { path: "", from: "" };
    const version = versions.get(path)?.find(({ oid }) => oid === from);
    const best = summaries.get(path);
    if (version === undefined || (best !== undefined && DRIFT_DISTANCE[best.drift] <= DRIFT_DISTANCE[grade.drift]))
      continue;
    summaries.set(path, { ...version, ...grade, state: STATES[grade.drift] });
  }
  return summaries;
}

/** Comments and layout change no meaning; a body may; a changed behaviour or interface does. */
const STATES: Record<Drift, SummaryState> = {
  ...{ none: "fresh", cosmetic: "fresh", body: "aging" },
  ...{ behaviour: "stale", interface: "stale", new: "stale", gone: "stale" },
};

/** Newest first. */
function readVersions(db: Db, files: readonly WantedFact[]): Map<string, Version[]> {
  const some = files.length <= MANY;
  const of = some ? "WHERE path IN (SELECT value FROM json_each(?))" : "";
  const rows = db.all<{ path: string; oid: string; summary: string; at: string }>(
    `SELECT path, content_oid AS oid, summary, updated_at AS at FROM summaries ${of}
     ORDER BY updated_at DESC, rowid DESC`,
    ...(some ? [JSON.stringify(files.map(({ path }) => pathKey(path)))] : []),
  );
  const versions = new Map<string, Version[]>();
  for (const { path: key, oid, summary, at } of rows) {
    const path = keyPath(key);
    const known = versions.get(path);
    const version = { oid, summary, updatedAt: at };
    if (known === undefined) versions.set(path, [version]);
    else known.push(version);
  }
  return versions;
}

/** One content of a path against an earlier one. */
type OidPair = WantedFact & { from: string };

/** In the order of the pairs. Each pair of contents is compared once for all worktrees. */
export async function gradeAll(db: Db, facts: Facts, pairs: readonly OidPair[]): Promise<SummaryGrade[]> {
  const known = pairs.map((pair) => readGrade(db, pair));
  const missing = pairs.filter((_, at) => known[at] === null);
  if (missing.length === 0) return known.filter((grade) => grade !== null);
  const found = await facts.of(
    missing.flatMap(({ path, oid, from }) => [
      { path, oid },
      { path, oid: from },
    ]),
  );
  return db.write(() =>
    pairs.map((pair, at) => {
      const { path, oid, from } = pair;
      const [then, now] = [from, oid].map((one) => found.get(factKey({ path, oid: one })));
      return known[at] ?? grade(db, pair, then, now);
    }),
  );
}

/** The same without parsing: null if a fingerprint is not known yet. */
export function gradeKnown(db: Db, facts: Facts, pair: OidPair): SummaryGrade | null {
  const known = readGrade(db, pair);
  if (known !== null) return known;
  const { path, oid, from } = pair;
  const [then, now] = [facts.known({ path, oid: from }), facts.known({ path, oid })];
  return then === null || now === null ? null : grade(db, pair, then, now);
}

function readGrade(db: Db, { path, oid, from }: OidPair): SummaryGrade | null {
  const row = db.get<{ drift: Drift; details: string }>(
    "SELECT drift, details FROM summary_drift WHERE from_oid = ? AND to_oid = ? AND extractor = ?",
    ...[from, oid, extractorOf(path)],
  );
  const details = row === undefined ? null : parseJson(row.details, listOf(isText));
  return row === undefined || details === null ? null : { drift: row.drift, details };
}

function grade(db: Db, { path, oid, from }: OidPair, then?: FileFingerprint, now?: FileFingerprint): SummaryGrade {
  if (then === undefined || now === undefined) return UNSEEN;
  const { drift, details } = compareFingerprints(then, now);
  // The parser may succeed the next time.
  if (!isPassing(then.reason) && !isPassing(now.reason)) {
    db.run(
      "INSERT OR REPLACE INTO summary_drift(from_oid, to_oid, extractor, drift, details) VALUES(?, ?, ?, ?, ?)",
      ...[from, oid, extractorOf(path), drift, JSON.stringify(details)],
    );
  }
  return { drift, details };
}

/** Unknown is not fresh (invariant "unknown is not fresh"). */
const UNSEEN: SummaryGrade = {
  drift: "interface",
  details: ["content changed (the version that was summarised is not there to compare)"],
};

export function hasSummary(db: Db, path: string): boolean {
  return db.get("SELECT 1 AS one FROM summaries WHERE path = ? LIMIT 1", pathKey(path)) !== undefined;
}

export function putSummary(db: Db, path: string, oid: string, summary: string, at: string): void {
  db.run(
    "INSERT OR REPLACE INTO summaries(path, content_oid, summary, updated_at) VALUES(?, ?, ?, ?)",
    ...[pathKey(path), oid, summary, at],
  );
}

/** A moved file keeps its summary; the old name keeps it, too, in case the file moves back. */
export function copySummaries(db: Db, from: string, to: string): void {
  db.run(
    `INSERT OR IGNORE INTO summaries(path, content_oid, summary, updated_at)
     SELECT ?, content_oid, summary, updated_at FROM summaries WHERE path = ?`,
    ...[pathKey(to), pathKey(from)],
  );
}
