import type { GraphNode } from "./types.js";

export interface NodeEntry {
  number: number;
  /** "" if it has none. */
  file: string;
  /** False if an update removed the node. */
  exists: boolean;
}

/** Every id that existed before an update or exists after it. */
export interface NodeTable {
  get(id: string): NodeEntry | undefined;
  exists(id: string): boolean;
}

/** What a graph has besides the part that is changed. */
export interface Outside {
  /** The files with nodes. */
  paths(): Iterable<string>;
  /** The file of a node, "" if it has none; undefined if there is no such node. */
  find(id: string): string | undefined;
  /** The same question about an id that was a node before the change: cheap, for the members of all layers. */
  isThere(id: string): boolean;
}

export const NOTHING_OUTSIDE: Outside = { paths: () => [], find: () => undefined, isThere: () => false };

export function createNodeTable(
  before: readonly GraphNode[],
  after: readonly GraphNode[],
  outside: Outside = NOTHING_OUTSIDE,
): NodeTable {
  const entries = new Map<string, NodeEntry | undefined>();
  for (const { id, filePath } of after) entries.set(id, { number: entries.size, file: filePath ?? "", exists: true });
  for (const { id, filePath } of before) {
    if (!entries.has(id)) entries.set(id, { number: entries.size, file: filePath ?? "", exists: false });
  }
  const get = (id: string): NodeEntry | undefined => {
    const known = entries.get(id);
    if (known !== undefined || entries.has(id)) return known;
    const file = outside.find(id);
    const made = file === undefined ? undefined : { number: entries.size, file, exists: true };
    entries.set(id, made);
    return made;
  };
  return { get, exists: (id) => get(id)?.exists === true };
}
