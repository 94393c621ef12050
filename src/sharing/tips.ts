import type { Db } from "../store/sqlite.js";
import { isAuthor } from "./authors.js";
import { readSharingState } from "./settings.js";

/** How far the refs of authors were taken in. */

export interface AuthorTip {
  author: string;
  tip: string;
}

/** A remote may have any number of refs. */
export const MOST_AUTHORS = 500;
/** So many places stay free for authors who were not here before: otherwise made-up ones would keep all of them for ever. */
const NEWCOMERS = 50;

/** Who has a place: those who come first, in that order, then the others in an order that no name can be chosen for. */
export function rankedAuthors(
  names: readonly string[],
  first: readonly string[],
): { chosen: string[]; ignored: string[] } {
  if (names.length <= MOST_AUTHORS) return { chosen: [...names], ignored: [] };
  const there = new Set(names);
  const known = [...new Set(first)].filter((name) => there.has(name));
  const newcomers = names.filter((name) => !known.includes(name));
  const inAnyOrder = newcomers.map((name) => ({ name, at: Math.random() })).sort((a, b) => a.at - b.at);
  const settled = MOST_AUTHORS - NEWCOMERS;
  const ranked = [...known.slice(0, settled), ...inAnyOrder.map(({ name }) => name), ...known.slice(settled)];
  return { chosen: ranked.slice(0, MOST_AUTHORS), ignored: ranked.slice(MOST_AUTHORS) };
}

/**
 * Which of the fetched refs have something that was not taken in; `ignored`: the authors without a place. `before`: what was known
 * when the fetch began. A push at the same time moves this clone's own ref, and what was fetched may be from before or from after it.
 */
export function changedTips(
  db: Db,
  remote: string,
  fetched: ReadonlyMap<string, string>,
  { first, before = new Map() }: { first: readonly string[]; before?: ReadonlyMap<string, string> },
): { changed: AuthorTip[]; ignored: string[] } {
  const { forgotten } = readSharingState(db);
  const known = knownTips(db, remote);
  const names = [...fetched.keys()].filter((name) => isAuthor(name) && !forgotten.includes(name));
  const { chosen, ignored } = rankedAuthors(names, first);
  const isRead = ({ author, tip }: AuthorTip) => known.get(author) === tip || before.get(author) === tip;
  const tips = chosen.map((author) => ({ author, tip: fetched.get(author) ?? "" }));
  return { changed: tips.filter((one) => !isRead(one)), ignored };
}

/** In the order in which they were first taken in. The tip is empty where all is to be read again. */
export function knownTips(db: Db, remote: string): Map<string, string> {
  const rows = db.all<AuthorTip>("SELECT author, tip FROM sharing_tips WHERE remote = ? ORDER BY rowid", remote);
  return new Map(rows.map(({ author, tip }) => [author, tip]));
}

export function putKnownTip(db: Db, remote: string, { author, tip }: AuthorTip): void {
  const sql = `INSERT INTO sharing_tips(remote, author, tip) VALUES(?, ?, ?)
    ON CONFLICT(remote, author) DO UPDATE SET tip = excluded.tip`;
  db.run(sql, remote, author, tip);
}

/** Everything is to be read again; who was here first stays known. */
export function forgetTips(db: Db, author: string): void {
  db.run("DELETE FROM sharing_tips WHERE author = ?", author);
  db.run("UPDATE sharing_tips SET tip = ''");
}
