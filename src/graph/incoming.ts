import { posix } from "node:path";
import { GraphError } from "./errors.js";
import { placeOf } from "./ids.js";
import type { GraphEdge, GraphNode, Layer, TourStep } from "./types.js";
import type { GraphUpdate } from "./update.js";

/** An update in normal form: relative paths, one entry for each id, nothing outside the project. */
export interface Incoming {
  /** Files whose old nodes are replaced. */
  replaced: ReadonlySet<string>;
  /** Files that were analysed without a result: their nodes stay. */
  silent: ReadonlySet<string>;
  deleted: ReadonlySet<string>;
  nodes: Map<string, GraphNode>;
  edges: GraphEdge[];
  layers: Layer[] | undefined;
  tour: TourStep[] | undefined;
}

/** Ids that contain a path; in others (`endpoint:/users`) a slash has no meaning for us. */
const pathId = /^(?:file|function|class):/;

export function readIncoming(update: GraphUpdate): Incoming {
  const root = update.root?.replace(/\/+$/, "");
  const files = new Set(update.files.map((path) => insidePath(path, root, `The update`)));
  const deleted = new Set(update.deleted.map((path) => insidePath(path, root, `The update`)));
  const nodes = new Map<string, GraphNode>();
  for (const given of update.nodes) {
    const node = insideNode(given, root);
    // A file that was not asked for stays pending, and its nodes stay as they are.
    if (node.filePath === undefined || (files.has(node.filePath) && !deleted.has(node.filePath)))
      nodes.set(node.id, node);
  }
  const covered = new Set([...nodes.values()].map(({ filePath }) => filePath));
  const edges = update.edges.map((given) => {
    const [source, target] = [insideId(given.source, root), insideId(given.target, root)];
    return source === given.source && target === given.target ? given : { ...given, source, target };
  });
  const members = <T extends { nodeIds: string[] }>(group: T): T => ({
    ...group,
    nodeIds: (group.nodeIds ?? []).map((id) => insideId(id, root)),
  });
  return {
    replaced: new Set([...files].filter((path) => covered.has(path) && !deleted.has(path))),
    silent: new Set([...files].filter((path) => !covered.has(path) && !deleted.has(path))),
    deleted,
    nodes,
    edges,
    layers: update.layers?.map(members),
    tour: update.tour?.map(members),
  };
}

export function insideNode(node: GraphNode, root: string | undefined): GraphNode {
  const id = insideId(node.id, root);
  const written = node.filePath ?? (id.startsWith("file:") ? id.slice("file:".length) : undefined);
  const where = `Node ${node.id}`;
  if (pathId.test(id)) refuseOutside(pathIn(id), where);
  if (written === undefined) return id === node.id ? node : { ...node, id };
  const filePath = insidePath(written, root, where);
  return id === node.id && filePath === node.filePath ? node : { ...node, id, filePath };
}

/** The name of a symbol may look like a path: `declare module "../x"`. */
function pathIn(id: string): string {
  const isFile = id.startsWith("file:");
  return (isFile ? "" : placeOf(id).path) || id.slice(id.indexOf(":") + 1);
}

export function insideId(id: string, root: string | undefined): string {
  const colon = id.indexOf(":");
  const rest = id.slice(colon + 1);
  return id.slice(0, colon + 1) + belowRoot(rest, root).replace(/^(?:\.\/)+/, "");
}

export function insidePath(path: string, root: string | undefined, where: string): string {
  const inside = posix.normalize(belowRoot(path, root));
  refuseOutside(inside, where);
  return inside;
}

function belowRoot(path: string, root: string | undefined): string {
  return root !== undefined && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

/** Whether an id, or a path in its place, names a file outside of the project. */
export function isOutsideId(id: string): boolean {
  return (pathId.test(id) && isOutside(pathIn(id))) || (!id.includes(":") && isOutside(id));
}

function isOutside(path: string): boolean {
  return path === "" || path === "." || path.startsWith("/") || path.split("/").includes("..");
}

function refuseOutside(path: string, where: string): void {
  if (isOutside(path)) {
    throw new GraphError("outside-project", `${where} names a path outside the project: ${JSON.stringify(path)}.`);
  }
}
