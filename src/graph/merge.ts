import { mergeEdges } from "./edge-merge.js";
import { structuralNodeTypes } from "./ids.js";
import { type Incoming, readIncoming } from "./incoming.js";
import { repairLayers } from "./layers.js";
import { createNodeTable } from "./node-table.js";
import { placeInto } from "./placing.js";
import { keepProse, markForReview, withoutReview } from "./prose.js";
import { renameFiles } from "./rename.js";
import type { GraphEdge, GraphNode, KnowledgeGraph, TourStep } from "./types.js";
import type { GraphUpdate } from "./update.js";

export type { GraphUpdate, LayerShell } from "./update.js";

/**
 * The plain merge of the systems that we are compatible with: what the changed files said goes, together with every
 * edge that touches it; the new nodes and edges are appended; commit and time move on. No repairs: see `applyUpdate`.
 *
 * @example mergeGraphUpdate(graph, ["src/a.ts"], nodes, edges, commit)
 */
export function mergeGraphUpdate(
  existingGraph: KnowledgeGraph,
  changedFilePaths: string[],
  newNodes: GraphNode[],
  newEdges: GraphEdge[],
  newCommitHash: string,
): KnowledgeGraph {
  const changed = new Set(changedFilePaths);
  const kept: GraphNode[] = [];
  const removed = new Set<string>();
  for (const node of existingGraph.nodes) {
    if (node.filePath !== undefined && changed.has(node.filePath)) removed.add(node.id);
    else kept.push(node);
  }
  const untouched = existingGraph.edges.filter(({ source, target }) => !removed.has(source) && !removed.has(target));
  return {
    ...existingGraph,
    project: { ...existingGraph.project, gitCommitHash: newCommitHash, analyzedAt: new Date().toISOString() },
    // A node without a path can carry the id of one that has it: the id decides, as in the systems we follow.
    nodes: [...kept.filter(({ id }) => !removed.has(id)), ...newNodes],
    edges: [...untouched, ...newEdges],
  };
}

/**
 * The merge with all repairs: ids that exist again keep the edges that untouched files have to them; nothing is there
 * twice, nothing dangles, every file is in one layer; what nobody spoke about stays byte for byte and in its place.
 */
export function applyUpdate(graph: KnowledgeGraph, update: GraphUpdate): KnowledgeGraph {
  const incoming = readIncoming(update);
  const { parts, newId } = renameFiles(graph, update.renamed);
  dropForeignIds(incoming, parts.nodes);
  const nodes = mergeNodes(parts.nodes, incoming, update);
  const table = createNodeTable(parts.nodes, nodes);
  const edges = mergeEdges(parts.edges, incoming.edges, {
    table,
    replaced: incoming.replaced,
    unlinked: (update.unlinked ?? []).map(({ source, target, type }) => ({
      source: newId(source),
      target: newId(target),
      type,
    })),
    structural: update.structural === true,
  });
  const layers = repairLayers({
    before: parts.layers,
    given: incoming.layers,
    nodes,
    exists: table.exists,
    renamed: update.renamed,
    layerOf: update.layerOf ?? new Map(),
  });
  return {
    ...graph,
    project: { ...graph.project, gitCommitHash: update.commit, analyzedAt: update.at },
    nodes,
    edges,
    layers,
    tour: repairTour(incoming.tour ?? parts.tour, table.exists),
  };
}

/** An id that an untouched file's node has is not up for change, whatever path the delivered node claims. */
function dropForeignIds({ nodes, replaced }: Incoming, old: readonly GraphNode[]): void {
  for (const { id, filePath } of old) {
    const claimed = nodes.get(id);
    if (claimed !== undefined && filePath !== undefined && filePath !== claimed.filePath && !replaced.has(filePath)) {
      nodes.delete(id);
    }
  }
}

function mergeNodes(old: readonly GraphNode[], incoming: Incoming, update: GraphUpdate): GraphNode[] {
  const structural = update.structural === true;
  const driftOf = ({ filePath }: GraphNode) => (filePath === undefined ? undefined : update.drift?.get(filePath));
  const isForeign = (node: GraphNode) => structural && !structuralNodeTypes.has(node.type);
  const touched = (node: GraphNode) => node.filePath !== undefined && incoming.replaced.has(node.filePath);
  const placed = placeInto({
    old,
    incoming: [...incoming.nodes.values()],
    placeOf: ({ id, filePath }) => ({ key: id, file: filePath ?? "" }),
    stays: (node) =>
      node.filePath === undefined || (!incoming.deleted.has(node.filePath) && (!touched(node) || isForeign(node))),
    replace: (before, fresh) => (structural ? keepProse(before, fresh, driftOf(fresh)) : fresh),
  });
  return placed.map((node) => {
    if (node.filePath !== undefined && incoming.silent.has(node.filePath)) return withoutReview(node);
    return touched(node) && isForeign(node) ? markForReview(node, driftOf(node)) : node;
  });
}

/** A step that lost everything it showed goes; one that never showed anything is text, and stays. */
export function repairTour(tour: readonly TourStep[], exists: (id: string) => boolean): TourStep[] {
  return tour.flatMap((step) => {
    if (step.nodeIds === undefined || step.nodeIds.every(exists)) return [step];
    const nodeIds = step.nodeIds.filter(exists);
    return nodeIds.length === 0 ? [] : [{ ...step, nodeIds }];
  });
}
