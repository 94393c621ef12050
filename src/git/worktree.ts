import { lstatSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
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

/** Beyond this a file is git's to read, a part at a time. */
const LARGE = 16 * 1024 * 1024;

/** Whether a file's bytes are a blob's as they are, whatever git's filters would make of them. */
export function isBlob(cwd: string, path: string, oid: string): boolean {
  const name = nameOf(cwd, path);
  const stat = lstatSync(name, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.size > LARGE) return false;
  const { createHash } = process.getBuiltinModule("node:crypto"); // 4 ms that others do not need
  const content = readFileSync(name);
  const sum = createHash(oid.length === 40 ? "sha1" : "sha256").update(`blob ${content.length}\0`);
  return sum.update(content).digest("hex") === oid;
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

/** Bytes where a name is no UTF-8. */
function nameOf(cwd: string, path: string): string | Buffer {
  return path.isWellFormed() ? join(cwd, path) : Buffer.concat([Buffer.from(join(cwd, "/")), encodePath(path)]);
}
