import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { countParses } from "../fingerprint/count.js";
import type { FingerprintOptions } from "../fingerprint/extract.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import type { PreparedFile } from "./prepared.js";

export interface Job {
  id: number;
  path: string;
  /** Of the blob, if what is to be stored is wanted in place of the fingerprint. */
  oid: string | null;
  content: Uint8Array;
  limits: FingerprintOptions;
}

export interface JobResult {
  id: number;
  /** Whether a grammar read it. */
  isParsed: boolean;
  /** A fingerprint as JSON: a copy of its objects, one by one, takes three times as long. */
  made: string | PreparedFile;
}

export type Fingerprinter = (path: string, content: Buffer) => Promise<FileFingerprint>;
export type Preparer = (file: { path: string; oid: string }, content: Buffer) => Promise<PreparedFile>;

/** A third of V8's own choice: a thread's garbage is a tree's worth a file, and ten threads would have ten of these. */
const SMALL = { maxYoungGenerationSizeMb: 16 };

interface Waiting {
  resolve(made: JobResult["made"]): void;
  reject(error: Error): void;
}

/** Fingerprints on all cores. Each file goes to the thread with the least to do; `end` must be called. */
export class Pool {
  readonly #limits: FingerprintOptions;
  readonly #threads: { worker: Worker; waiting: Map<number, Waiting> }[] = [];
  #next = 0;

  constructor(limits: FingerprintOptions, threads = availableParallelism()) {
    this.#limits = limits;
    for (let at = 0; at < threads; at++) this.#start();
  }

  readonly run: Fingerprinter = async (path, content) =>
    JSON.parse((await this.#post({ path, oid: null }, content)) as string) as FileFingerprint;

  readonly prepare: Preparer = async (file, content) => (await this.#post(file, content)) as PreparedFile;

  #post(file: Pick<Job, "path" | "oid">, content: Buffer): Promise<JobResult["made"]> {
    return new Promise((resolve, reject) => {
      const thread = this.#threads.reduce((least, one) => (one.waiting.size < least.waiting.size ? one : least));
      const id = this.#next++;
      thread.waiting.set(id, { resolve, reject });
      // A copy of its own: the blob is a part of git's whole output, which would travel along.
      const copy = new Uint8Array(content);
      const job: Job = { id, ...file, content: copy, limits: this.#limits };
      thread.worker.postMessage(job, [copy.buffer]);
    });
  }

  async end(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #start(): void {
    const waiting = new Map<number, Waiting>();
    const worker = new Worker(join(import.meta.dirname, "worker.cjs"), { execArgv: [], resourceLimits: SMALL });
    worker.on("message", ({ id, isParsed, made }: JobResult) => {
      if (isParsed) countParses(1);
      waiting.get(id)?.resolve(made);
      waiting.delete(id);
    });
    worker.on("error", (error) => {
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    });
    this.#threads.push({ worker, waiting });
  }
}
