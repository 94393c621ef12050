import { extractorOf } from "../fingerprint/languages.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import { readBlobs } from "../git/blobs.js";
import type { Db } from "../store/sqlite.js";

export interface Limits {
  maxFileBytes: number;
  parseBudgetMs: number;
}

export interface Wanted {
  path: string;
  oid: string;
}

/**
 * Fingerprints of blobs, from the cache where the content is known (law 7), else read from git and parsed.
 * A blob that git does not have is absent from the answer.
 */
export class Facts {
  readonly #db: Db;
  readonly #cwd: string;
  readonly #limits: Limits;
  /** check and why answer without writing anything. */
  readonly #keep: boolean;

  constructor(db: Db, cwd: string, limits: Limits, keep: boolean) {
    this.#db = db;
    this.#cwd = cwd;
    this.#limits = limits;
    this.#keep = keep;
  }

  /** Keyed by `factKey`. Parsing yields to the event loop between files, so that the lock stays fresh. */
  async of(wanted: readonly Wanted[], onFile?: (done: number) => void): Promise<Map<string, FileFingerprint>> {
    const known = new Map<string, FileFingerprint>();
    const missing = new Map<string, Wanted>();
    for (const one of wanted) {
      const cached = this.#cached(one);
      if (cached === null) missing.set(factKey(one), one);
      else known.set(factKey(one), cached);
    }
    if (missing.size > 0) await this.#parse([...missing.values()], known, onFile);
    return known;
  }

  #cached({ path, oid }: Wanted): FileFingerprint | null {
    const row = this.#db.get<{ data: string }>(
      "SELECT data FROM fingerprints WHERE oid = ? AND extractor = ?",
      oid,
      extractorOf(path),
    );
    return row === undefined ? null : { ...(JSON.parse(row.data) as FileFingerprint), filePath: path, blobOid: oid };
  }

  async #parse(missing: Wanted[], known: Map<string, FileFingerprint>, onFile?: (done: number) => void): Promise<void> {
    const parser = import("../fingerprint/extract.js").then(async (extract) => {
      extract.prepareParser(missing.length < 10);
      await extract.warmUp(missing.map(({ path }) => path));
      return extract;
    });
    let done = 0;
    for (const batch of inBatches(missing)) {
      // The parser loads while git reads.
      const [blobs, { fingerprintText }] = await Promise.all([this.#read(batch), parser]);
      const made: FileFingerprint[] = [];
      for (const { path, oid } of batch) {
        const blob = blobs.get(oid);
        if (blob !== undefined) made.push({ ...(await fingerprintText(path, blob, this.#limits)), blobOid: oid });
        onFile?.(++done);
        if (done % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      for (const one of made) known.set(factKey({ path: one.filePath, oid: one.blobOid ?? "" }), one);
      if (this.#keep) this.#remember(made);
    }
  }

  #read(batch: readonly Wanted[]): Promise<Map<string, Buffer>> {
    return readBlobs(
      this.#cwd,
      batch.map(({ oid }) => oid),
    );
  }

  #remember(made: readonly FileFingerprint[]): void {
    this.#db.write(() => {
      for (const { filePath: _path, blobOid = "", ...fact } of made) {
        this.#db.run(
          "INSERT OR REPLACE INTO fingerprints(oid, extractor, data) VALUES(?, ?, ?)",
          blobOid,
          fact.extractor,
          JSON.stringify(fact),
        );
      }
    });
  }
}

export function factKey({ path, oid }: Wanted): string {
  return `${oid} ${extractorOf(path)} ${path}`;
}

/** Bounded, so that a first baseline of a large repository does not hold all of it in memory. */
const BATCH = 200;

function* inBatches<T>(items: readonly T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += BATCH) yield items.slice(at, at + BATCH);
}
