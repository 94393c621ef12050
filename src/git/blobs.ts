import { lstatSync, statSync } from "node:fs";
import { MOST_DATA_BYTES, readRegularFile } from "../platform/read-file.js";
import { encodePath } from "./paths.js";
import { git, isRefusal } from "./run.js";

/**
 * The contents of blobs, by oid; a missing blob (collected, or never fetched by a partial clone) is not in the map. One
 * process for all of them.
 */
export async function readBlobs(cwd: string, oids: readonly string[]): Promise<Map<string, Buffer>> {
  return ofPresent(cwd, oids, async (wanted) => parseBatch(await catFile(cwd, "--batch", wanted)));
}

/** The size of each blob; a missing one is not in the map. */
export async function blobSizes(cwd: string, oids: readonly string[]): Promise<Map<string, number>> {
  return ofPresent(cwd, oids, async (wanted) => {
    const output = await catFile(cwd, "--batch-check=%(objectname) %(objectsize)", wanted);
    const lines = output.toString("latin1").trimEnd().split("\n");
    return new Map(
      lines.flatMap((line) => {
        const [oid = "", size = ""] = line.split(" ");
        return /^\d+$/.test(size) ? [[oid, Number(size)] as const] : []; // `<oid> missing`
      }),
    );
  });
}

async function ofPresent<T>(
  cwd: string,
  oids: readonly string[],
  ask: (oids: readonly string[]) => Promise<Map<string, T>>,
): Promise<Map<string, T>> {
  const wanted = [...new Set(oids)];
  if (wanted.length === 0) return new Map();
  try {
    return await ask(wanted);
  } catch (error) {
    // At the first blob that a partial clone never fetched, cat-file does not print `missing`: it exits with an error.
    if (!isRefusal(error) || !/could not fetch|lazy fetching/.test(error.stderr)) throw error;
    const here = await presentObjects(cwd, wanted);
    return here.length === 0 ? new Map() : ask(here);
  }
}

/**
 * Blobs whose exact bytes are in the work tree, checked by their oid: right after a commit that is most of them, and a
 * file is cheaper than a process. A file that differs by a byte, or by its line ends, is not the blob.
 */
export function blobsInWorktree(cwd: string, wanted: readonly { path: string; oid: string }[]): Map<string, Buffer> {
  const blobs = new Map<string, Buffer>();
  for (const { path, oid } of wanted) {
    const content = plainFile(cwd, path);
    if (content !== null && isBlob(content, oid)) blobs.set(oid, content);
  }
  return blobs;
}

/** git's oid of this content, without filters; `digits`: 64 in a sha256 repository. */
export function blobOid(content: Buffer, digits: number): string {
  const { hash } = process.getBuiltinModule("node:crypto"); // 4 ms that many callers do not need
  return hash(
    digits === 64 ? "sha256" : "sha1",
    Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]),
    "hex",
  );
}

/** The same for a file of any size, in parts. */
export function fileBlobOid(path: string, chunks: Iterable<Buffer>, digits: number): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  const hash = createHash(digits === 64 ? "sha256" : "sha1").update(`blob ${statSync(path).size}\0`);
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest("hex");
}

/** The content of a regular file in a work tree; null if it cannot be read. */
export function plainFile(cwd: string, path: string): Buffer | null {
  const file = Buffer.concat([Buffer.from(`${cwd}/`), encodePath(path)]);
  try {
    return lstatSync(file).isFile() ? readRegularFile(file, { most: MOST_DATA_BYTES }) : null;
  } catch {
    return null; // git reports what it is
  }
}

function isBlob(content: Buffer, oid: string): boolean {
  return blobOid(content, oid.length) === oid;
}

/**
 * The blob that git makes of a work-tree file, from its bytes or with converted line ends; null: other filters are
 * needed.
 */
export function asBlob(content: Buffer, oid: string): Buffer | null {
  if (isBlob(content, oid)) return content;
  const converted = Buffer.from(content.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  return isBlob(converted, oid) ? converted : null;
}

function catFile(cwd: string, flag: string, oids: readonly string[]): Promise<Buffer> {
  return git(cwd, ["cat-file", flag], { input: `${oids.join("\n")}\n` });
}

/** The objects that this clone has, `<oid> \n` each. --missing=… keeps rev-list from fetching the others. */
async function presentObjects(cwd: string, oids: readonly string[]): Promise<string[]> {
  const args = ["rev-list", "--no-walk", "--objects", "--ignore-missing", "--missing=allow-any", "--stdin"];
  const output = await git(cwd, args, { input: `${oids.join("\n")}\n` });
  return output
    .toString("latin1")
    .split("\n")
    .flatMap((line) => line.split(" ", 1)[0] || []);
}

/** `<oid> blob <size>\n<contents>\n`, or `<oid> missing\n` (git-cat-file(1), "BATCH OUTPUT"). */
export function parseBatch(output: Buffer): Map<string, Buffer> {
  const blobs = new Map<string, Buffer>();
  let at = 0;
  while (at < output.length) {
    const end = output.indexOf(0x0a, at);
    const header = output.toString("latin1", at, end < 0 ? output.length : end);
    const [oid = "", type, size] = header.split(" ");
    at = end < 0 ? output.length : end + 1;
    if (type === "missing") continue;
    const length = Number(size);
    if (!Number.isSafeInteger(length) || at + length > output.length) {
      throw new Error(`git cat-file: unexpected output: ${header}`);
    }
    if (type === "blob") blobs.set(oid, output.subarray(at, at + length));
    at += length + 1;
  }
  return blobs;
}
