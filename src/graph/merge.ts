import { structuralEdgeTypes } from "./edges.js";
import { edgeKey } from "./ids.js";
import { type Incoming, readIncoming } from "./incoming.js";
import { repairLayers } from "./layers.js";
import { placeInto } from "./placing.js";
import { keepProse, markForReview, withoutReview } from "./prose.js";
import { renameFiles } from "./rename.js";
import type { GraphEdge, GraphNode, KnowledgeGraph, TourStep } from "./types.js";
import type { GraphUpdate } from "./update.js";

export type { EdgeEnds, GraphUpdate, LayerShell } from "./update.js";

/**
 * The plain merge of the systems that we are compatible with: what the changed files said goes, together with every
 * edge that touches it; the new nodes and edges are appended; commit and time move on. No repairs: see `applyUpdate`.
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
  const pathOf = new Map(parts.nodes.map(({ id, filePath }) => [id, filePath]));
  dropForeignIds(incoming, pathOf);

  const nodes = mergeNodes(parts.nodes, incoming, update);
  const ids = new Set<string>();
  for (const { id, filePath } of nodes) {
    ids.add(id);
    pathOf.set(id, filePath);
  }
  const unlinked = new Set(
    update.unlinked?.map(({ source, target, type }) => edgeKey({ source: newId(source), target: newId(target), type })),
  );
  return {
    ...graph,
    project: { ...graph.project, gitCommitHash: update.commit, analyzedAt: update.at },
    nodes,
    edges: mergeEdges(parts.edges, incoming, { ids, pathOf, unlinked, structural: update.structural === true }),
    layers: repairLayers({
      before: parts.layers,
      given: incoming.layers,
      nodes,
      renamed: update.renamed,
      layerOf: update.layerOf ?? new Map(),
    }),
    tour: repairTour(incoming.tour ?? parts.tour, ids),
  };
}

/** An id that an untouched file's node has is not up for change, whatever path the delivered node claims. */
function dropForeignIds({ nodes, replaced }: Incoming, pathOf: ReadonlyMap<string, string | undefined>): void {
  for (const [id, node] of nodes) {
    const owner = pathOf.get(id);
    if (owner !== undefined && owner !== node.filePath && !replaced.has(owner)) nodes.delete(id);
  }
}

/** The node types that the structural analyzer speaks for. */
const structuralNodeTypes: ReadonlySet<string> = new Set(["file", "function", "class"]);

function mergeNodes(old: readonly GraphNode[], incoming: Incoming, update: GraphUpdate): GraphNode[] {
  const structural = update.structural === true;
  const driftOf = ({ filePath }: GraphNode) => (filePath === undefined ? undefined : update.drift?.get(filePath));
  const isForeign = (node: GraphNode) => structural && !structuralNodeTypes.has(node.type);
  const touched = (node: GraphNode) => node.filePath !== undefined && incoming.replaced.has(node.filePath);
  const placed = placeInto({
    old,
    incoming: incoming.nodes,
    keyOf: ({ id }) => id,
    fileOf: ({ filePath }) => filePath ?? "",
    stays: (node) =>
      node.filePath === undefined || (!incoming.deleted.has(node.filePath) && (!touched(node) || isForeign(node))),
    replace: (before, fresh) => (structural ? keepProse(before, fresh, driftOf(fresh)) : fresh),
  });
  return placed.map((node) => {
    if (node.filePath !== undefined && incoming.silent.has(node.filePath)) return withoutReview(node);
    return touched(node) && isForeign(node) ? markForReview(node, driftOf(node)) : node;
  });
}

interface EdgeMerge {
  ids: ReadonlySet<string>;
  pathOf: ReadonlyMap<string, string | undefined>;
  unlinked: ReadonlySet<string>;
  structural: boolean;
}

/** An edge belongs to the file of its source, and goes when that file is told anew. */
function mergeEdges(old: readonly GraphEdge[], incoming: Incoming, merge: EdgeMerge): GraphEdge[] {
  const { ids, pathOf, unlinked, structural } = merge;
  const hasEnds = ({ source, target }: GraphEdge) => ids.has(source) && ids.has(target);
  const isToldAnew = ({ source }: GraphEdge) => incoming.replaced.has(pathOf.get(source) ?? "");
  const isReplaced = (edge: GraphEdge) => isToldAnew(edge) && (!structural || structuralEdgeTypes.has(edge.type));
  return placeInto<GraphEdge>({
    old,
    incoming: new Map([...incoming.edges].filter(([, edge]) => hasEnds(edge))),
    keyOf: edgeKey,
    fileOf: ({ source, target }) => pathOf.get(source) ?? pathOf.get(target) ?? "",
    stays: (edge) => hasEnds(edge) && !isReplaced(edge) && (unlinked.size === 0 || !unlinked.has(edgeKey(edge))),
    replace: (before, fresh) => (structural || !isToldAnew(fresh) ? before : fresh),
  });
}

/** A step that lost everything it showed goes; one that never showed anything is text, and stays. */
function repairTour(tour: readonly TourStep[], ids: ReadonlySet<string>): TourStep[] {
  return tour.flatMap((step) => {
    if (step.nodeIds === undefined || step.nodeIds.every((id) => ids.has(id))) return [step];
    const nodeIds = step.nodeIds.filter((id) => ids.has(id));
    return nodeIds.length === 0 ? [] : [{ ...step, nodeIds }];
  });
}
