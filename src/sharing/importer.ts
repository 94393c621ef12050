import { isRefusal, isTimeout } from "../git/run.js";
import { type SideRepository, sideBlobs } from "../git/side-repository.js";
import { putSharedDescriptions } from "../knowledge/descriptions.js";
import { faultPoint } from "../store/fault.js";
import type { Db } from "../store/sqlite.js";
import { pathKey } from "../store/state.js";
import { newSegments, presentIn } from "./chain.js";
import type { TakenIn } from "./pull.js";
import { MOST_READ_BYTES, type ReadSegment, readSegment } from "./segments.js";
import { type AuthorTip, knownTips, putKnownTip } from "./tips.js";

/** One author may bring so many descriptions; what is beyond is not taken in. */
const MOST_OF_AUTHOR = 400_000;
/** And so much text at a time: a few kilobytes in a pack can be megabytes. */
const MOST_BYTES_OF_AUTHOR = 256 * 1024 * 1024;
/** A transaction for so many: an index of 200,000 random hashes is expensive to change a little at a time. Until then they are in memory. */
const ROWS_AT_A_TIME = 20_000;

interface AuthorImport {
  taken: TakenIn;
  /** How many more of this author. */
  room: number;
  /** How much was read. */
  bytes: number;
}

/** Read, and not stored yet. */
interface OpenSegment {
  of: AuthorImport;
  oid: string;
  read: ReadSegment;
}

/** Reads the new segments of authors, and stores them in large transactions. A kill in between reads the last ones again. */
export class Importer {
  readonly #db: Db;
  readonly #side: SideRepository;
  readonly #remote: string;
  readonly #now = new Date().toISOString();
  readonly #authors = new Map<string, AuthorImport>();
  readonly #open: OpenSegment[] = [];
  #rows = 0;

  constructor(db: Db, { side, remote }: { side: SideRepository; remote: string }) {
    this.#db = db;
    this.#side = side;
    this.#remote = remote;
    // For this connection: what is changed is held in memory, and copied to the database less often.
    db.exec("PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 20000;");
  }

  /** Returns the authors whose refs cannot be read. */
  async take(changed: readonly AuthorTip[]): Promise<string[]> {
    // All at a time: a process of git for each author takes longer than to read it.
    if (changed.length === 0 || (await this.#takeSome(changed))) return [];
    // A history without end or a damaged object of one author must not stop the others.
    const unreadable: string[] = [];
    for (const one of changed) if (!(await this.#takeSome([one]))) unreadable.push(one.author);
    return unreadable;
  }

  get taken(): TakenIn[] {
    return [...this.#authors.values()].map(({ taken }) => taken).filter(({ added, refused }) => added + refused > 0);
  }

  /** False: git cannot read one of them, or they are too much. What was read until then is stored. */
  async #takeSome(changed: readonly AuthorTip[]): Promise<boolean> {
    try {
      const isRead = await this.#read(changed);
      this.#store(isRead ? changed : []);
      return isRead;
    } catch (error) {
      if (!isRefusal(error) && !isTimeout(error)) throw error;
      this.#store([]);
      return false;
    }
  }

  async #read(changed: readonly AuthorTip[]): Promise<boolean> {
    const known = knownTips(this.#db, this.#remote);
    const before = changed.flatMap(({ author }) => known.get(author) ?? []);
    const without = await presentIn(this.#side, before);
    const segments = await newSegments(this.#side, { tips: changed.map(({ tip }) => tip), without });
    if (segments === null) return false;
    const isRead = "SELECT 1 AS one FROM sharing_segments WHERE author = ? AND oid = ?";
    const readers = new Map<string, AuthorImport[]>();
    for (const { author, tip } of changed) {
      for (const oid of segments.get(tip) ?? []) {
        if (this.#db.get(isRead, author, oid) !== undefined) continue;
        readers.set(oid, [...(readers.get(oid) ?? []), this.#importOf(author)]);
      }
      segments.delete(tip); // another author's ref may be at the same commit
    }
    const fits = (oid: string, size: number) => {
      const open = (readers.get(oid) ?? []).filter(({ bytes }) => bytes + size <= MOST_BYTES_OF_AUTHOR);
      for (const of of open) of.bytes += size;
      return size <= MOST_READ_BYTES && open.length > 0;
    };
    await sideBlobs(this.#side, [...readers.keys()], fits, (oid, content) => {
      for (const of of readers.get(oid) ?? []) this.#add(of, oid, content);
      readers.delete(oid);
    });
    for (const tooLarge of readers.values()) for (const { taken } of tooLarge) taken.refused++;
    return true;
  }

  #importOf(author: string): AuthorImport {
    const known = this.#authors.get(author);
    if (known !== undefined) return known;
    const room = Math.max(0, MOST_OF_AUTHOR - countOf(this.#db, author));
    const made = { taken: { author, added: 0, refused: 0 }, room, bytes: 0 };
    this.#authors.set(author, made);
    return made;
  }

  #add(of: AuthorImport, oid: string, content: Buffer): void {
    const read = readSegment(content, { author: of.taken.author, now: this.#now });
    of.taken.refused += read.refused;
    this.#open.push({ of, oid, read });
    this.#rows += read.descriptions.length;
    if (this.#rows >= ROWS_AT_A_TIME) this.#store([]);
  }

  /** What was read; then how far, if all of it was read. */
  #store(tips: readonly AuthorTip[]): void {
    const segments = this.#open.splice(0);
    this.#rows = 0;
    if (segments.length + tips.length === 0) return;
    this.#db.write(() => {
      const paths = new Set<string>();
      for (const segment of segments) this.#storeSegment(segment, paths);
      const unshown = "INSERT OR IGNORE INTO sharing_unshown(path) VALUES(?)";
      for (const path of paths) this.#db.run(unshown, pathKey(path));
      faultPoint("share.stored");
      for (const one of tips) putKnownTip(this.#db, this.#remote, one);
    });
    faultPoint("share.taken");
  }

  #storeSegment({ of, oid, read }: OpenSegment, paths: Set<string>): void {
    const some = read.descriptions.slice(0, of.room);
    const added = putSharedDescriptions(this.#db, some);
    if (added > 0) for (const { key } of some) paths.add(key.path);
    of.taken.added += added;
    of.room -= added;
    const isRead = "INSERT OR IGNORE INTO sharing_segments(author, oid) VALUES(?, ?)";
    this.#db.run(isRead, of.taken.author, oid);
  }
}

/** Descriptions of one author that are stored here. */
export function countOf(db: Db, author: string): number {
  const sql = "SELECT count(*) AS n FROM descriptions WHERE source = 'shared' AND author = ?";
  return db.get<{ n: number }>(sql, author)?.n ?? 0;
}
