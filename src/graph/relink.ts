import { edgesOfFile } from "./edges.js";
import type { EdgeContext } from "./heritage.js";
import { edgeKey } from "./ids.js";
import { byText } from "./order.js";
import type { GraphEdge } from "./types.js";
import type { EdgeEnds } from "./update.js";

/** All files at one moment, and where names led then. */
export interface Snapshot extends EdgeContext {
  paths: Iterable<string>;
}

/**
 * An unchanged file's import can lead elsewhere because another file came, went or lost a class. These are the edges of
 * files that the update does not speak for, before and after: what no longer holds, and what holds now (for each such
 * file all of its edges, so that the new ones find their place).
 */
export function relink(
  before: Snapshot,
  after: Snapshot,
  update: { files: Iterable<string>; renamed: Iterable<{ from: string; to: string }> },
): { edges: GraphEdge[]; unlinked: EdgeEnds[] } {
  const spokenFor = new Set(update.files);
  const formerPath = new Map([...update.renamed].map(({ from, to }) => [to, from]));
  const edges: GraphEdge[] = [];
  const unlinked: EdgeEnds[] = [];
  for (const path of [...after.paths].sort(byText)) {
    if (spokenFor.has(path)) continue;
    const old = edgesAt(before, formerPath.get(path) ?? path);
    const now = edgesAt(after, path);
    const nowKeys = new Set(now.map(edgeKey));
    const oldKeys = new Set(old.map(edgeKey));
    if (old.length === now.length && [...nowKeys].every((key) => oldKeys.has(key))) continue;
    edges.push(...now);
    unlinked.push(...old.filter((edge) => !nowKeys.has(edgeKey(edge))));
  }
  return { edges, unlinked: unlinked.map(({ source, target, type }) => ({ source, target, type })) };
}

function edgesAt(snapshot: Snapshot, path: string): GraphEdge[] {
  const fp = snapshot.fingerprintOf(path);
  return fp === undefined ? [] : edgesOfFile(path, fp, snapshot);
}
