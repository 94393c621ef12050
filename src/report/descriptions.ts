import { SOURCES } from "../knowledge/choose.js";
import { descriptionsAt, originOf } from "../knowledge/described.js";
import { knownFacts } from "../knowledge/facts.js";
import { readSavings } from "../knowledge/shared.js";
import type { Project } from "../repository/locate.js";
import { readSetting, SETTINGS } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { symbolsToReview } from "../verification/review.js";
import type { PathVerdict } from "../verification/verdicts.js";
import type { DescriptionsPart, ReportSymbol } from "./types.js";

/** Maximum number of symbols shown for one file, and of months. */
const [MOST_SYMBOLS, MOST_MONTHS] = [200, 12];

/** What was written about this code, by where it came from and when, and what sharing saved. */
export function descriptionsPart(db: Db, project: Project): DescriptionsPart {
  const rows = db.all<{ source: string; count: number; newest: string }>(
    "SELECT source, COUNT(*) AS count, MAX(at) AS newest FROM descriptions GROUP BY source",
  );
  const months = db.all<{ month: string; count: number }>(
    "SELECT substr(at, 1, 7) AS month, COUNT(*) AS count FROM descriptions GROUP BY month ORDER BY month DESC LIMIT ?",
    MOST_MONTHS,
  );
  const savings = readSavings(db);
  return {
    bySource: SOURCES.flatMap((source) => rows.filter((row) => row.source === source)),
    byMonth: months.reverse(),
    review: symbolsToReview(db, project).length,
    tokensSavedBySharing: savings.reduce((sum, { tokens }) => sum + tokens, 0),
    filesPutBack: readSetting(db, SETTINGS.filesPutBack, project.scope) ?? 0,
  };
}

/** How many were written on which day. */
export function describedByDay(db: Db): { day: string; count: number }[] {
  return db.all("SELECT substr(at, 1, 10) AS day, COUNT(*) AS count FROM descriptions GROUP BY day");
}

/** The changed symbols of a file, each with the description that stands for it now: who wrote it, and when. */
export function reportSymbols(
  db: Db,
  { scope }: Pick<Project, "scope">,
  changes: readonly PathVerdict[],
): (change: PathVerdict) => ReportSymbol[] {
  const heads = new Map(changes.map(({ filePath, oid }) => [filePath, oid]));
  const descriptionOf = descriptionsAt(db, scope, { heads, facts: knownFacts(db) });
  return ({ filePath: path, oid, symbols = [] }) =>
    symbols.slice(0, MOST_SYMBOLS).map((symbol) => {
      const { type, name, change } = symbol;
      return { type, name, change, ...originOf(oid === null ? null : descriptionOf({ path, oid }, symbol)) };
    });
}
