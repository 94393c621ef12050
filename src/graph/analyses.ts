import type { GraphEdge, GraphNode } from "./types.js";
import type { LayerShell } from "./update.js";

/**
 * What a graph contains about one file. It is stored by path and blob oid, and restored when that content is checked
 * out again. An edge belongs to the file of its source: it holds as long as that file is unchanged. An edge whose
 * source has no file (a concept that explains a function) belongs to the file of its target.
 */
export interface FileAnalysis {
  nodes: GraphNode[];
  edges: GraphEdge[];
  /** The layer of the file node, without its members. */
  layer?: LayerShell;
  /**
   * Other files with edges into this one, sorted. Those edges belong to the other files: when this file is restored,
   * offer the edges of their analyses too; the ones whose two ends exist again are valid.
   */
  inboundFrom: string[];
}

/** For one that is read from the database. Nodes and edges were checked when they were delivered or built. */
export function isFileAnalysis(value: unknown): value is FileAnalysis {
  if (typeof value !== "object" || value === null) return false;
  const { nodes, edges, inboundFrom } = value as Record<string, unknown>;
  const isList = (list: unknown, key: string) =>
    Array.isArray(list) && list.every((one: unknown) => typeof Object(one)[key] === "string");
  return (
    isList(nodes, "id") &&
    isList(edges, "source") &&
    isList(edges, "target") &&
    Array.isArray(inboundFrom) &&
    inboundFrom.every((path) => typeof path === "string")
  );
}
