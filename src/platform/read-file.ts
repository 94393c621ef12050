import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { sep } from "node:path";
import { errnoOf, UaError } from "../errors.js";

/** Largest file that people write: config, ignore rules, settings, hooks, session files. */
export const MOST_TEXT_BYTES = 4 * 1024 * 1024;
/** Largest file that tools write: graph, fingerprints, evidence. One byte more, and V8 has no string for it. */
export const MOST_DATA_BYTES = 512 * 1024 * 1024 - 24;

/** Largest artefact that is read in parts. */
export const MOST_STREAM_BYTES = 8 * 1024 * 1024 * 1024;

export interface ReadLimits {
  most: number;
  /** The real path of the folder that the file must be in, also after links are followed. Needed for what a checkout can bring. */
  within?: string;
}

const MISSING = new Set(["ENOENT", "ENOTDIR"]);
// Non-blocking: opening a named pipe without a writer would wait for one.
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * The way a file is read (invariant "everything has a bound"): a regular file of limited size, and nothing else. A checkout can bring a
 * link to /dev/zero or to a private file, and a user can have a folder or a pipe of that name. null where there is no such file.
 */
export function readRegularFile(path: string | Buffer, { most, within }: ReadLimits): Buffer | null {
  const target = within === undefined ? path : resolveWithin(path, within);
  if (target === null) return null;
  try {
    requireRegular(path, statSync(target), most); // before it is opened: to open a device can be an action
    const fd = openSync(target, within === undefined ? FLAGS : FLAGS | constants.O_NOFOLLOW);
    try {
      const { size } = requireRegular(path, fstatSync(fd), most);
      return readAll(path, fd, size, most);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (MISSING.has(errnoOf(error) ?? "")) return null;
    throw error;
  }
}

/** So much of a file is in memory at a time. */
const CHUNK_BYTES = 1024 * 1024;

/**
 * The same file in parts, for one of any size. Nothing where there is no such file. It is opened at the first part: what is
 * renamed over it later is not read.
 */
export function* readChunks(path: string, { most, within }: Required<ReadLimits>): Generator<Buffer> {
  const target = resolveWithin(path, within);
  if (target === null) return;
  requireRegular(path, statSync(target), most);
  const fd = openSync(target, FLAGS | constants.O_NOFOLLOW);
  try {
    requireRegular(path, fstatSync(fd), most);
    for (let length = 0; ; ) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const read = readSync(fd, chunk, 0, chunk.length, null);
      if (read === 0) return;
      length += read;
      if (length > most) throw tooLarge(path, most);
      yield chunk.subarray(0, read);
    }
  } finally {
    closeSync(fd);
  }
}

/** What stands behind `from` in a file that others write on, the last `most` bytes of it; all of it where the file is shorter than `from`. */
export function readEndOf(path: string, { from, most }: { from: number; most: number }): { text: string; end: number } {
  requireRegular(path, statSync(path), MOST_STREAM_BYTES);
  const fd = openSync(path, FLAGS);
  try {
    const { size: end } = requireRegular(path, fstatSync(fd), MOST_STREAM_BYTES);
    const start = Math.max(from <= end ? from : 0, end - most);
    const bytes = Buffer.alloc(end - start);
    return { text: bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, start)), end };
  } finally {
    closeSync(fd);
  }
}

function requireRegular(path: string | Buffer, stat: Stats, most: number): Stats {
  if (stat.isDirectory()) throw unreadable(path, "it is a folder", "a file is expected there");
  if (!stat.isFile()) throw unreadable(path, "it is not a regular file", "replace it by a regular file");
  if (stat.size > most) throw tooLarge(path, most);
  return stat;
}

/** Until the end of the file, which may have grown since its size was asked. */
function readAll(path: string | Buffer, fd: number, size: number, most: number): Buffer {
  let buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const read = readSync(fd, buffer, length, buffer.length - length, null);
    if (read === 0) return buffer.subarray(0, length);
    length += read;
    if (length > most) throw tooLarge(path, most);
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(Math.max(length, 4096))]);
  }
}

/** Where the path leads, every link followed; null where there is nothing. Refuses what is outside of `home`. */
export function resolveWithin(path: string | Buffer, home: string): string | null {
  let real: string;
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return null;
    real = realpathSync.native(path);
  } catch (error) {
    if (MISSING.has(errnoOf(error) ?? "")) return null; // a link to nothing
    if (errnoOf(error) === "ELOOP")
      throw unreadable(path, "its links lead in a circle", "replace it by a regular file");
    throw error;
  }
  if (real === home || real.startsWith(home.endsWith(sep) ? home : home + sep)) return real;
  throw new UaError("refused", `${path} is a symbolic link that leads out of ${home}`, "replace it by the file itself");
}

function tooLarge(path: string | Buffer, most: number): UaError {
  return unreadable(path, `it has more than ${most} bytes`, "make it smaller, or remove it");
}

function unreadable(path: string | Buffer, why: string, next: string): UaError {
  return new UaError("refused", `${path} is not read: ${why}`, next);
}
