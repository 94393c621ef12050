import { closeSync, constants, lstatSync, openSync, readSync } from "node:fs";
import { availableParallelism } from "node:os";
import { decodePath, encodePath } from "./paths.js";
import { git } from "./run.js";
import { records } from "./trees.js";

/**
 * The blob oids of files in a work tree, through git's filters for their paths (eol, clean): what `git add` would
 * store. A path that is not a regular file is not in the map. `git hash-object --stdin-paths`: one name per line,
 * quoted as in C if needed; prints one oid per line.
 */
export async function worktreeOids(cwd: string, paths: readonly string[]): Promise<Map<string, string>> {
  const there = paths.filter((path) => isFile(cwd, path));
  const oids = new Map<string, string>();
  await Promise.all(
    shares(there).map(async (share) => {
      const input = share.map((path) => `${lineOf(path)}\n`).join("");
      const output = await git(cwd, ["hash-object", "--stdin-paths"], { input });
      const lines = output.toString("latin1").trimEnd().split("\n");
      for (const [at, path] of share.entries()) oids.set(path, lines[at] ?? "");
    }),
  );
  return oids;
}

/** Files up to this size are read at once; git reads larger ones. */
const MOST_BYTES = 256 * 1024;
/** Space before the content for git's header. */
const HEADER = 32;

/**
 * Whether a file's bytes are exactly a blob's, without git's filters: git hashes `blob <size>\0` and the content. One
 * buffer and three calls per file: hundreds are read in a row.
 */
export function isBlob(cwd: string, path: string, oid: string): boolean {
  buffer ??= Buffer.allocUnsafe(HEADER + MOST_BYTES);
  const size = readInto(buffer, nameOf(cwd, path));
  if (size === null || size === MOST_BYTES) return false;
  const header = `blob ${size}\0`;
  const start = HEADER - header.length;
  buffer.write(header, start, "latin1");
  const { hash } = process.getBuiltinModule("node:crypto"); // 4 ms that other callers do not need
  const found = hash(oid.length === 40 ? "sha1" : "sha256", buffer.subarray(start, HEADER + size), "hex");
  return found === oid && (size > 0 || isFile(cwd, path)); // a pipe without a writer is empty, too
}

let buffer: Buffer | undefined;

/** Bytes read; null if it is not a file. */
function readInto(target: Buffer, name: string | Buffer): number | null {
  try {
    const fd = openSync(name, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return readSync(fd, target, HEADER, MOST_BYTES, null);
    } finally {
      closeSync(fd);
    }
  } catch {
    return null; // missing, a link, a folder, not readable: git reports what it is
  }
}

/** A line break, a leading quote, a byte that is not UTF-8: every byte as `\ooo`, which git reads back. */
function lineOf(path: string): string {
  if (!path.includes("\n") && !path.startsWith('"') && path.isWellFormed()) return path;
  const octal = [...encodePath(path)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`);
  return `"${octal.join("")}"`;
}

/** The paths that a sparse checkout leaves out: `S <path>\0` (git-ls-files(1), -t). */
export async function skippedPaths(cwd: string): Promise<Set<string>> {
  const output = await git(cwd, ["ls-files", "-t", "-z"]);
  const skipped = [...records(output)].filter((record) => record[0] === 0x53);
  return new Set(skipped.map((record) => decodePath(record.subarray(2))));
}

/** Below this number of files a second process costs more than it saves. */
const WORTH_A_PROCESS = 250;

/** One share per core, each for its own git process. */
function shares(paths: readonly string[]): string[][] {
  const size = Math.max(WORTH_A_PROCESS, Math.ceil(paths.length / availableParallelism()));
  return Array.from({ length: Math.ceil(paths.length / size) }, (_, at) => paths.slice(at * size, (at + 1) * size));
}

function isFile(cwd: string, path: string): boolean {
  return lstatSync(nameOf(cwd, path), { throwIfNoEntry: false })?.isFile() === true;
}

/**
 * Bytes if a name is not UTF-8. Without path.join: git's paths need no normalising, and it takes 4 ms for 500 paths.
 */
function nameOf(cwd: string, path: string): string | Buffer {
  return path.isWellFormed() ? `${cwd}/${path}` : Buffer.concat([Buffer.from(`${cwd}/`), encodePath(path)]);
}
