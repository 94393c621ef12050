import { blobSizes, blobsInWorktree, readBlobs } from "../git/blobs.js";
import { type FileKind, isBinary, kindByName } from "./kinds.js";
import type { FileRow } from "./rows.js";

export interface FileContent {
  path: string;
  oid: string;
}

/** Fewer files than this are read from the work tree faster than by a git process. */
const FEW = 10;
/** Larger files with an unknown extension are not read: they count as binary. */
const MOST_BYTES = 8 * 1024 * 1024;
const BATCH_BYTES = 32 * 1024 * 1024;

/**
 * Type and size of contents, both by blob: independent of the work tree and its line ends, so every clone has the same
 * row. A blob is only read if the name does not show whether it is text.
 */
export async function describe(cwd: string, contents: readonly FileContent[]): Promise<FileRow[]> {
  const here = contents.length < FEW ? blobsInWorktree(cwd, contents) : new Map<string, Buffer>();
  const sizes = new Map(Array.from(here, ([oid, { length }]) => [oid, length]));
  const elsewhere = contents.filter(({ oid }) => !here.has(oid)).map(({ oid }) => oid);
  for (const [oid, size] of await blobSizes(cwd, elsewhere)) sizes.set(oid, size);
  const isUnclear = ({ path, oid }: FileContent) => kindByName(path) === null && (sizes.get(oid) ?? 0) <= MOST_BYTES;
  const binaries = await findBinaries(cwd, contents.filter(isUnclear), sizes, here);
  return contents.map(({ path, oid }) => {
    const size = sizes.get(oid) ?? null;
    const byContent: FileKind = binaries.has(oid) || (size ?? 0) > MOST_BYTES ? "binary" : "text";
    return { path, oid, type: kindByName(path) ?? byContent, size };
  });
}

async function findBinaries(
  cwd: string,
  unclear: readonly FileContent[],
  sizes: ReadonlyMap<string, number>,
  here: ReadonlyMap<string, Buffer>,
): Promise<Set<string>> {
  const binaries = new Set<string>();
  const note = (blobs: ReadonlyMap<string, Buffer>) => {
    for (const [oid, content] of blobs) if (isBinary(content)) binaries.add(oid);
  };
  note(here);
  let batch: string[] = [];
  let bytes = 0;
  for (const { oid } of unclear.filter((one) => !here.has(one.oid))) {
    batch.push(oid);
    bytes += sizes.get(oid) ?? 0;
    if (bytes < BATCH_BYTES) continue;
    note(await readBlobs(cwd, batch));
    batch = [];
    bytes = 0;
  }
  note(await readBlobs(cwd, batch));
  return binaries;
}
