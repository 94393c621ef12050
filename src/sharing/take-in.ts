import { type SideRepository, sideBlobs } from "../git/side-repository.js";
import { putSharedDescriptions } from "../knowledge/descriptions.js";
import { faultPoint } from "../store/fault.js";
import type { Db } from "../store/sqlite.js";
import { pathKey } from "../store/state.js";
import { presentIn, segmentsOf } from "./chain.js";
import { MOST_READ_BYTES, type ReadSegment, readSegment } from "./segments.js";

/** One author may bring so many descriptions; what is beyond is not taken in. */
const MOST_OF_AUTHOR = 400_000;
const MOST_SEGMENTS = 50_000;
/** A transaction for so many: an index of 200,000 random hashes is expensive to change a little at a time. */
const ROWS_AT_A_TIME = 40_000;

export interface TakenIn {
  author: string;
  /** Descriptions that were not known here. */
  added: number;
  /** Lines that are no descriptions, or break a rule. */
  refused: number;
}

/** How far an author's ref was read: stored after its segments. */
interface ReadTip {
  remote: string;
  author: string;
  tip: string;
}

/** Reads the new segments of authors, and stores them in large transactions. A kill in between reads the last ones again. */
export class Importer {
  readonly #db: Db;
  readonly #side: SideRepository;
  readonly #now = new Date().toISOString();
  readonly #open: { taken: TakenIn; oid: string; read: ReadSegment }[] = [];
  readonly #tips: ReadTip[] = [];
  /** How many more of each author. */
  readonly #room = new Map<string, number>();
  #rows = 0;

  constructor(db: Db, side: SideRepository) {
    this.#db = db;
    this.#side = side;
    // For this connection: what is changed is held in memory, and copied to the database less often.
    db.exec("PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 20000;");
  }

  /** The returned counts are complete after `flush`. */
  async take({ remote, author, tip }: ReadTip): Promise<TakenIn> {
    const before = knownTip(this.#db, remote, author);
    const without = await presentIn(this.#side, before === null ? [] : [before]);
    const listed = await segmentsOf(this.#side, tip, without, MOST_SEGMENTS);
    const isRead = "SELECT 1 AS one FROM sharing_segments WHERE author = ? AND oid = ?";
    const open = new Set(listed.filter((oid) => this.#db.get(isRead, author, oid) === undefined));
    const taken: TakenIn = { author, added: 0, refused: 0 };
    this.#room.set(author, Math.max(0, MOST_OF_AUTHOR - countOf(this.#db, author)));
    await sideBlobs(this.#side, [...open], MOST_READ_BYTES, (oid, content) => {
      open.delete(oid);
      const read = readSegment(content, { author, now: this.#now });
      taken.refused += read.refused;
      this.#open.push({ taken, oid, read });
      this.#rows += read.descriptions.length;
      if (this.#rows >= ROWS_AT_A_TIME) this.flush();
    });
    taken.refused += open.size; // too large
    this.#tips.push({ remote, author, tip });
    return taken;
  }

  flush(): void {
    const [segments, tips] = [this.#open.splice(0), this.#tips.splice(0)];
    this.#rows = 0;
    if (segments.length + tips.length === 0) return;
    this.#db.write(() => {
      const paths = new Set<string>();
      for (const segment of segments) this.#store(segment, paths);
      const unshown = "INSERT OR IGNORE INTO sharing_unshown(path) VALUES(?)";
      for (const path of paths) this.#db.run(unshown, pathKey(path));
      faultPoint("share.stored");
      const known = "INSERT OR REPLACE INTO sharing_tips(remote, author, tip) VALUES(?, ?, ?)";
      for (const { remote, author, tip } of tips) this.#db.run(known, remote, author, tip);
    });
    faultPoint("share.taken");
  }

  #store({ taken, oid, read }: { taken: TakenIn; oid: string; read: ReadSegment }, paths: Set<string>): void {
    const room = this.#room.get(taken.author) ?? 0;
    const some = read.descriptions.slice(0, room);
    const added = putSharedDescriptions(this.#db, some);
    if (added > 0) for (const { key } of some) paths.add(key.path);
    taken.added += added;
    this.#room.set(taken.author, room - added);
    this.#db.run("INSERT OR IGNORE INTO sharing_segments(author, oid) VALUES(?, ?)", taken.author, oid);
  }
}

export function knownTip(db: Db, remote: string, author: string): string | null {
  const sql = "SELECT tip FROM sharing_tips WHERE remote = ? AND author = ?";
  return db.get<{ tip: string }>(sql, remote, author)?.tip ?? null;
}

/** Descriptions of one author that are stored here. */
export function countOf(db: Db, author: string): number {
  const sql = "SELECT count(*) AS n FROM descriptions WHERE source = 'shared' AND author = ?";
  return db.get<{ n: number }>(sql, author)?.n ?? 0;
}

/** How many each author has here, most first. */
export function authorCounts(db: Db): { author: string; descriptions: number }[] {
  return db.all<{ author: string; descriptions: number }>(
    `SELECT author, count(*) AS descriptions FROM descriptions WHERE source = 'shared' AND author IS NOT NULL
     GROUP BY author ORDER BY descriptions DESC, author`,
  );
}
