import { git } from "./run.js";

/** A path of a commit. Neither holds a line break. */
export interface Lookup {
  commit: string;
  path: string;
}

export interface FoundObject {
  oid: string;
  type: "blob" | "tree";
}

export const lookupKey = ({ commit, path }: Lookup): string => `${commit}:${path}`;

/**
 * What stands at paths of any commits, by `lookupKey`; what is not there is not in the map. One process for all. Links inside of the tree are
 * followed; nothing outside of it is looked at.
 */
export async function lookUp(cwd: string, wanted: readonly Lookup[]): Promise<Map<string, FoundObject>> {
  const keys = [...new Set(wanted.map(lookupKey))];
  if (keys.length === 0) return new Map();
  const output = await git(cwd, ["cat-file", "--batch-check=%(objectname) %(objecttype)", "--follow-symlinks"], {
    input: `${keys.join("\n")}\n`,
  });
  return parseLookups(output, keys);
}

/**
 * One answer for each line of input (git-cat-file(1), "BATCH OUTPUT"): `<oid> blob`, `<object> missing`, `<oid> submodule`, or, where a link
 * leads nowhere or out of the tree, `symlink <size>\n<path>`, and `dangling`, `loop`, `notdir` in the same form.
 */
export function parseLookups(output: Buffer, keys: readonly string[]): Map<string, FoundObject> {
  const found = new Map<string, FoundObject>();
  let at = 0;
  for (const key of keys) {
    const end = output.indexOf(0x0a, at);
    if (end < 0) throw new Error("git cat-file: fewer answers than questions");
    const line = output.toString("utf8", at, end);
    at = end + 1;
    const [, oid, type] = /^([0-9a-f]{40,64}) (blob|tree)$/.exec(line) ?? [];
    const [, size] = /^(?:symlink|dangling|loop|notdir) (\d+)$/.exec(line) ?? [];
    if (oid !== undefined) found.set(key, { oid, type: type === "tree" ? "tree" : "blob" });
    else if (size !== undefined) at += Number(size) + 1;
  }
  return found;
}
