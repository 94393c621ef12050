import type { GraphEdge, GraphNode, KnowledgeGraph } from "./types.js";
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

export function sliceAnalysis(graph: KnowledgeGraph, path: string): FileAnalysis | undefined {
  return sliceSome(graph, new Set([path])).get(path);
}

/** The analyses of a few files, without slicing the whole graph. */
export function sliceSome(graph: KnowledgeGraph, paths: ReadonlySet<string>): Map<string, FileAnalysis> {
  if (paths.size > FEW) return sliceAll(graph);
  const own = new Set<string>();
  for (const { id, filePath } of graph.nodes) if (filePath !== undefined && paths.has(filePath)) own.add(id);
  const edges = own.size === 0 ? [] : graph.edges.filter(({ source, target }) => own.has(source) || own.has(target));
  const ends = new Set(edges.flatMap(({ source, target }) => [source, target]));
  const nodes = graph.nodes.filter(({ id }) => own.has(id) || ends.has(id));
  return new Map([...sliceAll({ ...graph, nodes, edges })].filter(([path]) => paths.has(path)));
}

const FEW = 100;

/** The analyses of all files, in one pass; each keeps the order of the graph. */
export function sliceAll(graph: KnowledgeGraph): Map<string, FileAnalysis> {
  const slices = new Map<string, FileAnalysis>();
  const pathOf = new Map<string, string>();
  for (const node of graph.nodes) {
    if (node.filePath === undefined) continue;
    pathOf.set(node.id, node.filePath);
    const slice = slices.get(node.filePath);
    if (slice) slice.nodes.push(node);
    else slices.set(node.filePath, { nodes: [node], edges: [], inboundFrom: [] });
  }
  addEdges(graph.edges, slices, pathOf);
  for (const { nodeIds, ...shell } of graph.layers) {
    for (const id of nodeIds) {
      const slice = slices.get(pathOf.get(id) ?? "");
      if (slice && id.startsWith("file:")) slice.layer ??= shell as LayerShell;
    }
  }
  return slices;
}

function addEdges(
  edges: readonly GraphEdge[],
  slices: ReadonlyMap<string, FileAnalysis>,
  pathOf: ReadonlyMap<string, string>,
): void {
  const inbound = new Map<string, Set<string>>();
  for (const edge of edges) {
    const from = pathOf.get(edge.source);
    const to = pathOf.get(edge.target);
    slices.get(from ?? to ?? "")?.edges.push(edge);
    if (from === undefined || to === undefined || from === to) continue;
    const sources = inbound.get(to);
    if (sources) sources.add(from);
    else inbound.set(to, new Set([from]));
  }
  for (const [path, sources] of inbound) {
    const slice = slices.get(path);
    if (slice) slice.inboundFrom = [...sources].sort();
  }
}
