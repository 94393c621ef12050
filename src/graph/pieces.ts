import { edgeKey, isStructuralNode } from "./ids.js";
import { byText } from "./order.js";
import type { GraphEdge, GraphHead, GraphNode } from "./types.js";

/**
 * What a graph has of one file: its nodes, and the edges that start in it. Nodes without a file, and the edges between them,
 * are a piece of their own, with an empty path. A graph is its pieces, in the order of paths, and its head.
 */
export interface GraphPiece {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

export const NO_FILE = "";

export const NO_PIECE: GraphPiece = { nodes: [], edges: [] };

const NODE_KEYS = ["id", "type", "name", "filePath", "lineRange", "summary", "docComment", "tags", "complexity"];
const EDGE_KEYS = ["source", "target", "type", "direction", "description", "weight"];
const HEAD_KEYS = ["version", "kind", "project", "nodes", "edges", "layers", "tour"];

/**
 * In one order, whatever the way there: equal contents give equal bytes. Our own nodes by their position, then those of others by id; known fields
 * first. Of two nodes with one id, or two equal edges, the first stays.
 */
export function canonicalPiece({ nodes, edges }: GraphPiece): GraphPiece {
  const byId = new Map<string, GraphNode>();
  for (const node of nodes) if (!byId.has(node.id)) byId.set(node.id, inOrder(node, NODE_KEYS));
  const byEnds = new Map<string, GraphEdge>();
  for (const edge of edges) {
    const key = edgeKey(edge);
    if (!byEnds.has(key)) byEnds.set(key, inOrder(edge, EDGE_KEYS));
  }
  return { nodes: [...byId.values()].sort(byPlace), edges: [...byEnds.values()].sort(byEndsAndType) };
}

/** `nodes` and `edges` are listed, so that their place in the file is known; their values are elsewhere. */
export function canonicalHead(head: GraphHead): GraphHead & { nodes: null; edges: null } {
  return inOrder({ ...head, nodes: null, edges: null }, HEAD_KEYS);
}

function inOrder<T extends object>(entry: T, known: readonly string[]): T {
  const names = Object.keys(entry);
  const isSorted = names.every((name, at) => at === 0 || rank(names[at - 1] ?? "", name, known) < 0);
  if (isSorted) return entry;
  names.sort((a, b) => rank(a, b, known));
  return Object.fromEntries(names.map((name) => [name, (entry as Record<string, unknown>)[name]])) as T;
}

function rank(a: string, b: string, known: readonly string[]): number {
  const [x, y] = [known.indexOf(a), known.indexOf(b)];
  if (x < 0 && y < 0) return byText(a, b);
  return x < 0 ? 1 : y < 0 ? -1 : x - y;
}

function byPlace(a: GraphNode, b: GraphNode): number {
  const kind = (node: GraphNode) => (node.type === "file" ? 0 : isStructuralNode(node) ? 1 : 2);
  const [first, second] = [kind(a), kind(b)];
  if (first !== second) return first - second;
  if (first !== 1) return byText(a.id, b.id);
  const [from, to] = [a.lineRange, b.lineRange];
  return (from?.[0] ?? 0) - (to?.[0] ?? 0) || (to?.[1] ?? 0) - (from?.[1] ?? 0) || byText(a.id, b.id);
}

const TYPES = ["contains", "imports", "exports", "inherits", "implements", "calls"];

function byEndsAndType(a: GraphEdge, b: GraphEdge): number {
  const type = ({ type: name }: GraphEdge) => TYPES.indexOf(name) + 1 || TYPES.length + 1;
  return type(a) - type(b) || byText(a.source, b.source) || byText(a.target, b.target) || byText(a.type, b.type);
}

/** The elements of a list of the graph as they stand in its file, without the brackets; empty for none. */
export function elementsText(list: readonly unknown[]): string {
  if (list.length === 0) return "";
  const text = JSON.stringify({ list }, null, 2);
  return text.slice(text.indexOf("[\n") + 2, text.lastIndexOf("\n  ]"));
}

export function parseElements<T>(text: string): T[] {
  return JSON.parse(`[${text}]`) as T[];
}
