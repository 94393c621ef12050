import { structuralEdgeTypes } from "./edges.js";
import { type Place, placeInto } from "./placing.js";
import type { GraphEdge, GraphNode } from "./types.js";
import type { EdgeEnds } from "./update.js";

export interface EdgeMerge {
  /** All nodes there were, files already renamed, and all there are now. */
  before: readonly GraphNode[];
  nodes: readonly GraphNode[];
  /** Files that are told anew. */
  replaced: ReadonlySet<string>;
  unlinked: readonly EdgeEnds[];
  structural: boolean;
}

/**
 * An edge belongs to the file of its source, and goes when that file is told anew. One from an untouched file stays if
 * what it leads to exists again.
 */
export function mergeEdges(
  old: readonly GraphEdge[],
  incoming: readonly GraphEdge[],
  { before, nodes, replaced, unlinked, structural }: EdgeMerge,
): GraphEdge[] {
  const ends = readEnds(before, nodes);
  const arriving = incoming.filter((edge) => hasEnds(ends, edge));
  const placeOf = numbering(ends, [...old, ...arriving]);
  const gone = new Set(unlinked.map((edge) => placeOf(edge).key));
  const isToldAnew = ({ source }: GraphEdge) => replaced.has(ends.get(source)?.file ?? "");
  return placeInto<GraphEdge>({
    old,
    incoming: arriving,
    placeOf,
    stays: (edge) =>
      hasEnds(ends, edge) &&
      !(isToldAnew(edge) && (!structural || structuralEdgeTypes.has(edge.type))) &&
      (gone.size === 0 || !gone.has(placeOf(edge).key)),
    replace: (previous, fresh) => (structural || !isToldAnew(fresh) ? previous : fresh),
  });
}

interface End {
  number: number;
  file: string;
  exists: boolean;
}

function readEnds(before: readonly GraphNode[], nodes: readonly GraphNode[]): Map<string, End> {
  const ends = new Map<string, End>();
  for (const { id, filePath } of before) {
    if (!ends.has(id)) ends.set(id, { number: ends.size, file: filePath ?? "", exists: false });
  }
  for (const { id, filePath } of nodes) {
    const known = ends.get(id);
    if (known === undefined) ends.set(id, { number: ends.size, file: filePath ?? "", exists: true });
    else [known.file, known.exists] = [filePath ?? "", true];
  }
  return ends;
}

function hasEnds(ends: ReadonlyMap<string, End>, { source, target }: GraphEdge): boolean {
  return ends.get(source)?.exists === true && ends.get(target)?.exists === true;
}

/**
 * Source, target and type as one number: with 150,000 edges, keys made of text would cost more than all the rest.
 * Exact up to some millions of nodes. Edges that lead nowhere share the key -1, and never stay.
 */
function numbering(ends: ReadonlyMap<string, End>, edges: readonly EdgeEnds[]): (edge: EdgeEnds) => Place {
  const types = new Map<string, number>();
  for (const { type } of edges) if (!types.has(type)) types.set(type, types.size);
  return ({ source, target, type }) => {
    const from = ends.get(source);
    const to = ends.get(target);
    const file = from?.file || to?.file || "";
    const kind = types.get(type);
    if (from === undefined || to === undefined || kind === undefined) return { key: -1, file };
    return { key: (from.number * ends.size + to.number) * types.size + kind, file };
  };
}
