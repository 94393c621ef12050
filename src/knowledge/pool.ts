import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { countParses } from "../fingerprint/count.js";
import type { FingerprintOptions } from "../fingerprint/extract.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import type { Limits, WantedFact } from "./facts.js";
import { limitsFor, type NotePad, type ParseNotes } from "./parse-notes.js";
import type { PreparedFile } from "./prepared.js";

export interface Job extends WantedFact {
  id: number;
  /** Whether what is to be stored is wanted in place of the fingerprint. */
  isPrepared: boolean;
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

export type Fingerprinter = (file: WantedFact, content: Buffer) => Promise<FileFingerprint>;
export type Preparer = (file: WantedFact, content: Buffer) => Promise<PreparedFile>;

/** Given to each thread at its start. */
export interface ThreadData {
  pad: NotePad | null;
}

/** A third of V8's own choice: a thread's garbage is a tree's worth a file, and ten threads would have ten of these. */
const SMALL = { maxYoungGenerationSizeMb: 16 };

interface Waiting {
  resolve(made: JobResult["made"]): void;
  reject(error: Error): void;
}

interface Posted extends Waiting {
  file: WantedFact;
  isPrepared: boolean;
  content: Buffer;
}

/** A thread gets and answers some files at once: each message wakes a thread. Few, so that no thread ends long after the others. */
const MOST_FILES = 8;
const MOST_BYTES = 64 * 1024;

/** Fingerprints on all cores. Each file goes to the thread with the least to do; `end` must be called. */
export class Pool {
  readonly #limits: Limits;
  readonly #notes: ParseNotes | null;
  readonly #threads: { worker: Worker; waiting: Map<number, Waiting> }[] = [];
  /** Posted in this turn of the event loop. */
  #next: Posted[] = [];
  #count = 0;

  /** `folder`: of the program that the threads run, with the grammars; in a clone's own copy they are unpacked. */
  constructor(limits: Limits, notes: ParseNotes | null, folder: string = import.meta.dirname) {
    this.#limits = limits;
    this.#notes = notes;
    for (let at = 0; at < availableParallelism(); at++) this.#start(folder);
  }

  readonly run: Fingerprinter = async (file, content) =>
    JSON.parse((await this.#post(file, content, false)) as string) as FileFingerprint;

  readonly prepare: Preparer = async (file, content) => (await this.#post(file, content, true)) as PreparedFile;

  #post(file: WantedFact, content: Buffer, isPrepared: boolean): Promise<JobResult["made"]> {
    return new Promise((resolve, reject) => {
      this.#next.push({ file, content, isPrepared, resolve, reject });
      if (this.#next.length === 1) queueMicrotask(() => this.#send());
    });
  }

  #send(): void {
    const all = this.#next;
    this.#next = [];
    let list: Posted[] = [];
    let bytes = 0;
    for (const one of all) {
      list.push(one);
      bytes += one.content.length;
      if (list.length < MOST_FILES && bytes < MOST_BYTES) continue;
      this.#give(list);
      list = [];
      bytes = 0;
    }
    if (list.length > 0) this.#give(list);
  }

  #give(list: readonly Posted[]): void {
    const thread = this.#threads.reduce((least, one) => (one.waiting.size < least.waiting.size ? one : least));
    const jobs = list.map(({ file: { path, oid }, content, isPrepared, resolve, reject }): Job => {
      const id = this.#count++;
      thread.waiting.set(id, { resolve, reject });
      // A copy of its own: the blob is a part of git's whole output, which would travel along.
      const own = new Uint8Array(content);
      return { id, path, oid, isPrepared, content: own, limits: limitsFor(this.#notes, this.#limits, { path, oid }) };
    });
    thread.worker.postMessage(
      jobs,
      jobs.map(({ content }) => content.buffer as ArrayBuffer),
    );
  }

  async end(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
    this.#notes?.end();
  }

  #start(folder: string): void {
    const waiting = new Map<number, Waiting>();
    const pad = this.#notes?.open() ?? null;
    const workerData: ThreadData = { pad };
    const worker = new Worker(join(folder, "worker.cjs"), { execArgv: [], resourceLimits: SMALL, workerData });
    worker.on("message", (results: JobResult[]) => {
      for (const { id, isParsed, made } of results) {
        if (isParsed) countParses(1);
        waiting.get(id)?.resolve(made);
        waiting.delete(id);
      }
    });
    worker.on("error", (error) => {
      if (pad !== null) this.#notes?.leave(pad);
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    });
    this.#threads.push({ worker, waiting });
  }
}
