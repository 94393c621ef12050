import { lstatSync } from "node:fs";
import { join } from "node:path";
import { encodePath } from "./paths.js";
import { git } from "./run.js";

/**
 * The blobs that the files of a work tree would be, through git's filters for their paths (eol, clean): what `git add`
 * would store. A path that is no regular file there is absent. `git hash-object --stdin-paths`: one name a line, quoted
 * as in C where it needs to be, and one oid a line back.
 */
export async function worktreeOids(cwd: string, paths: readonly string[]): Promise<Map<string, string>> {
  const there = paths.filter((path) => isFile(cwd, path));
  if (there.length === 0) return new Map();
  const input = there.map((path) => `${lineOf(path)}\n`).join("");
  const output = await git(cwd, ["hash-object", "--stdin-paths"], { input });
  const lines = output.toString("latin1").trimEnd().split("\n");
  return new Map(there.map((path, at) => [path, lines[at] ?? ""]));
}

/** A line break, a quote in front, a byte that is no UTF-8: every byte as `\ooo`, which git reads back. */
function lineOf(path: string): string {
  if (!path.includes("\n") && !path.startsWith('"') && path.isWellFormed()) return path;
  const octal = [...encodePath(path)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`);
  return `"${octal.join("")}"`;
}

function isFile(cwd: string, path: string): boolean {
  const name = Buffer.concat([Buffer.from(join(cwd, "/")), encodePath(path)]);
  return lstatSync(name, { throwIfNoEntry: false })?.isFile() === true;
}
