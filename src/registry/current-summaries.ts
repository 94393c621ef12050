import type { Facts, WantedFact } from "../knowledge/facts.js";
import type { Db } from "../store/sqlite.js";
import { findMoves } from "./advance.js";
import { offerContents, type UncommittedChange } from "./overlay.js";
import { type CurrentSummary, hasSummary, summariesFor } from "./summaries.js";

/** The summaries of the current files; an uncommitted rename keeps its summary. */
export async function currentSummaries(
  db: Db,
  facts: Facts,
  cwd: string,
  uncommitted: readonly UncommittedChange[],
  files: readonly WantedFact[],
): Promise<Map<string, CurrentSummary>> {
  const moves = await findMoves(db, cwd, uncommitted);
  const targets = new Set(moves.map(({ to }) => to));
  const hasAny = (path: string) => targets.has(path) || hasSummary(db, path);
  const over = uncommitted.flatMap(({ path, after: oid }) => (oid !== null && hasAny(path) ? [{ path, oid }] : []));
  offerContents(facts, cwd, over);
  const summaries = await summariesFor(db, facts, files);
  const oids = new Map(files.map(({ path, oid }) => [path, oid]));
  for (const { from, to } of moves) {
    const oid = oids.get(to);
    if (oid === undefined || summaries.has(to)) continue;
    const moved = (await summariesFor(db, facts, [{ path: from, oid }])).get(from);
    if (moved !== undefined) summaries.set(to, moved);
  }
  return summaries;
}
