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

const TABLES = ["analyses", "fingerprints", "descriptions"];

export function rowCount(db: Db): number {
  return sumOf(db, "count(*)");
}

function writtenRows(db: Db): number {
  return sumOf(db, "max(rowid)");
}

function sumOf(db: Db, what: string): number {
  const sums = TABLES.map((table) => `ifnull((SELECT ${what} FROM ${table}), 0)`);
  return db.get<{ sum: number }>(`SELECT ${sums.join(" + ")} AS sum`)?.sum ?? 0;
}
