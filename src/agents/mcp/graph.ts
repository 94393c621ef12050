import type { GraphEdge, GraphNode } from "../../graph/types.js";
import { artefactPath, GRAPH, readArtefact } from "../../knowledge/artefacts.js";
import type { Context } from "../../repository/context.js";
import type { Project } from "../../repository/locate.js";
import { type FileStamp, isAsStamped, stampOf } from "../../store/files.js";
import { readWorktree } from "../../verification/read.js";

interface GraphNodes {
  stamp: FileStamp;
  byId: Map<string, GraphNode>;
  edges: GraphEdge[];
}

/** The graph that was read last: a client asks for one node after the other, and parsing is expensive. */
let last: (GraphNodes & { path: string }) | null = null;

function nodesOf(project: Project): GraphNodes {
  const path = artefactPath(project, GRAPH);
  if (last?.path === path && isAsStamped(path, last.stamp)) return last;
  const stamp = stampOf(path); // before it is read
  const graph = readArtefact(project, GRAPH);
  const list = <T>(value: unknown) => (Array.isArray(value) ? (value as T[]) : []);
  const byId = new Map(list<GraphNode>(graph?.nodes).map((node) => [node.id, node]));
  last = { path, stamp, byId, edges: list<GraphEdge>(graph?.edges) };
  return last;
}

const MOST_EDGES = 100;

/** One node, its edges, and whether it still describes this worktree. null if there is no such node. */
export async function describeNode(context: Context, id: string): Promise<Record<string, unknown> | null> {
  const { marker } = await readWorktree(context);
  const { byId, edges } = nodesOf(context.project);
  const node = byId.get(id);
  if (node === undefined) return null;
  const change = marker?.fileChanges.find(({ filePath }) => filePath === node.filePath);
  const touching = edges.filter(({ source, target }) => source === id || target === id);
  return {
    schema: "ua-hooks.node/1",
    node,
    drift: change?.drift ?? "none",
    details: change?.details ?? [],
    edges: touching.slice(0, MOST_EDGES),
    edgesTotal: touching.length,
  };
}

const MOST_IDS = 100;

/** For completion in a client. */
export function idsLike(project: Project, start: string): string[] {
  return [...nodesOf(project).byId.keys()].filter((id) => id.startsWith(start)).slice(0, MOST_IDS);
}
