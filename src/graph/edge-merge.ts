import { isStructuralEdge } from "./edges.js";
import type { NodeTable } from "./node-table.js";
import { type Position, placeInto } from "./placing.js";
import type { GraphEdge } from "./types.js";
import type { EdgeEnds } from "./update.js";

export interface EdgeMerge {
  table: NodeTable;
  /** Files that are analysed again. */
  replaced: ReadonlySet<string>;
  unlinked: readonly EdgeEnds[];
  structural: boolean;
}

/**
 * An edge belongs to the file of its source, and is removed when that file is analysed again. One from an unchanged
 * file stays if its target exists again.
 */
export function mergeEdges(
  old: readonly GraphEdge[],
  incoming: readonly GraphEdge[],
  { table, replaced, unlinked, structural }: EdgeMerge,
): GraphEdge[] {
  const arriving = incoming.filter(({ source, target }) => table.exists(source) && table.exists(target));
  const look = lookups(table, old, arriving);
  const gone = new Set(unlinked.map((edge) => look(edge).key));
  return placeInto<GraphEdge>({
    old,
    incoming: arriving,
    placeOf: look,
    stays: (edge) => {
      const { hasEnds, owner, key } = look(edge);
      const isReplaced = replaced.has(owner) && (!structural || isStructuralEdge(edge));
      return hasEnds && !isReplaced && (gone.size === 0 || !gone.has(key));
    },
    replace: (previous, fresh) => (structural || !replaced.has(look(fresh).owner) ? previous : fresh),
  });
}

interface EdgePlace extends Position {
  /** The file of the source; "" if there is none. */
  owner: string;
  hasEnds: boolean;
}

/** Exact with up to five hundred types of edges. */
const MOST_NODES = 2 ** 22;

/**
 * Source, target and type as one number: with 150,000 edges, string keys would dominate the cost. Edges with a missing end
 * share the key -1 and are never kept.
 */
function lookups(table: NodeTable, ...lists: (readonly EdgeEnds[])[]): (edge: EdgeEnds) => EdgePlace {
  const types = new Map<string, number>();
  for (const list of lists) {
    for (const { type } of list) if (!types.has(type)) types.set(type, types.size);
  }
  let last: EdgeEnds | undefined;
  let lastSource = "";
  let lastFrom = table.get("");
  let place: EdgePlace = { key: -1, file: "", owner: "", hasEnds: false };
  return (edge) => {
    // The same edge is looked up several times in a row.
    if (edge === last) return place;
    last = edge;
    // Most graphs are sorted by source, and comparing two strings is cheaper than a lookup.
    const from = edge.source === lastSource ? lastFrom : table.get(edge.source);
    [lastSource, lastFrom] = [edge.source, from];
    const to = table.get(edge.target);
    const kind = types.get(edge.type);
    const known = from !== undefined && to !== undefined && kind !== undefined;
    place = {
      key: known ? (from.number * MOST_NODES + to.number) * types.size + kind : -1,
      file: from?.file || to?.file || "",
      owner: from?.file ?? "",
      hasEnds: known && from.exists && to.exists,
    };
    return place;
  };
}
