import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { countParses, type FingerprintOptions } from "./extract.js";
import type { FileFingerprint } from "./types.js";

export interface Job {
  id: number;
  path: string;
  content: Uint8Array;
  limits: FingerprintOptions;
}

export interface JobResult {
  id: number;
  fingerprint: FileFingerprint;
}

export type Fingerprinter = (path: string, content: Buffer) => Promise<FileFingerprint>;

/** A third of V8's own choice: a thread's garbage is a tree's worth a file, and ten threads would have ten of these. */
const SMALL = { maxYoungGenerationSizeMb: 16 };

interface Waiting {
  resolve(fingerprint: FileFingerprint): void;
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

  readonly run: Fingerprinter = (path, content) =>
    new Promise((resolve, reject) => {
      const thread = this.#threads.reduce((least, one) => (one.waiting.size < least.waiting.size ? one : least));
      const id = this.#next++;
      thread.waiting.set(id, { resolve, reject });
      // A copy of its own: the blob is a part of git's whole output, which would travel along.
      const copy = new Uint8Array(content);
      thread.worker.postMessage({ id, path, content: copy, limits: this.#limits } satisfies Job, [copy.buffer]);
    });

  async end(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #start(): void {
    const waiting = new Map<number, Waiting>();
    const worker = new Worker(join(import.meta.dirname, "worker.cjs"), { execArgv: [], resourceLimits: SMALL });
    worker.on("message", ({ id, fingerprint }: JobResult) => {
      if (fingerprint.hasStructuralAnalysis) countParses(1);
      waiting.get(id)?.resolve(fingerprint);
      waiting.delete(id);
    });
    worker.on("error", (error) => {
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    });
    this.#threads.push({ worker, waiting });
  }
}
