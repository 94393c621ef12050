import type { Db } from "../store/sqlite.js";
import { isAuthor } from "./authors.js";
import { readSharingState } from "./settings.js";

/** How far the refs of authors were taken in. */

export interface AuthorTip {
  author: string;
  tip: string;
}

/** A remote may have any number of refs: those of known authors come first. */
const MOST_AUTHORS = 500;

/**
 * Which of the fetched refs have something that was not taken in; `ignored`: how many authors are beyond the bound. `before`: what was known
 * when the fetch began. A push at the same time moves this clone's own ref, and what was fetched may be from before or from after it.
 */
export function changedTips(
  db: Db,
  remote: string,
  fetched: ReadonlyMap<string, string>,
  before: ReadonlyMap<string, string> = new Map(),
): { changed: AuthorTip[]; ignored: number } {
  const { forgotten } = readSharingState(db);
  const known = knownTips(db, remote);
  const refs = [...fetched].filter(([name]) => isAuthor(name) && !forgotten.includes(name));
  const authors = refs.map(([author, tip]) => ({ author, tip }));
  const isNew = ({ author }: AuthorTip) => Number(!known.has(author));
  authors.sort((a, b) => isNew(a) - isNew(b) || (a.author < b.author ? -1 : 1));
  const isRead = ({ author, tip }: AuthorTip) => known.get(author) === tip || before.get(author) === tip;
  const changed = authors.slice(0, MOST_AUTHORS).filter((one) => !isRead(one));
  return { changed, ignored: Math.max(0, authors.length - MOST_AUTHORS) };
}

export function knownTips(db: Db, remote: string): Map<string, string> {
  const rows = db.all<AuthorTip>("SELECT author, tip FROM sharing_tips WHERE remote = ?", remote);
  return new Map(rows.map(({ author, tip }) => [author, tip]));
}

export function putKnownTip(db: Db, remote: string, { author, tip }: AuthorTip): void {
  db.run("INSERT OR REPLACE INTO sharing_tips(remote, author, tip) VALUES(?, ?, ?)", remote, author, tip);
}
