import { keepDescriptions, keptText, withoutReview } from "./descriptions.js";
import { mergeEdges } from "./edge-merge.js";
import { isStructuralNode } from "./ids.js";
import { type Incoming, readIncoming } from "./incoming.js";
import { languageOf } from "./language.js";
import { repairLayers, tidyLayers } from "./layers.js";
import { createNodeTable, type Outside } from "./node-table.js";
import { insertSorted } from "./order.js";
import { placeInto } from "./placing.js";
import { renameFiles } from "./rename.js";
import type { GraphHead, GraphNode, KnowledgeGraph, TourStep } from "./types.js";
import type { GraphUpdate } from "./update.js";

export type { GraphUpdate, LayerShell } from "./update.js";

/** All that the plain merge reads: the callers' own types of graph pass through it. */
interface AnyGraph {
  project: object;
  nodes: readonly { id: string; filePath?: string | undefined }[];
  edges: readonly { source: string; target: string }[];
}

/**
 * The same merge as in the compatible systems: removes the nodes of the changed files and every edge that touches them,
 * appends the new nodes and edges, and sets commit and time. No repairs: see `applyUpdate`.
 *
 * @example mergeGraphUpdate(graph, ["src/a.ts"], nodes, edges, commit)
 */
export function mergeGraphUpdate<Graph extends AnyGraph>(
  existingGraph: Graph,
  changedFilePaths: readonly string[],
  newNodes: Graph["nodes"],
  newEdges: Graph["edges"],
  newCommitHash: string,
): Graph {
  const changed = new Set(changedFilePaths);
  const kept: Graph["nodes"][number][] = [];
  const removed = new Set<string>();
  for (const node of existingGraph.nodes) {
    if (node.filePath !== undefined && changed.has(node.filePath)) removed.add(node.id);
    else kept.push(node);
  }
  const untouched = existingGraph.edges.filter(({ source, target }) => !removed.has(source) && !removed.has(target));
  return {
    ...existingGraph,
    project: { ...existingGraph.project, gitCommitHash: newCommitHash, analyzedAt: new Date().toISOString() },
    // A node without a path can have the id of a node with one: the id decides, as in the compatible systems.
    nodes: [...kept.filter(({ id }) => !removed.has(id)), ...newNodes],
    edges: [...untouched, ...newEdges],
  };
}

/** Without empty layers, and without a tour to nodes that do not exist. */
export function tidyGroups<T extends GraphHead>(head: T, exists: (id: string) => boolean): T {
  return { ...head, layers: tidyLayers(head.layers), tour: repairTour(head.tour, exists) };
}

/**
 * The same for a part of a graph: the nodes and edges that the update can touch, and the whole head; `outside` knows the rest. Empty layers, and
 * what a tour says of missing nodes, stay: they can come back.
 */
export function changeGraph(graph: KnowledgeGraph, update: GraphUpdate, outside: Outside): KnowledgeGraph {
  const incoming = readIncoming(update);
  const { parts, newId } = renameFiles(graph, update.renamed);
  dropForeignIds(incoming, parts.nodes);
  const nodes = mergeNodes(parts.nodes, incoming, update);
  const table = createNodeTable(parts.nodes, nodes, outside);
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
    isElsewhere: outside.isThere,
    renamed: update.renamed,
    layerOf: update.layerOf ?? new Map(),
  });
  return {
    ...graph,
    project: {
      ...graph.project,
      ...languagesAfter(graph, nodes, update, outside),
      gitCommitHash: update.commit,
      analyzedAt: update.at,
    },
    nodes,
    edges,
    layers,
    tour: [...(incoming.tour ?? parts.tour)],
  };
}

/** A language is added with its first file and removed with its last; languages added by other tools stay. */
function languagesAfter(
  { project, nodes: before }: KnowledgeGraph,
  after: readonly GraphNode[],
  { files, deleted, renamed }: GraphUpdate,
  outside: Outside,
): { languages?: string[] } {
  const tagOf = (path: string | undefined) => (path === undefined ? undefined : languageOf(path)?.tag);
  const came = new Set([...files, ...renamed.map(({ to }) => to)].map(tagOf));
  const went = new Set([...deleted, ...renamed.map(({ from }) => from)].map(tagOf));
  const has = (nodes: readonly GraphNode[], tag: string) =>
    nodes.some(({ type, filePath }) => type === "file" && tagOf(filePath) === tag) ||
    [...outside.paths()].some((path) => tagOf(path) === tag);
  const listed = project.languages ?? [];
  const names = new Set(listed.map((name) => name.toLowerCase()));
  const isOurs = (tag: string | undefined): tag is string => tag !== undefined;
  const added = [...came].filter(isOurs).filter((tag) => !names.has(tag) && has(after, tag) && !has(before, tag));
  const gone = new Set([...went].filter(isOurs).filter((tag) => names.has(tag) && !has(after, tag)));
  if (added.length + gone.size === 0) return {};
  const kept = listed.filter((name) => !gone.has(name.toLowerCase()));
  return { languages: insertSorted(kept, added, (name) => name) };
}

/** An update cannot replace the id of an unchanged file's node, even if the delivered node names another path. */
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
  const isForeign = (node: GraphNode) => structural && !isStructuralNode(node);
  const touched = (node: GraphNode) => node.filePath !== undefined && incoming.replaced.has(node.filePath);
  const placed = placeInto({
    old,
    incoming: [...incoming.nodes.values()],
    placeOf: ({ id, filePath }) => ({ key: id, file: filePath ?? "" }),
    stays: (node) =>
      node.filePath === undefined || (!incoming.deleted.has(node.filePath) && (!touched(node) || isForeign(node))),
    replace: (before, fresh) => (structural ? keepDescriptions(before, fresh, driftOf(fresh)) : fresh),
  });
  return placed.map((node) => {
    if (node.filePath !== undefined && incoming.silent.has(node.filePath)) return withoutReview(node);
    // One that is given was described for the new content.
    return touched(node) && isForeign(node) && !incoming.nodes.has(node.id) ? keptText(node, driftOf(node)) : node;
  });
}

/** Removes a step whose nodes are all gone; a step that never had nodes is text, and stays. */
export function repairTour(tour: readonly TourStep[], exists: (id: string) => boolean): TourStep[] {
  return tour.flatMap((step) => {
    if (step.nodeIds === undefined || step.nodeIds.every(exists)) return [step];
    const nodeIds = step.nodeIds.filter(exists);
    return nodeIds.length === 0 ? [] : [{ ...step, nodeIds }];
  });
}
