import { isGraphError } from "./errors.js";
import { NO_FILE } from "./pieces.js";
import { readGraph } from "./read-graph.js";
import { type ByteSource, Places } from "./source.js";
import type { Stamp, Three } from "./three-way.js";
import type { GraphHead } from "./types.js";

/** One of the three graphs of a merge: where its nodes and edges stand, by the file that they belong to. */
export interface GraphSide {
  head: GraphHead;
  nodes: Places;
  edges: Places;
  /** The ids of the nodes of type `file`. */
  files: readonly string[];
  stamp: Stamp;
}

export interface GraphSides {
  base: GraphSide | null;
  ours: GraphSide;
  theirs: GraphSide;
  /** The file of each node of any side, "" for none: that of the first side that has it, so all sides list a node in one place. */
  homes: ReadonlyMap<string, string>;
}

export function readSides({ base, ours, theirs }: Three<ByteSource>): GraphSides {
  const homes = new Map<string, string>();
  const [left, right] = [ours, theirs].map((source) => readSide(source ?? NO_BYTES, homes, () => {}));
  if (left === undefined || right === undefined) throw new Error("two sides are read");
  return { ours: left, theirs: right, base: readBase(base, homes), homes };
}

const NO_BYTES: ByteSource = { chunks: () => [], read: () => Buffer.alloc(0) };

/** Without a readable base nothing counts as deleted. */
function readBase(source: ByteSource | undefined, homes: Map<string, string>): GraphSide | null {
  const added: string[] = [];
  try {
    return source === undefined ? null : readSide(source, homes, (id) => added.push(id));
  } catch (error) {
    if (!isGraphError(error)) throw error;
    for (const id of added) homes.delete(id);
    return null;
  }
}

function readSide(source: ByteSource, homes: Map<string, string>, onNew: (id: string) => void): GraphSide {
  const [nodes, edges, files] = [new Places(source), new Places(source), [] as string[]];
  const head = readGraph(source.chunks, {
    node: ({ id, type, filePath }, element) => {
      const home = homes.get(id) ?? filePath ?? NO_FILE;
      if (!homes.has(id)) {
        homes.set(id, home);
        onNew(id);
      }
      if (type === "file") files.push(id);
      nodes.add(home, element);
    },
    edge: (edge, element) => {
      const [from, to] = [homes.get(edge.source), homes.get(edge.target)];
      if (from !== undefined && to !== undefined) edges.add(from || to, element);
    },
  });
  const { analyzedAt: at, gitCommitHash: commit = "" } = head.project;
  return { head, nodes, edges, files, stamp: { at, commit, text: () => digestOf(source) } };
}

export function digestOf(source: ByteSource): string {
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  for (const chunk of source.chunks()) hash.update(chunk);
  return hash.digest("hex");
}
