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
  readonly size: number;
  get(id: string): NodeEntry | undefined;
  exists(id: string): boolean;
}

export function createNodeTable(before: readonly GraphNode[], after: readonly GraphNode[]): NodeTable {
  const entries = new Map<string, NodeEntry>();
  for (const { id, filePath } of after) entries.set(id, { number: entries.size, file: filePath ?? "", exists: true });
  for (const { id, filePath } of before) {
    if (!entries.has(id)) entries.set(id, { number: entries.size, file: filePath ?? "", exists: false });
  }
  return {
    size: entries.size,
    get: (id) => entries.get(id),
    exists: (id) => entries.get(id)?.exists === true,
  };
}
