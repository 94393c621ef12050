import { fileId } from "../graph/ids.js";
import { changeGraph, type GraphUpdate } from "../graph/merge.js";
import type { Outside } from "../graph/node-table.js";
import { byText } from "../graph/order.js";
import { type GraphPiece, NO_FILE } from "../graph/pieces.js";
import type { GraphEdge, GraphNode } from "../graph/types.js";
import { pathInId } from "./links-table.js";
import type { StoredGraph } from "./stored-graph.js";

/** Changes some files of a stored graph. Only what the update can touch is read. */
export function applyToStored(graph: StoredGraph, update: GraphUpdate): void {
  const { touched, gone } = touchedBy(graph, update);
  const losing = ownersOf(graph, gone).filter((path) => !touched.has(path));
  // An edge to a node of a renamed file is led to its new id, together with the file.
  const isApart = update.renamed.length === 0;
  if (!isApart) for (const path of losing) touched.add(path);
  const paths = [...touched].sort(byText);
  const pieces = paths.map((path) => graph.piece(path));
  const part = {
    ...graph.head,
    nodes: pieces.flatMap(({ nodes }) => nodes),
    edges: pieces.flatMap(({ edges }) => edges),
  };
  const { nodes, edges, ...head } = changeGraph(part, update, outsideOf(graph, touched));
  const after = piecesOf(graph, nodes, edges);
  for (const path of new Set([...paths, ...after.keys()])) {
    graph.put(path, after.get(path) ?? null, graph.sourceOf(path) ?? "found");
  }
  if (isApart)
    dropEdges(graph, losing, new Set([...gone.values()].flat().filter((id) => graph.pathOf(id) === undefined)));
  graph.setHead(head);
}

/** All files may use one node: each loses its edges to it by itself, so that their pieces are not in memory together. */
function dropEdges(graph: StoredGraph, owners: readonly string[], gone: ReadonlySet<string>): void {
  if (gone.size === 0) return;
  for (const path of owners) {
    const { nodes, edges } = graph.piece(path);
    const kept = edges.filter(({ source, target }) => !gone.has(source) && !gone.has(target));
    if (kept.length < edges.length) graph.put(path, { nodes, edges: kept }, graph.sourceOf(path) ?? "found");
  }
}

/** `touched`: the files that the update names, and that own an edge of it. `gone`: by file, the nodes that it removes. */
function touchedBy(graph: StoredGraph, update: GraphUpdate): { touched: Set<string>; gone: Map<string, string[]> } {
  const moved = update.renamed.flatMap(({ from, to }) => [from, to]);
  const named = new Set([...update.files, ...update.deleted, ...moved]);
  const touched = new Set(named);
  const arriving = new Map(update.nodes.map(({ id, filePath }) => [id, filePath ?? NO_FILE]));
  const find = (id: string) => arriving.get(id) ?? graph.pathOf(id);
  for (const { id, filePath } of update.nodes) {
    if (filePath === undefined) touched.add(NO_FILE);
    const owner = filePath !== undefined && pathInId(id) === filePath ? undefined : graph.pathOf(id);
    if (owner !== undefined) touched.add(owner);
  }
  for (const { source, target } of [...update.edges, ...(update.unlinked ?? [])]) {
    touched.add(find(source) || find(target) || NO_FILE);
  }
  const gone = new Map<string, string[]>();
  for (const path of named) {
    const ids = [...graph.idsIn(path)].filter((id) => arriving.get(id) !== path);
    if (ids.length > 0) gone.set(path, ids);
  }
  return { touched, gone };
}

/** The files with edges to these nodes. */
function ownersOf(graph: StoredGraph, gone: ReadonlyMap<string, readonly string[]>): string[] {
  const owners = new Set<string>();
  for (const [path, ids] of gone) for (const owner of graph.withEdgesTo(path, ids)) owners.add(owner);
  return [...owners].sort(byText);
}

function outsideOf(graph: StoredGraph, touched: ReadonlySet<string>): Outside {
  // Every file node is in a layer.
  const files = new Set<string>();
  for (const { nodeIds } of graph.head.layers) for (const id of nodeIds) if (isFileId(id)) files.add(id);
  const isElsewhere = (path: string | undefined) => path !== undefined && !touched.has(path);
  return {
    *paths() {
      for (const id of files) {
        const path = pathInId(id);
        if (path !== undefined && !touched.has(path)) yield path;
      }
    },
    find: (id) => {
      const path = graph.pathOf(id);
      return isElsewhere(path) ? path : undefined;
    },
    isThere: (id) => (isFileId(id) ? files.has(id) && isElsewhere(pathInId(id)) : isElsewhere(graph.pathOf(id))),
  };
}

const isFileId = (id: string) => id.startsWith(fileId(""));

function piecesOf(
  graph: StoredGraph,
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
): Map<string, GraphPiece> {
  const pieces = new Map<string, GraphPiece>();
  const pathOf = new Map<string, string>();
  const pieceAt = (path: string) => {
    const known = pieces.get(path) ?? { nodes: [], edges: [] };
    pieces.set(path, known);
    return known;
  };
  for (const node of nodes) {
    pathOf.set(node.id, node.filePath ?? NO_FILE);
    pieceAt(node.filePath ?? NO_FILE).nodes.push(node);
  }
  const find = (id: string) => pathOf.get(id) ?? graph.pathOf(id);
  for (const edge of edges) pieceAt(find(edge.source) || find(edge.target) || NO_FILE).edges.push(edge);
  return pieces;
}
