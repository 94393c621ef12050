import { closeSync, constants, lstatSync, openSync, readSync } from "node:fs";
import { availableParallelism } from "node:os";
import { decodePath, encodePath } from "./paths.js";
import { git } from "./run.js";
import { records } from "./trees.js";

/**
 * The blobs that the files of a work tree would be, through git's filters for their paths (eol, clean): what `git add`
 * would store. A path that is no regular file there is absent. `git hash-object --stdin-paths`: one name a line, quoted
 * as in C where it needs to be, and one oid a line back.
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

/** What is read of a file in one go; a larger one is git's to read. */
const MOST_BYTES = 256 * 1024;
/** Room in front of the content for git's header. */
const HEADER = 32;

/**
 * Whether a file's bytes are a blob's as they are, whatever git's filters would make of them: git hashes `blob <size>\0` and
 * the content. One buffer and three calls for each file: hundreds are read one after the other.
 */
export function isBlob(cwd: string, path: string, oid: string): boolean {
  buffer ??= Buffer.allocUnsafe(HEADER + MOST_BYTES);
  const size = readInto(buffer, nameOf(cwd, path));
  if (size === null || size === MOST_BYTES) return false;
  const header = `blob ${size}\0`;
  const start = HEADER - header.length;
  buffer.write(header, start, "latin1");
  const { hash } = process.getBuiltinModule("node:crypto"); // 4 ms that others do not need
  const found = hash(oid.length === 40 ? "sha1" : "sha256", buffer.subarray(start, HEADER + size), "hex");
  return found === oid && (size > 0 || isFile(cwd, path)); // a pipe without a writer is as empty
}

let buffer: Buffer | undefined;

/** How much was read; null for what is no file. */
function readInto(target: Buffer, name: string | Buffer): number | null {
  try {
    const fd = openSync(name, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return readSync(fd, target, HEADER, MOST_BYTES, null);
    } finally {
      closeSync(fd);
    }
  } catch {
    return null; // not there, a link, a folder, not ours to read: git says what it is
  }
}

/** A line break, a quote in front, a byte that is no UTF-8: every byte as `\ooo`, which git reads back. */
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

/** Below this many files a second process costs more than it brings. */
const WORTH_A_PROCESS = 250;

/** One share a core, each for a git of its own. */
function shares(paths: readonly string[]): string[][] {
  const size = Math.max(WORTH_A_PROCESS, Math.ceil(paths.length / availableParallelism()));
  return Array.from({ length: Math.ceil(paths.length / size) }, (_, at) => paths.slice(at * size, (at + 1) * size));
}

function isFile(cwd: string, path: string): boolean {
  return lstatSync(nameOf(cwd, path), { throwIfNoEntry: false })?.isFile() === true;
}

/** Bytes where a name is no UTF-8. Not by path.join: git's paths need no cleaning, and that takes 4 ms for 500 of them. */
function nameOf(cwd: string, path: string): string | Buffer {
  return path.isWellFormed() ? `${cwd}/${path}` : Buffer.concat([Buffer.from(`${cwd}/`), encodePath(path)]);
}
