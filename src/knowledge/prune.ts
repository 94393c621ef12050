import { currentExtractors } from "../fingerprint/languages.js";
import { reachableAmong } from "../git/reach.js";
import { rowCount, savePruned } from "../store/growth.js";
import type { Db } from "../store/sqlite.js";
import { ABSENT } from "./known.js";

/** As long as git keeps what no ref leads to (gc.reflogExpireUnreachable): until then a reset can be taken back. */
const GRACE_MS = 30 * 24 * 60 * 60 * 1000;
/** Old generations are for an ack that comes late, not for ever. */
const GENERATIONS = 500;

/**
 * What pruning may take: analyses and facts of contents that nothing leads to any more. Found without the lock, since
 * it can take its time.
 */
export interface Prunable {
  oids: string[];
  /** Analyses from before this moment only. */
  before: string;
}

export async function findPrunable(db: Db, cwd: string, now = new Date()): Promise<Prunable> {
  savePruned(db); // whoever comes meanwhile need not begin as well
  const sql = "SELECT oid FROM analyses WHERE oid != '' UNION SELECT oid FROM fingerprints";
  const all = new Set(db.all<{ oid: string }>(sql).map(({ oid }) => oid));
  const reached = await reachableAmong(cwd, all);
  const oids = [...all].filter((oid) => !reached.has(oid));
  return { oids, before: new Date(now.getTime() - GRACE_MS).toISOString() };
}

/** With the lock held. What the knowledge describes at the moment stays, wherever git has it. Returns how many went. */
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
      // A fact costs a parse to have again, an analysis may have cost more: as long as that is here, so is this.
      if (db.get("SELECT 1 AS one FROM analyses WHERE oid = ?", oid) === undefined) {
        db.run("DELETE FROM fingerprints WHERE oid = ?", oid);
      }
    }
    dropLeftovers(db, before);
    savePruned(db);
    return count - rowCount(db);
  });
}

/** Absences of paths that nothing else is known of, facts of extractors that are no more, very old generations. */
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
