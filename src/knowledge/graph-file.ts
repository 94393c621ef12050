import { existsSync } from "node:fs";
import { isGraphError } from "../graph/errors.js";
import { repairLayers } from "../graph/layers.js";
import { byText } from "../graph/order.js";
import { type GraphPiece, NO_FILE, parseElements } from "../graph/pieces.js";
import { asObject } from "../graph/resolve/jsonc.js";
import { checkAll, checkEntry, describe, shapes, wrong } from "../graph/shapes.js";
import { type Element, splitObject } from "../graph/split.js";
import type { GraphEdge, GraphHead, GraphNode } from "../graph/types.js";
import { parseGraph } from "../graph/validate.js";
import type { Project } from "../repository/locate.js";
import { damaged } from "../store/files.js";
import { readArtefactBytes, readArtefactChunks } from "./artefacts.js";
import { pack, unpack } from "./packed.js";

/** A graph as a file has it, by file, in little memory. */
export interface GraphFile {
  head: GraphHead;
  /** Every file with nodes, and the empty path if there are nodes without one. */
  paths: readonly string[];
  pieceOf(path: string): GraphPiece;
  nodesOf(path: string): readonly GraphNode[];
  /** The file of a node, "" where it has none; undefined if there is no such node. */
  find(id: string): string | undefined;
  /** Our own analyzer makes its pieces: it has no written description. */
  isComputed?: boolean;
  /** A piece whose nodes are packed already; null if it has to be made. */
  readyPieceOf?(path: string): ReadyPiece | null;
}

/** The id of each of its nodes says which file it is of. */
export interface ReadyPiece {
  nodes: Uint8Array;
  edges: GraphEdge[];
}

/** Reads a graph of any size. Edges without both of their nodes are left out, and every file gets into one layer. */
export function readGraphFile(project: Project, path: string): GraphFile {
  try {
    return readParts(project, path);
  } catch (error) {
    if (!isGraphError(error)) throw error;
    throw damaged(path, problemOf(project, path, error));
  }
}

/** What other tools have put beside nodes and edges; nothing where there is no file. */
export function readHeadValues(project: Project, path: string): Record<string, unknown> {
  if (!existsSync(path)) return {};
  const values = new Map<string, unknown>();
  try {
    splitObject(readArtefactChunks(project, path), {
      isSplit,
      value: (key, value) => values.set(key, value),
      element: () => {},
    });
  } catch (error) {
    if (!isGraphError(error)) throw error;
    throw damaged(path, problemOf(project, path, error));
  }
  return Object.fromEntries(values);
}

/** The parser of whole texts says where a file is damaged. */
function problemOf(project: Project, path: string, error: Error): string {
  try {
    parseGraph(readArtefactBytes(project, path).toString("utf8"));
  } catch (known) {
    if (isGraphError(known)) return known.message;
  }
  return error.message;
}

function readParts(project: Project, path: string): GraphFile {
  const nodes = new Parts();
  const edges = new Parts();
  const pathOf = new Map<string, string>();
  const files: GraphNode[] = [];
  const values = new Map<string, unknown>();
  let count = 0;
  splitObject(readArtefactChunks(project, path), {
    isSplit,
    value: (key, value) => {
      if (isSplit(key)) throw wrong(`The graph's "${key}" is ${describe(value)}, not a list.`);
      values.set(key, value);
    },
    element: (key, { value, text }, name) => {
      if (name !== null) throw wrong(`The graph's "${key}" is an object, not a list.`);
      if (key !== "nodes") return;
      checkEntry(value, shapes.node, count++);
      const node = value as GraphNode;
      const file = node.filePath ?? NO_FILE;
      if (!pathOf.has(node.id)) pathOf.set(node.id, file);
      if (node.type === "file") files.push({ id: node.id, type: "file", filePath: file } as GraphNode);
      nodes.add(file, text);
    },
  });
  // Afterwards, since an edge can be before its nodes.
  readEdges(readArtefactChunks(project, path), ({ value, text }, position) => {
    checkEntry(value, shapes.edge, position);
    const { source, target } = value as GraphEdge;
    const [from, to] = [pathOf.get(source), pathOf.get(target)];
    if (from !== undefined && to !== undefined) edges.add(from || to, text);
  });
  const exists = (id: string) => pathOf.has(id);
  return {
    head: headOf(values, files, exists),
    paths: [...new Set([...nodes.paths(), ...edges.paths()])],
    nodesOf: (file) => nodes.of(file),
    pieceOf: (file) => ({ nodes: nodes.of(file), edges: edges.of(file) }),
    find: (id) => pathOf.get(id),
  };
}

const isSplit = (key: string) => key === "nodes" || key === "edges";

function readEdges(chunks: Iterable<Buffer>, onEdge: (edge: Element, position: number) => void): void {
  let count = 0;
  const seen = new Set<string>();
  splitObject(chunks, {
    isSplit: (key) => {
      seen.add(key);
      return isSplit(key);
    },
    value: () => {},
    element: (key, element) => {
      if (key === "edges") onEdge(element, count++);
    },
  });
  for (const key of ["nodes", "edges"]) if (!seen.has(key)) throw wrong(`The graph has no "${key}".`);
}

function headOf(
  values: ReadonlyMap<string, unknown>,
  files: readonly GraphNode[],
  exists: (id: string) => boolean,
): GraphHead {
  const project = asObject(values.get("project"));
  if (project === undefined) throw wrong(`The graph's "project" is ${describe(values.get("project"))}, not an object.`);
  checkEntry(project, shapes.project);
  const [layers, tour] = [values.get("layers") ?? [], values.get("tour") ?? []];
  if (!Array.isArray(layers) || !Array.isArray(tour)) throw wrong("The graph's layers or tour are not lists.");
  checkAll(layers, shapes.layer);
  checkAll(tour, shapes.step);
  const head = Object.fromEntries(values) as unknown as GraphHead;
  const given = { before: layers, given: undefined, nodes: files, exists, renamed: [], layerOf: new Map() };
  const sorted = repairLayers(given).map((layer) => ({ ...layer, nodeIds: [...layer.nodeIds].sort(byText) }));
  return { ...head, layers: sorted, tour };
}

/** Texts by file. The last ones are as they are, all others are deflated. */
class Parts {
  readonly #open = new Map<string, string[]>();
  readonly #closed = new Map<string, Buffer[]>();
  #size = 0;

  add(path: string, text: string): void {
    const list = this.#open.get(path);
    if (list === undefined) this.#open.set(path, [text]);
    else list.push(text);
    this.#size += text.length;
    if (this.#size > MOST_OPEN) this.#close();
  }

  #close(): void {
    for (const [path, texts] of this.#open) {
      const packed = pack(texts.join(","), 1);
      const known = this.#closed.get(path);
      if (known === undefined) this.#closed.set(path, [packed]);
      else known.push(packed);
    }
    this.#open.clear();
    this.#size = 0;
  }

  paths(): Iterable<string> {
    return new Set([...this.#closed.keys(), ...this.#open.keys()]);
  }

  of<T>(path: string): T[] {
    const packed = (this.#closed.get(path) ?? []).map(unpack);
    return parseElements([...packed, ...(this.#open.get(path) ?? [])].join(","));
  }
}

const MOST_OPEN = 16 * 1024 * 1024;
