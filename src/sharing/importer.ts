import { isRefusal, isTimeout } from "../git/run.js";
import { type SideRepository, type SizedBlob, sideBlobs } from "../git/side-repository.js";
import { putSharedDescriptions } from "../knowledge/descriptions.js";
import { faultPoint } from "../store/fault.js";
import type { Db } from "../store/sqlite.js";
import { pathKey } from "../store/state.js";
import { newSegments, presentIn } from "./chain.js";
import type { TakenIn } from "./pull.js";
import { MOST_READ_BYTES, type ReadSegment, readSegment } from "./segments.js";
import { type AuthorTip, knownTips, MOST_AUTHORS, putKnownTip } from "./tips.js";

/** One author may bring so many descriptions; what is beyond is not taken in. */
const MOST_OF_AUTHOR = 400_000;
/** Once so many are stored, those who are not among the first few may have an equal share each. */
const MOST_STORED = 4_000_000;
const MOST_WITHOUT_SHARE = 50;
const SHARE = MOST_STORED / MOST_AUTHORS;
/** And so much text at a time: a few kilobytes in a pack can be megabytes. */
const MOST_BYTES_OF_AUTHOR = 256 * 1024 * 1024;
/** All authors together, in one pull. */
const MOST_BYTES_OF_PULL = 512 * 1024 * 1024;
/** How often a batch that cannot be read is halved, to find whose ref that is. */
const MOST_TRIES = 200;
/** A transaction for so many: an index of 200,000 random hashes is expensive to change a little at a time. Until then they are in memory. */
const ROWS_AT_A_TIME = 20_000;

interface AuthorImport {
  taken: TakenIn;
  /** How many more of this author. */
  room: number;
  /** How much was read. */
  bytes: number;
  /** The rest is left for the next pull. */
  isPostponed: boolean;
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
  readonly #first: readonly string[];
  readonly #mostBytes: number;
  #stored: number | undefined;
  #rows = 0;
  #bytes = 0;
  #tries = 0;

  constructor(
    db: Db,
    { side, remote, first }: { side: SideRepository; remote: string; first: readonly string[] },
    mostBytes = MOST_BYTES_OF_PULL,
  ) {
    this.#db = db;
    this.#side = side;
    this.#remote = remote;
    this.#first = first;
    this.#mostBytes = mostBytes;
    // For this connection: what is changed is held in memory, and copied to the database less often.
    db.exec("PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 20000;");
  }

  /** Returns the authors whose refs cannot be read. */
  async take(changed: readonly AuthorTip[]): Promise<string[]> {
    // All at a time: a process of git for each author takes longer than to read it.
    if (changed.length === 0 || (await this.#takeSome(changed))) return [];
    // A history without end or a damaged object of one author must not stop the others.
    if (changed.length === 1 || ++this.#tries > MOST_TRIES) return changed.map(({ author }) => author);
    const half = Math.ceil(changed.length / 2);
    return [...(await this.take(changed.slice(0, half))), ...(await this.take(changed.slice(half)))];
  }

  /** Authors of whom the next pull takes in the rest. */
  get postponed(): string[] {
    return [...this.#authors.values()].filter((one) => one.isPostponed).map(({ taken }) => taken.author);
  }

  get taken(): TakenIn[] {
    return [...this.#authors.values()].map(({ taken }) => taken).filter(({ added, refused }) => added + refused > 0);
  }

  /** False: git cannot read one of them, or they are too much. What was read until then is stored. */
  async #takeSome(changed: readonly AuthorTip[]): Promise<boolean> {
    try {
      const isRead = await this.#read(changed);
      this.#store(isRead ? changed.filter(({ author }) => this.#authors.get(author)?.isPostponed !== true) : []);
      return isRead;
    } catch (error) {
      if (!isRefusal(error) && !isTimeout(error)) throw error;
      this.#store([]);
      return false;
    }
  }

  async #read(changed: readonly AuthorTip[]): Promise<boolean> {
    const known = knownTips(this.#db, this.#remote);
    const before = changed.flatMap(({ author }) => known.get(author) || []);
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
    const choose = (blobs: readonly SizedBlob[]) => this.#choose(blobs, readers);
    await sideBlobs(this.#side, [...readers.keys()], choose, (oid, content) => {
      for (const of of readers.get(oid) ?? []) this.#add(of, oid, content);
      readers.delete(oid);
    });
    for (const tooLarge of readers.values()) for (const { taken } of tooLarge) taken.refused++;
    return true;
  }

  /**
   * What one pull reads. Those who come first are served first, and of them who has got least: an author with many or large segments waits,
   * and the others do not wait for that one. What is left for the next pull is no longer in `readers`.
   */
  #choose(blobs: readonly SizedBlob[], readers: Map<string, AuthorImport[]>): SizedBlob[] {
    const turns = blobs.flatMap((blob) => {
      const open = (readers.get(blob.oid) ?? []).filter(({ bytes }) => bytes + blob.size <= MOST_BYTES_OF_AUTHOR);
      if (blob.size > MOST_READ_BYTES) return [];
      return open.map((of) => {
        const turn = { blob, of, isLater: !this.#first.includes(of.taken.author), got: of.bytes };
        of.bytes += blob.size;
        return turn;
      });
    });
    turns.sort((a, b) => Number(a.isLater) - Number(b.isLater) || a.got - b.got);
    const chosen = new Set<SizedBlob>();
    for (const { blob } of turns) {
      if (chosen.has(blob) || this.#bytes + blob.size > this.#mostBytes) continue;
      this.#bytes += blob.size;
      chosen.add(blob);
    }
    for (const { blob, of } of turns) {
      if (chosen.has(blob)) continue;
      of.isPostponed = true;
      readers.delete(blob.oid);
    }
    return [...chosen];
  }

  #importOf(author: string): AuthorImport {
    const known = this.#authors.get(author);
    if (known !== undefined) return known;
    this.#stored ??= countStored(this.#db);
    const most = mostOf(author, { stored: this.#stored, first: this.#first });
    const room = Math.max(0, most - countOf(this.#db, author));
    const made = { taken: { author, added: 0, refused: 0 }, room, bytes: 0, isPostponed: false };
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

/** How many descriptions of an author are stored, where so many of all are stored already. */
export function mostOf(author: string, { stored, first }: { stored: number; first: readonly string[] }): number {
  return stored < MOST_STORED || first.slice(0, MOST_WITHOUT_SHARE).includes(author) ? MOST_OF_AUTHOR : SHARE;
}

const countStored = (db: Db): number =>
  db.get<{ n: number }>("SELECT count(*) AS n FROM descriptions WHERE source = 'shared'")?.n ?? 0;

/** Descriptions of one author that are stored here. */
export function countOf(db: Db, author: string): number {
  const sql = "SELECT count(*) AS n FROM descriptions WHERE source = 'shared' AND author = ?";
  return db.get<{ n: number }>(sql, author)?.n ?? 0;
}
