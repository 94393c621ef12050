import type { FileAnalysis } from "./analyses.js";
import { topLayer } from "./layers.js";
import { baseOf } from "./resolve/file-index.js";
import type { GraphEdge, GraphNode, Layer, TourStep } from "./types.js";

export interface GraphParts {
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
  layers: readonly Layer[];
  tour: readonly TourStep[];
}

/** Renames files everywhere: ids, edges, layer members and tour. Two files may swap names. */
export function renameFiles<T extends GraphParts>(
  parts: T,
  renamed: readonly { from: string; to: string }[],
): { parts: T | (T & GraphParts); newId: (id: string) => string } {
  if (renamed.length === 0) return { parts, newId: (id) => id };
  const present = new Set(parts.nodes.map(({ filePath }) => filePath));
  const targets = new Map(
    renamed.filter(({ from, to }) => from !== to && present.has(from)).map(({ from, to }) => [from, to]),
  );
  if (targets.size === 0) return { parts, newId: (id) => id };

  const overwritten = new Set([...targets.values()].filter((path) => !targets.has(path)));
  const lost = new Set<string>();
  const ids = new Map<string, string>();
  const nodes: GraphNode[] = [];
  for (const node of parts.nodes) {
    const to = node.filePath === undefined ? undefined : targets.get(node.filePath);
    if (node.filePath !== undefined && to !== undefined) {
      const moved = moveNode(node, node.filePath, to);
      ids.set(node.id, moved.id);
      nodes.push(moved);
    } else if (node.filePath !== undefined && overwritten.has(node.filePath)) lost.add(node.id);
    else nodes.push(node);
  }
  const newId = (id: string) => ids.get(id) ?? id;
  const moveMembers = <G extends { nodeIds: string[] }>(group: G): G =>
    group.nodeIds?.some((id) => ids.has(id) || lost.has(id))
      ? { ...group, nodeIds: group.nodeIds.filter((id) => !lost.has(id)).map(newId) }
      : group;
  const moved: GraphParts = {
    nodes,
    edges: parts.edges.filter(({ source }) => !lost.has(source)).map((edge) => moveEdge(edge, newId)),
    layers: parts.layers.map(moveMembers),
    tour: parts.tour.map(moveMembers),
  };
  return { parts: { ...parts, ...moved }, newId };
}

/** The analysis of one file under another path. Ids of other files do not change. */
export function moveAnalysis(analysis: FileAnalysis, from: string, to: string): FileAnalysis {
  const nodes = analysis.nodes.map((node) => moveNode(node, from, to));
  const ids = new Map(analysis.nodes.map(({ id }, at) => [id, nodes[at]?.id ?? id]));
  const edges = analysis.edges.map((edge) => moveEdge(edge, (id) => ids.get(id) ?? id));
  // A file that leaves its top directory also leaves that directory's layer.
  const { layer, ...rest } = analysis;
  const leaves = layer?.id === topLayer(from).id && topLayer(to).id !== layer.id;
  return { ...rest, nodes, edges, ...(layer === undefined || leaves ? {} : { layer }) };
}

/** A node of a file under the file's new path. */
export function moveNode(node: GraphNode, from: string, to: string): GraphNode {
  const name = node.name === baseOf(from) ? baseOf(to) : node.name;
  return { ...node, id: moveId(node.id, from, to), name, filePath: to };
}

/** `<kind>:<path>` and `<kind>:<path>:<name>`, for every kind. */
export function moveId(id: string, from: string, to: string): string {
  const start = id.indexOf(":") + 1;
  const end = start + from.length;
  const carriesPath = start > 0 && id.startsWith(from, start) && (end === id.length || id[end] === ":");
  return carriesPath ? id.slice(0, start) + to + id.slice(end) : id;
}

function moveEdge(edge: GraphEdge, newId: (id: string) => string): GraphEdge {
  const [source, target] = [newId(edge.source), newId(edge.target)];
  return source === edge.source && target === edge.target ? edge : { ...edge, source, target };
}
