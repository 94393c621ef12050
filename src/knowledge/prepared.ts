import { isPassing } from "../fingerprint/content.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import { nodesOfFile } from "../graph/build.js";
import { canonicalPiece, elementsText } from "../graph/pieces.js";
import { packedEntry } from "./fingerprint-file.js";
import { pathInId } from "./links-table.js";
import { pack } from "./packed.js";
import { type UsedNames, usedNamesOf } from "./used-names.js";

/** What is stored of a file that was parsed, as text: made where it was parsed, so that the main thread only writes it. */
export interface PreparedFile {
  path: string;
  oid: string;
  /** The fingerprint; null for one that is not stored. */
  row: ({ extractor: string; data: string } & UsedNames) | null;
  /** The fingerprint of a file that may be read better another day; null for all others. */
  passing: FileFingerprint | null;
  /** The file's part of fingerprints.json, packed. */
  entry: Uint8Array;
  /** The file's nodes in the graph, packed; null if one of their ids does not say which file it is of. */
  nodes: Uint8Array | null;
}

export function prepareFile(made: FileFingerprint & { blobOid: string }): PreparedFile {
  const { filePath: path, blobOid: oid, ...fact } = made;
  const nodes = nodesOfFile(path, made);
  const isPlain = nodes.every(({ id }) => pathInId(id) === path);
  const isKept = !isPassing(made.reason);
  return {
    ...{ path, oid, passing: isKept ? null : made },
    row: isKept ? { extractor: made.extractor, data: JSON.stringify(fact), ...usedNamesOf(made) } : null,
    entry: packedEntry(made),
    nodes: isPlain ? packedNodes(nodes) : null,
  };
}

export function packedNodes(nodes: ReturnType<typeof nodesOfFile>): Buffer {
  return pack(elementsText(canonicalPiece({ nodes, edges: [] }).nodes));
}

/** What moves to another thread in place of being copied. */
export function buffersOf({ row, entry, nodes }: PreparedFile): ArrayBuffer[] {
  const all = [entry, nodes, row?.identifiers ?? null];
  return all.flatMap((bytes) => (bytes === null ? [] : [bytes.buffer as ArrayBuffer]));
}
