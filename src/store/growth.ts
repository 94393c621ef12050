import { type Pruned, readSetting, SETTINGS, writeSetting } from "./settings.js";
import type { Db } from "./sqlite.js";

/** Fewer new rows than this do not justify a walk through history. */
const FEW_ROWS = 4_000;

/** Whether as many rows were written since the last pruning as it left. Counted by row ids, which costs nothing. */
export function isPruningDue(db: Db): boolean {
  const pruned = readSetting(db, SETTINGS.pruned);
  if (pruned === null) savePruned(db); // a new database: everything that install wrote is in use
  const { written, left } = pruned ?? { written: writtenRows(db), left: 0 };
  return writtenRows(db) - written >= Math.max(FEW_ROWS, left);
}

export function savePruned(db: Db): void {
  const pruned: Pruned = { written: writtenRows(db), left: rowCount(db) };
  writeSetting(db, SETTINGS.pruned, pruned);
}

export function rowCount(db: Db): number {
  const sql = "SELECT (SELECT count(*) FROM analyses) + (SELECT count(*) FROM fingerprints) AS count";
  return db.get<{ count: number }>(sql)?.count ?? 0;
}

function writtenRows(db: Db): number {
  const sql = "SELECT (SELECT max(rowid) FROM analyses) AS a, (SELECT max(rowid) FROM fingerprints) AS f";
  const { a, f } = db.get<{ a: number | null; f: number | null }>(sql) ?? { a: 0, f: 0 };
  return (a ?? 0) + (f ?? 0);
}
