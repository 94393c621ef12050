import { currentExtractors } from "../fingerprint/languages.js";
import { reachableAmong } from "../git/reach.js";
import type { LoadedContext } from "../repository/context.js";
import { rowCount, savePruned } from "../store/growth.js";
import type { Db } from "../store/sqlite.js";
import { ABSENT } from "./known.js";
import { type ExpiredDescriptions, findNeedless, PRUNED_SOURCES } from "./prune-descriptions.js";

/** As long as git keeps unreachable commits (gc.reflogExpireUnreachable): until then a reset can be undone. */
const GRACE_MS = 30 * 24 * 60 * 60 * 1000;
/** Old generations are kept for late acks. */
const GENERATIONS = 500;

/** Contents that git does not lead to. Found without the lock, because it can take long. */
export interface Prunable {
  oids: string[];
  descriptions: ExpiredDescriptions;
  /** When they were looked for. */
  at: string;
}

export async function findPrunable(
  context: Pick<LoadedContext, "db" | "project" | "config">,
  now = new Date(),
): Promise<Prunable> {
  const { db, project } = context;
  savePruned(db); // another process need not start as well
  const described = `SELECT oid FROM descriptions WHERE ${PRUNED_SOURCES}`;
  const sql = `SELECT oid FROM analyses WHERE oid != '' UNION SELECT oid FROM fingerprints UNION ${described}`;
  const all = new Set(db.all<{ oid: string }>(sql).map(({ oid }) => oid));
  const reached = await reachableAmong(project.worktree.path, all);
  const descriptions = await findNeedless(context, reached, graceBefore(now));
  return { oids: [...all].filter((oid) => !reached.has(oid)), descriptions, at: now.toISOString() };
}

const graceBefore = (now: Date) => new Date(now.getTime() - GRACE_MS).toISOString();

/**
 * What refers to a content, although git may not lead to it: the graph, what a worktree acknowledged or compared, records, and
 * summaries of files, which are compared by its fingerprint.
 */
const REFERENCES = [
  "SELECT analysed_oid FROM baseline",
  "SELECT analysed_oid FROM view_baseline",
  "SELECT oid FROM drift",
  "SELECT blob FROM record_subjects",
  "SELECT content_oid FROM summaries",
];

/**
 * Called with the lock held. What is stored about a content is removed when it was unreachable for the whole grace period, however long ago
 * it was delivered: a branch that was deleted yesterday can be brought back. Returns the number of removed rows.
 */
export function prune(db: Db, { oids, descriptions, at }: Prunable): number {
  return db.write(() => {
    const count = rowCount(db);
    const references = db.all<{ oid: string | null }>(`SELECT NULL AS oid UNION ${REFERENCES.join(" UNION ")}`);
    const inUse = new Set(references.map(({ oid }) => oid));
    const unreachable = oids.filter((oid) => !inUse.has(oid));
    const before = graceBefore(new Date(at));
    const expired = noteUnreachable(db, unreachable, { at, before });
    for (const oid of expired)
      for (const table of ["analyses", "partly_analysed"]) db.run(`DELETE FROM ${table} WHERE oid = ?`, oid);
    dropDescriptions(db, descriptions, { expired: new Set(expired), at });
    const noted = `DELETE FROM unreachable WHERE oid = ? AND NOT EXISTS (${describedBy("unreachable.oid")})`;
    for (const oid of expired) db.run(noted, oid);
    // A fact can be parsed again, an analysis may have cost more: keep the fact as long as the analysis.
    const drop = "DELETE FROM fingerprints WHERE oid = ? AND NOT EXISTS (SELECT 1 FROM analyses a WHERE a.oid = ?)";
    for (const oid of unreachable) db.run(drop, oid, oid);
    db.run("DELETE FROM used_names WHERE NOT EXISTS (SELECT 1 FROM fingerprints f WHERE f.oid = used_names.oid)");
    dropLeftovers(db, before);
    savePruned(db);
    return count - rowCount(db);
  });
}

const describedBy = (oid: string) => `SELECT 1 FROM descriptions d WHERE d.oid = ${oid} AND ${PRUNED_SOURCES}`;

/** Those of contents that are still unreachable. What is needed now is needed for another grace period. */
function dropDescriptions(
  db: Db,
  { needless, neededOids }: ExpiredDescriptions,
  { expired, at }: { expired: ReadonlySet<string>; at: string },
): void {
  for (const { id, at: written } of needless) {
    const row = db.get<{ oid: string }>("SELECT oid FROM descriptions WHERE id = ? AND at = ?", id, written);
    if (row !== undefined && expired.has(row.oid)) db.run("DELETE FROM descriptions WHERE id = ?", id);
  }
  for (const oid of neededOids) db.run("UPDATE unreachable SET since = ? WHERE oid = ?", at, oid);
}

/** Notes since when each of them is unreachable, and forgets what is not among them any more. Returns those since `before`. */
function noteUnreachable(
  db: Db,
  unreachable: readonly string[],
  { at, before }: { at: string; before: string },
): string[] {
  const now = new Set(unreachable);
  const noted = db.all<{ oid: string; since: string }>("SELECT oid, since FROM unreachable");
  for (const { oid } of noted) if (!now.has(oid)) db.run("DELETE FROM unreachable WHERE oid = ?", oid);
  const note = `INSERT OR IGNORE INTO unreachable(oid, since)
    SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM analyses WHERE oid = ?1) OR EXISTS (${describedBy("?1")})`;
  for (const oid of unreachable) db.run(note, oid, at);
  return noted.filter(({ oid, since }) => now.has(oid) && since < before).map(({ oid }) => oid);
}

/** Absences of paths without other entries, facts of old extractors, very old generations. */
function dropLeftovers(db: Db, before: string): void {
  db.run(
    `DELETE FROM analyses WHERE oid = ? AND delivered_at < ?
     AND NOT EXISTS (SELECT 1 FROM analyses other WHERE other.path = analyses.path AND other.oid != '')
     AND NOT EXISTS (SELECT 1 FROM baseline WHERE baseline.path = analyses.path)`,
    ...[ABSENT, before],
  );
  const current = new Set(currentExtractors());
  for (const { extractor } of db.all<{ extractor: string }>("SELECT DISTINCT extractor FROM fingerprints")) {
    if (!current.has(extractor)) db.run("DELETE FROM fingerprints WHERE extractor = ?", extractor);
  }
  db.run(
    `DELETE FROM generations WHERE generation <
     (SELECT max(newest.generation) FROM generations newest WHERE newest.view = generations.view) - ?`,
    GENERATIONS,
  );
}
