import { lstatSync } from "node:fs";
import { join } from "node:path";
import { encodePath } from "./paths.js";
import { git } from "./run.js";

/**
 * The blobs that the files of a work tree would be, through git's filters for their paths (eol, clean): what `git add`
 * would store. A path that is no regular file there is absent. `git hash-object --stdin-paths`: one name a line, and
 * one oid a line back; a name that holds a line break is asked for alone.
 */
export async function worktreeOids(cwd: string, paths: readonly string[]): Promise<Map<string, string>> {
  const there = paths.filter((path) => isFile(cwd, path));
  const odd = there.filter((path) => path.includes("\n") || path.startsWith('"') || !path.isWellFormed());
  const plain = there.filter((path) => !odd.includes(path));
  const oids = new Map<string, string>();
  if (plain.length > 0) {
    const output = await git(cwd, ["hash-object", "--stdin-paths"], { input: `${plain.join("\n")}\n` });
    const lines = output.toString("latin1").trimEnd().split("\n");
    plain.forEach((path, at) => {
      oids.set(path, lines[at] ?? "");
    });
  }
  for (const path of odd.filter((one) => one.isWellFormed())) {
    oids.set(path, (await git(cwd, ["hash-object", "--", path])).toString("latin1").trim());
  }
  return oids;
}

function isFile(cwd: string, path: string): boolean {
  const name = Buffer.concat([Buffer.from(join(cwd, "/")), encodePath(path)]);
  return lstatSync(name, { throwIfNoEntry: false })?.isFile() === true;
}
