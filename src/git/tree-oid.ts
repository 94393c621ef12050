import { encodePath } from "./paths.js";
import { DIRECTORY, type TreeEntry } from "./trees.js";

/**
 * The oid that git would give to a tree of these files, without writing an object: for a directory with uncommitted
 * changes. An entry is `<mode> <name>\0<oid>` (see `git cat-file tree`), in the order of names, where a directory's
 * name ends with a slash. Paths are relative to the directory.
 */
export function treeOid(entries: Iterable<TreeEntry>): string | null {
  const files = [...entries];
  const algorithm = files.some(({ oid }) => oid.length === 64) ? "sha256" : "sha1";
  return files.length === 0 ? null : hashTree(files, algorithm);
}

function hashTree(entries: readonly TreeEntry[], algorithm: "sha1" | "sha256"): string {
  const folders = new Map<string, TreeEntry[]>();
  const here: TreeEntry[] = [];
  for (const entry of entries) {
    const slash = entry.path.indexOf("/");
    if (slash < 0) here.push(entry);
    else {
      const name = entry.path.slice(0, slash);
      const inside = folders.get(name) ?? [];
      inside.push({ ...entry, path: entry.path.slice(slash + 1) });
      folders.set(name, inside);
    }
  }
  for (const [path, inside] of folders) here.push({ path, mode: DIRECTORY, oid: hashTree(inside, algorithm) });
  const sorted = here.map((entry) => ({ entry, key: sortKey(entry) })).sort((a, b) => Buffer.compare(a.key, b.key));
  const body = Buffer.concat(
    sorted.flatMap(({ entry: { mode, path, oid } }) => [
      Buffer.from(`${mode.replace(/^0/, "")} `),
      encodePath(path),
      Buffer.from([0]),
      Buffer.from(oid, "hex"),
    ]),
  );
  return process
    .getBuiltinModule("node:crypto")
    .createHash(algorithm)
    .update(`tree ${body.length}\0`)
    .update(body)
    .digest("hex");
}

function sortKey({ path, mode }: TreeEntry): Buffer {
  return encodePath(mode === DIRECTORY ? `${path}/` : path);
}
