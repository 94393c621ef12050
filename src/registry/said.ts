import type { Facts, Wanted } from "../knowledge/facts.js";
import type { Db } from "../store/sqlite.js";
import { findMoves } from "./advance.js";
import { type Laid, offerContents } from "./overlay.js";
import { hasSummary, type Said, saidAbout } from "./summaries.js";

/** What is said about files as they are now; one that is being renamed brings its words before that is committed. */
export async function saidNow(
  db: Db,
  facts: Facts,
  cwd: string,
  laid: readonly Laid[],
  files: readonly Wanted[],
): Promise<Map<string, Said>> {
  const moves = await findMoves(db, cwd, laid);
  const targets = new Set(moves.map(({ to }) => to));
  const isTold = (path: string) => targets.has(path) || hasSummary(db, path);
  const over = laid.flatMap(({ path, after: oid }) => (oid !== null && isTold(path) ? [{ path, oid }] : []));
  offerContents(facts, cwd, over);
  const said = await saidAbout(db, facts, files);
  const oids = new Map(files.map(({ path, oid }) => [path, oid]));
  for (const { from, to } of moves) {
    const oid = oids.get(to);
    if (oid === undefined || said.has(to)) continue;
    const moved = (await saidAbout(db, facts, [{ path: from, oid }])).get(from);
    if (moved !== undefined) said.set(to, moved);
  }
  return said;
}
