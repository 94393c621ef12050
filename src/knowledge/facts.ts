import { isPassing } from "../fingerprint/content.js";
import { extractorOf } from "../fingerprint/languages.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import { isNumber, isObject, isText, listOf, parseJson } from "../store/check.js";
import { faultPoint } from "../store/fault.js";
import type { Db } from "../store/sqlite.js";
import { parseInBatches, startParser } from "./parse-batches.js";
import { ParseNotes } from "./parse-notes.js";
import type { Fingerprinter } from "./pool.js";
import { saveUsedNames, usedNamesOf } from "./used-names.js";

export interface Limits {
  maxFileBytes: number;
  parseBudgetMs: number;
}

export interface WantedFact {
  path: string;
  oid: string;
}

/** A blob's fingerprint without its path: a renamed file has the same one. */
type Fact = Omit<FileFingerprint, "filePath" | "blobOid">;

/** A row that does not pass is parsed again from the blob. */
export function isFact(value: unknown): value is Fact {
  if (!isObject(value)) return false;
  const { contentHash, tokenHash, extractor, functions, classes, imports, exports, totalLines } = value;
  return (
    [contentHash, tokenHash, extractor].every(isText) &&
    [functions, classes].every(listOf(isNamed)) &&
    [imports, exports].every(Array.isArray) &&
    isNumber(totalLines)
  );
}

const isNamed = (value: unknown): value is { name: string } => isObject(value) && isText(value.name);

/** Stores fingerprints by blob and extractor. */
export interface FactStore {
  get(oid: string, extractor: string): Fact | null;
  put(facts: readonly [oid: string, fact: Fact][]): void;
  /** For a run of the parser. null for one that a process needs for itself. */
  notes(): ParseNotes | null;
}

export interface FactStoreOptions {
  /** False for commands that answer without writing anything. */
  keep: boolean;
  /** Called when a batch of new facts is stored. It may throw: what is stored is not parsed again. */
  afterBatch?: (() => void) | undefined;
}

/** In the state database. */
export function storedFacts(db: Db, { keep, afterBatch }: FactStoreOptions): FactStore {
  /** What is not stored is parsed once by its reader, all the same. */
  const unstored = new Map<string, Fact>();
  return {
    get: (oid, extractor) => {
      const parsed = unstored.get(`${oid} ${extractor}`);
      if (parsed !== undefined) return parsed;
      const sql = "SELECT data FROM fingerprints WHERE oid = ? AND extractor = ?";
      const row = db.get<{ data: string }>(sql, oid, extractor);
      return row === undefined ? null : parseJson(row.data, isFact);
    },
    put: (facts) => {
      if (!keep) {
        for (const [oid, fact] of facts) unstored.set(`${oid} ${fact.extractor}`, fact);
        return;
      }
      const sql = "INSERT OR REPLACE INTO fingerprints(oid, extractor, data) VALUES(?, ?, ?)";
      db.write(() => {
        for (const [oid, fact] of facts) {
          if (isPassing(fact.reason)) continue;
          db.run(sql, oid, fact.extractor, JSON.stringify(fact));
          saveUsedNames(db, oid, usedNamesOf(fact));
        }
      });
      if (facts.length === 0) return;
      faultPoint("facts.stored");
      afterBatch?.();
    },
    notes: () => new ParseNotes(db, { keep }),
  };
}

/**
 * In memory, oldest dropped first: for a walk through history. `limit` counts functions and classes, because one file
 * can have a thousand.
 */
export function memoryFacts(limit: number): FactStore {
  const known = new Map<string, Fact>();
  const weightOf = ({ functions, classes }: Fact) => 5 + functions.length + classes.length;
  let weight = 0;
  return {
    get: (oid, extractor) => known.get(`${oid} ${extractor}`) ?? null,
    put: (facts) => {
      for (const [oid, fact] of facts) {
        const key = `${oid} ${fact.extractor}`;
        if (!known.has(key)) weight += weightOf(fact);
        known.set(key, fact);
      }
      for (const [key, fact] of known) {
        if (weight <= limit) break;
        known.delete(key);
        weight -= weightOf(fact);
      }
    },
    notes: () => null,
  };
}

/**
 * Fingerprints of blobs, from the store if the content is known (invariant "keyed by content"), else read from git and
 * parsed. A blob that git does not have is not in the answer.
 */
export class Facts {
  readonly #store: FactStore;
  readonly #cwd: string;
  readonly #limits: Limits;
  readonly #fingerprint: Fingerprinter | null;
  readonly #offered = new Map<string, Buffer>();

  /** `fingerprint`: a running parser, for a caller that asks many times. */
  constructor(store: FactStore, cwd: string, limits: Limits, fingerprint: Fingerprinter | null = null) {
    this.#store = store;
    this.#cwd = cwd;
    this.#limits = limits;
    this.#fingerprint = fingerprint;
  }

  /** Content that git does not have yet, verified to be this blob. */
  offer(oid: string, content: Buffer): void {
    this.#offered.set(oid, content);
  }

  /** Keyed by `factKey`. */
  async of(wanted: readonly WantedFact[], onFile?: (done: number) => void): Promise<Map<string, FileFingerprint>> {
    const known = new Map<string, FileFingerprint>();
    const missing = new Map<string, WantedFact>();
    for (const one of wanted) {
      const fact = this.known(one);
      if (fact === null) missing.set(factKey(one), one);
      else known.set(factKey(one), fact);
    }
    const keep = (made: FileFingerprint & { blobOid: string }) =>
      known.set(factKey({ path: made.filePath, oid: made.blobOid }), made);
    if (missing.size > 0) await this.#parse([...missing.values()], keep, onFile);
    return known;
  }

  /** Only stored fingerprints; nothing is read or parsed. */
  known({ path, oid }: WantedFact): FileFingerprint | null {
    const fact = this.#store.get(oid, extractorOf(path));
    return fact === null ? null : { ...fact, filePath: path, blobOid: oid };
  }

  async #parse(missing: WantedFact[], keepOne: (made: Made) => void, onFile?: (done: number) => void): Promise<void> {
    const running = this.#fingerprint;
    await parseInBatches<Made>({
      ...{ missing, cwd: this.#cwd, offered: this.#offered, ...(onFile === undefined ? {} : { onFile }) },
      parser:
        running === null
          ? startParser(missing, this.#limits, this.#store.notes())
          : Promise.resolve({ fingerprint: running, end: null }),
      make: async ({ fingerprint }, file, blob) => ({ ...(await fingerprint(file, blob)), blobOid: file.oid }),
      keep: (made) => {
        for (const one of made) keepOne(one);
        this.#store.put(made.map(({ filePath: _path, blobOid, ...fact }) => [blobOid, fact]));
      },
    });
  }
}

type Made = FileFingerprint & { blobOid: string };

/** Stored fingerprints only: nothing is parsed for a question about descriptions. */
export function knownFacts(db: Db): Pick<Facts, "known"> {
  const store = storedFacts(db, { keep: false });
  return {
    known: ({ path, oid }) => {
      const fact = store.get(oid, extractorOf(path));
      return fact === null ? null : { ...fact, filePath: path, blobOid: oid };
    },
  };
}

export function factKey({ path, oid }: WantedFact): string {
  return `${oid} ${extractorOf(path)} ${path}`;
}
