import { existsSync } from "node:fs";
import { hasMarkers } from "../graph/conflict.js";
import { isGraphError } from "../graph/errors.js";
import { repairLayers } from "../graph/layers.js";
import { byText } from "../graph/order.js";
import { type GraphPiece, NO_FILE, parseElements } from "../graph/pieces.js";
import { readGraph } from "../graph/read-graph.js";
import { splitObject } from "../graph/split.js";
import type { GraphEdge, GraphHead, GraphNode } from "../graph/types.js";
import { withoutHidden } from "../printable.js";
import type { Project } from "../repository/locate.js";
import { damaged } from "../store/files.js";
import { readArtefactChunks } from "./artefacts.js";
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
      isSplit: (key) => key === "nodes" || key === "edges",
      value: (key, value) => values.set(key, value),
      element: () => {},
    });
  } catch (error) {
    if (!isGraphError(error)) throw error;
    throw damaged(path, problemOf(project, path, error));
  }
  return Object.fromEntries(values);
}

function problemOf(project: Project, path: string, error: Error): string {
  const isConflict = hasMarkers(readArtefactChunks(project, path));
  return isConflict ? "The graph's file holds conflict markers of an unfinished merge." : error.message;
}

/** So much of a graph is read for its project: ours, and those of Understand-Anything, begin with it. */
const MOST_BEGINNING = 1024 * 1024;

/** The `project` of a graph that begins with it; undefined for any other. The rest of the file is not read. */
export function readProjectPart(project: Project, path: string): unknown {
  let found: unknown;
  try {
    splitObject(beginning(readArtefactChunks(project, path)), {
      isSplit: (key) => key !== "project",
      value: (key, value) => {
        if (key === "project") found = value;
      },
      element: () => {},
    });
  } catch (error) {
    // Where it was cut off.
    if (!isGraphError(error)) throw error;
  }
  return found;
}

function* beginning(chunks: Iterable<Buffer>): Generator<Buffer> {
  let left = MOST_BEGINNING;
  for (const chunk of chunks) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

function readParts(project: Project, path: string): GraphFile {
  return graphFileOf(() => readArtefactChunks(project, path));
}

/** The same from bytes; throws a GraphError. `chunks` is read twice. */
export function graphFileOf(chunks: () => Iterable<Buffer>): GraphFile {
  const nodes = new Parts();
  const edges = new Parts();
  const pathOf = new Map<string, string>();
  const files: GraphNode[] = [];
  const head = readGraph(chunks, {
    node: ({ id, type, filePath }, { text }) => {
      const file = filePath ?? NO_FILE;
      if (!pathOf.has(id)) pathOf.set(id, file);
      if (type === "file") files.push({ id, type, filePath: file } as GraphNode);
      nodes.add(file, text);
    },
    edge: ({ source, target }, { text }) => {
      const [from, to] = [pathOf.get(source), pathOf.get(target)];
      if (from !== undefined && to !== undefined) edges.add(from || to, text);
    },
  });
  return {
    head: withAllFiles(head, files, (id) => pathOf.has(id)),
    paths: [...new Set([...nodes.paths(), ...edges.paths()])],
    nodesOf: (file) => nodes.of(file),
    pieceOf: (file) => ({ nodes: nodes.of(file), edges: edges.of(file) }),
    find: (id) => pathOf.get(id),
  };
}

/** Ids and paths say which thing is meant; they are escaped where they are shown. */
const NAMES_A_THING = new Set(["id", "filePath", "source", "target", "nodeIds", "type"]);

/**
 * A graph that git brought, in whose texts nothing is hidden from who reads them: agents take them for descriptions of the code. A shared text with
 * a hidden character is refused (sharing/segments.ts); a graph is read without them, because the rest of it is needed.
 */
export function withVisibleTexts(graph: GraphFile): GraphFile {
  const pieceOf = (path: string) => {
    const piece = graph.pieceOf(path);
    showTexts([piece.nodes, piece.edges]);
    return piece;
  };
  const head = structuredClone(graph.head);
  showTexts(head);
  return {
    head,
    paths: graph.paths,
    pieceOf,
    nodesOf: (path) => {
      const nodes = structuredClone(graph.nodesOf(path)) as GraphNode[];
      showTexts(nodes);
      return nodes;
    },
    find: graph.find,
  };
}

/** In place, and without recursion: nobody limits how deep the values of another tool are. */
function showTexts(value: unknown): void {
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue;
    const holder = next as Record<string, unknown>;
    for (const [key, inner] of Object.entries(holder)) {
      if (NAMES_A_THING.has(key) || (key === "name" && isPartOfId(holder))) continue;
      if (typeof inner === "string") holder[key] = withoutHidden(inner);
      else open.push(inner ?? null);
    }
  }
}

/** The name of a file or symbol, as the code has it. */
function isPartOfId({ id, name }: Record<string, unknown>): boolean {
  return typeof id === "string" && typeof name === "string" && id.endsWith(name);
}

function withAllFiles(head: GraphHead, files: readonly GraphNode[], exists: (id: string) => boolean): GraphHead {
  const given = { before: head.layers, given: undefined, nodes: files, exists, renamed: [], layerOf: new Map() };
  const layers = repairLayers(given).map((layer) => ({ ...layer, nodeIds: [...layer.nodeIds].sort(byText) }));
  return { ...head, layers };
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
