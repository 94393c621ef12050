import type { GraphEdge, GraphNode, KnowledgeGraph } from "./types.js";

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
