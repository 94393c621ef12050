import { asObject } from "./resolve/jsonc.js";
import { checkAll, checkEntry, describe, shapes, wrong } from "./shapes.js";
import { type Element, type Entries, splitObject } from "./split.js";
import type { GraphEdge, GraphHead, GraphNode } from "./types.js";

export interface GraphListener {
  node(node: GraphNode, element: Element): void;
  /** After all nodes. */
  edge(edge: GraphEdge, element: Element): void;
}

const isSplit = (key: string) => key === "nodes" || key === "edges";

/**
 * Reads a graph of any size, one node or edge at a time. Returns what is beside them, checked. A second time only if the edges are before the nodes. Throws
 * a GraphError if it is not a graph.
 */
export function readGraph(chunks: () => Iterable<Buffer>, listener: GraphListener): GraphHead {
  const order: string[] = [];
  const values = new Map<string, unknown>();
  const isLate = () => order[0] === "edges";
  splitObject(chunks(), {
    isSplit: (key) => isSplit(key) && order.push(key) > 0,
    value: (key, value) => {
      if (isSplit(key)) throw wrong(`The graph's "${key}" is ${describe(value)}, not a list.`);
      values.set(key, value);
    },
    element: checked({ node: listener.node, edge: (...one) => isLate() || listener.edge(...one) }),
  });
  for (const key of ["nodes", "edges"]) if (!order.includes(key)) throw wrong(`The graph has no "${key}".`);
  const head = headOf(values);
  if (isLate()) {
    const element = checked({ node: () => {}, edge: listener.edge });
    splitObject(chunks(), { isSplit, value: () => {}, element });
  }
  return head;
}

interface AnyListener {
  node(node: GraphNode, element: Element): unknown;
  edge(edge: GraphEdge, element: Element): unknown;
}

function checked({ node, edge }: AnyListener): Entries["element"] {
  const count = { nodes: 0, edges: 0 };
  return (key, element, name) => {
    if (name !== null) throw wrong(`The graph's "${key}" is an object, not a list.`);
    if (key === "nodes") {
      checkEntry(element.value, shapes.node, count.nodes++);
      node(element.value as GraphNode, element);
    } else {
      checkEntry(element.value, shapes.edge, count.edges++);
      edge(element.value as GraphEdge, element);
    }
  };
}

function headOf(values: ReadonlyMap<string, unknown>): GraphHead {
  const project = asObject(values.get("project"));
  if (project === undefined) throw wrong(`The graph's "project" is ${describe(values.get("project"))}, not an object.`);
  checkEntry(project, shapes.project);
  const [layers, tour] = [values.get("layers") ?? [], values.get("tour") ?? []];
  if (!Array.isArray(layers) || !Array.isArray(tour)) throw wrong("The graph's layers or tour are not lists.");
  checkAll(layers, shapes.layer);
  checkAll(tour, shapes.step);
  return { ...(Object.fromEntries(values) as unknown as GraphHead), layers, tour };
}
