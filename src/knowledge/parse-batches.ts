import { blobsInWorktree, readBlobs } from "../git/blobs.js";
import type { Limits, WantedFact } from "./facts.js";
import { limitsFor, noted, type ParseNotes } from "./parse-notes.js";
import type { Fingerprinter, Preparer } from "./pool.js";

export interface RunningParser {
  fingerprint: Fingerprinter;
  /** null where it goes on running. */
  end: (() => Promise<void>) | null;
}

/** Fewer files than this are read faster than by one more git process. */
const FEW = 10;

/** Below this number of files a thread's start and its copy of each grammar cost more than they save. */
const WORTH_THREADS = 60;

/** In this thread for a few files, on all cores for many. */
export async function startParser(
  missing: readonly WantedFact[],
  limits: Limits,
  notes: ParseNotes | null,
  folder?: string,
): Promise<RunningParser & { prepare: Preparer | null }> {
  if (missing.length >= WORTH_THREADS) {
    const { Pool } = await import("./pool.js");
    const pool = new Pool(limits, notes, folder);
    return { fingerprint: pool.run, prepare: pool.prepare, end: () => pool.end() };
  }
  const { fingerprintText, prepareParser, warmUp } = await import("../fingerprint/extract.js");
  prepareParser();
  await warmUp(missing.map(({ path }) => path));
  const pad = notes?.open() ?? null;
  const fingerprint = slices((file, content) =>
    noted(pad, file, limitsFor(notes, limits, file), (options) => fingerprintText(file.path, content, options)),
  );
  return { fingerprint, prepare: null, end: async () => notes?.end() };
}

/** One file after the other, with a pause between: a timer keeps the lock fresh. */
function slices(fingerprint: Fingerprinter): Fingerprinter {
  let turn: Promise<unknown> = Promise.resolve();
  return (file, content) => {
    const mine = turn.then(() => fingerprint(file, content));
    turn = mine.then(() => new Promise((resolve) => setImmediate(resolve)));
    return mine;
  };
}

/** What is made of each blob. */
export interface Batches<T, P extends RunningParser = RunningParser> {
  missing: readonly WantedFact[];
  cwd: string;
  /** Content that git does not have yet. */
  offered?: ReadonlyMap<string, Buffer>;
  /** Its end is called, also after an error. */
  parser: Promise<P>;
  make(parser: P, file: WantedFact, blob: Buffer): Promise<T>;
  keep(made: readonly T[]): void;
  onFile?: (done: number) => void;
}

/** Bounded, so that the first baseline of a large repository does not hold all of it in memory. A blob that git does not have is left out. */
export async function parseInBatches<T, P extends RunningParser = RunningParser>(
  batches: Batches<T, P>,
): Promise<void> {
  const { missing, parser, make, keep, onFile } = batches;
  let done = 0;
  try {
    let size = FIRST_FILES;
    let before: Promise<T[]> = Promise.resolve([]);
    for (let at = 0; at < missing.length; ) {
      const batch = missing.slice(at, at + size);
      at += batch.length;
      // Loads the parser while git reads.
      const [blobs, running] = await Promise.all([readBatch(batches, batch), parser]);
      size = nextSize(batch.length, blobs.values());
      const work = batch.map(async (file) => {
        const blob = blobs.get(file.oid);
        const made = blob === undefined ? null : await make(running, file, blob);
        onFile?.(++done);
        return made === null ? [] : [made];
      });
      const now = Promise.all(work).then((all) => all.flat() as T[]);
      now.catch(() => {}); // reported where it is awaited
      // The threads get the next batch before the last one is stored.
      keep(await before);
      before = now;
    }
    keep(await before);
  } finally {
    await parser.then(({ end }) => end?.());
  }
}

/** A few files from the work tree, if they are unchanged; many from git, in one process. */
async function readBatch(
  { cwd, offered }: Pick<Batches<unknown>, "cwd" | "offered">,
  wanted: readonly WantedFact[],
): Promise<Map<string, Buffer>> {
  const here = wanted.length < FEW ? blobsInWorktree(cwd, wanted) : new Map<string, Buffer>();
  for (const { oid } of wanted) {
    const content = offered?.get(oid);
    if (content !== undefined) here.set(oid, content);
  }
  const oids = wanted.map(({ oid }) => oid).filter((oid) => !here.has(oid));
  return oids.length === 0 ? here : new Map([...here, ...(await readBlobs(cwd, oids))]);
}

const FIRST_FILES = 64;
const MOST_FILES = 200;
const MOST_BYTES = 16 * 1024 * 1024;

/** As many files as have about MOST_BYTES, if they are like the last ones. */
function nextSize(files: number, blobs: Iterable<Buffer>): number {
  let bytes = 1;
  for (const blob of blobs) bytes += blob.length;
  return Math.min(MOST_FILES, Math.max(8, Math.floor((files * MOST_BYTES) / bytes)));
}
