import { currentExtractors } from "../fingerprint/languages.js";
import { reachableAmong } from "../git/reach.js";
import { rowCount, savePruned } from "../store/growth.js";
import type { Db } from "../store/sqlite.js";
import { ABSENT } from "./known.js";

/** As long as git keeps unreachable commits (gc.reflogExpireUnreachable): until then a reset can be undone. */
const GRACE_MS = 30 * 24 * 60 * 60 * 1000;
/** Old generations are kept for late acks. */
const GENERATIONS = 500;

/** Analyses and facts of contents that are no longer reachable. Found without the lock, because it can take long. */
export interface Prunable {
  oids: string[];
  /** Only analyses from before this time. */
  before: string;
}

export async function findPrunable(db: Db, cwd: string, now = new Date()): Promise<Prunable> {
  savePruned(db); // another process need not start as well
  const sql = "SELECT oid FROM analyses WHERE oid != '' UNION SELECT oid FROM fingerprints";
  const all = new Set(db.all<{ oid: string }>(sql).map(({ oid }) => oid));
  const reached = await reachableAmong(cwd, all);
  const oids = [...all].filter((oid) => !reached.has(oid));
  return { oids, before: new Date(now.getTime() - GRACE_MS).toISOString() };
}

/**
 * Called with the lock held. Content that the knowledge describes stays, even if git does not have it. Returns the
 * number of removed rows.
 */
export function prune(db: Db, { oids, before }: Prunable): number {
  return db.write(() => {
    const count = rowCount(db);
    const inUse = new Set(
      db
        .all<{ oid: string }>(
          `SELECT analysed_oid AS oid FROM baseline WHERE analysed_oid IS NOT NULL
           UNION SELECT analysed_oid FROM view_baseline WHERE analysed_oid IS NOT NULL
           UNION SELECT oid FROM drift WHERE oid IS NOT NULL
           UNION SELECT blob FROM record_subjects WHERE blob IS NOT NULL`,
        )
        .map(({ oid }) => oid),
    );
    for (const oid of oids) {
      if (inUse.has(oid)) continue;
      db.run("DELETE FROM analyses WHERE oid = ? AND delivered_at < ?", oid, before);
      // A fact can be parsed again, an analysis may have cost more: keep the fact as long as the analysis.
      if (db.get("SELECT 1 AS one FROM analyses WHERE oid = ?", oid) === undefined) {
        db.run("DELETE FROM fingerprints WHERE oid = ?", oid);
      }
    }
    dropLeftovers(db, before);
    savePruned(db);
    return count - rowCount(db);
  });
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
