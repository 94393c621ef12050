import { describedContent, hasDescription, subjectOf, UNKNOWN_CONTENT, withoutReview } from "./descriptions.js";
import { decideFile, type MergeVerdict } from "./driver-files.js";
import { mergeLayers, mergeTour } from "./driver-groups.js";
import type { GraphSide, GraphSides } from "./driver-sides.js";
import { isStructuralEdge } from "./edges.js";
import { edgeKey, isStructuralNode } from "./ids.js";
import { canonicalHead, canonicalPiece, elementsText, NO_FILE, parseElements } from "./pieces.js";
import { renderGraph } from "./render.js";
import type { Places } from "./source.js";
import { mergeFields, mergeKeyed, mergeSets, newerSide, pick, type Side, type Three } from "./three-way.js";
import type { GraphEdge, GraphHead, GraphNode } from "./types.js";

/**
 * The text of the merge of two versions of a graph and their common ancestor, by id; the result is always consistent, and in
 * the order of the store. `commit` is the one that the merged graph may name (see `commonCommit`).
 *
 * The unit is the file. If both sides analysed one file differently, all of its structure comes from the newer
 * analysis: a mix would describe a content that never existed. Descriptions are kept from either side, and a generated
 * description never replaces a written one. Newer is by time, so a merge and a rebase of the same two sides give the
 * same result. The nodes and edges of one file at a time are in memory.
 */
export function mergedGraphText(sides: GraphSides, commit: string): () => Iterable<Buffer> {
  const merge = new GraphMerge(sides);
  const { base, ours, theirs } = sides;
  const heads = { base: base?.head ?? NOTHING, ours: ours.head, theirs: theirs.head };
  const { newer } = merge;
  const project = { base: base?.head.project, ours: ours.head.project, theirs: theirs.head.project };
  const groups = { ...heads, newer, exists: merge.exists };
  const head = {
    ...mergeFields<Record<string, unknown>>(
      { base: rest(heads.base), ours: rest(ours.head), theirs: rest(theirs.head) },
      () => newer,
    ),
    project: mergeProject(project, newer, commit),
    layers: mergeLayers(groups, merge.files()),
    tour: mergeTour(groups),
  } as unknown as GraphHead;
  return () => renderGraph(canonicalHead(head), (list) => merge.texts(list));
}

class GraphMerge {
  readonly newer: Side;
  readonly #sides: GraphSides;
  readonly #paths: readonly string[];
  /** Nodes of a side that the merged graph does not have. */
  readonly #gone = new Set<string>();

  constructor(sides: GraphSides) {
    this.#sides = sides;
    this.newer = newerSide(sides.ours.stamp, sides.theirs.stamp);
    const all = new Set(this.#each().flatMap(({ nodes, edges }) => [...nodes.paths(), ...edges.paths()]));
    all.delete(NO_FILE);
    this.#paths = [...[...all].sort(byBytes), NO_FILE];
    for (const path of this.#paths) this.#findGone(path);
  }

  readonly exists = (id: string) => this.#sides.homes.has(id) && !this.#gone.has(id);

  /** As far as layers need to know them. */
  files(): GraphNode[] {
    const { ours, theirs, homes } = this.#sides;
    const ids = new Set([...ours.files, ...theirs.files].filter(this.exists));
    return [...ids].map((id) => ({ id, type: "file", filePath: homes.get(id) }) as GraphNode);
  }

  *texts(list: "nodes" | "edges"): Generator<Buffer> {
    for (const path of this.#paths) {
      const nodes = list === "nodes" ? this.#nodes(path) : [];
      const edges = list === "edges" ? this.#edges(path) : [];
      yield Buffer.from(elementsText(canonicalPiece({ nodes, edges })[list]));
    }
  }

  #each(): GraphSide[] {
    const { base, ours, theirs } = this.#sides;
    return [ours, theirs, ...(base === null ? [] : [base])];
  }

  #findGone(path: string): void {
    const [first, ...others] = this.#each().map(({ nodes }) => nodes.bytes(path));
    if (first === undefined || others.every((other) => first.equals(other))) return;
    const stay = new Set(this.#nodes(path).map(({ id }) => id));
    for (const list of Object.values(this.#lists<GraphNode>("nodes", path))) {
      for (const { id } of list) if (!stay.has(id)) this.#gone.add(id);
    }
  }

  #lists<T>(list: "nodes" | "edges", path: string): Record<"base" | "ours" | "theirs", T[]> {
    const { base, ours, theirs } = this.#sides;
    const read = (places: Places | undefined) =>
      places === undefined ? [] : parseElements<T>(places.bytes(path).toString("utf8"));
    return { base: read(base?.[list]), ours: read(ours[list]), theirs: read(theirs[list]) };
  }

  #verdict(path: string, { base, ours, theirs } = this.#lists<GraphNode>("nodes", path)): MergeVerdict | undefined {
    return path === NO_FILE ? undefined : decideFile(base, ours, theirs, this.newer);
  }

  #nodes(path: string): GraphNode[] {
    const lists = this.#lists<GraphNode>("nodes", path);
    const verdict = this.#verdict(path, lists);
    return mergeKeyed(
      lists,
      ({ id }) => id,
      (three) => mergeNode(three, verdict, this.newer),
    );
  }

  /** An edge belongs to the file of its source; without one, to the file of its target. */
  #edges(path: string): GraphEdge[] {
    const verdict = this.#verdict(path);
    const merged = mergeKeyed(this.#lists<GraphEdge>("edges", path), edgeKey, (three) => {
      const either = three.ours ?? three.theirs;
      // An edge can also change because another file changed, so one side decides only if both analysed the file again.
      const decided = verdict?.contested === true && either !== undefined && isStructuralEdge(either);
      if (verdict !== undefined && (verdict.whole || decided)) return three[verdict.side];
      return pick(three, () => mergeFields(three, () => this.newer));
    });
    return merged.filter(({ source, target }) => this.exists(source) && this.exists(target));
  }
}

/** The order of the store. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const NOTHING: GraphHead = {
  version: "",
  project: { name: "", languages: [], frameworks: [], description: "", analyzedAt: "", gitCommitHash: "" },
  layers: [],
  tour: [],
};

/** The fields of a node that are structure; the others are its description. */
const FACTS = ["id", "type", "name", "filePath", "lineRange"];

function mergeNode(three: Three<GraphNode>, verdict: MergeVerdict | undefined, newer: Side): GraphNode | undefined {
  const either = three.ours ?? three.theirs;
  const side = verdict?.side ?? newer;
  const chosen = three[side];
  if (verdict?.whole === true) return chosen;
  const resolve = (ours: GraphNode, theirs: GraphNode) => {
    const facts = side === "ours" ? ours : theirs;
    const merged = withFacts(mergeFields(three, descriptionSide(ours, theirs, side)), facts);
    return withSubject(merged, facts, side === "ours" ? theirs : ours, verdict !== undefined);
  };
  if (verdict === undefined || either === undefined || !isStructuralNode(either)) return pick(three, resolve);
  // The winning analysis decides which ids exist: an id that it does not have is gone, even if it was described.
  const { ours, theirs } = three;
  return chosen === undefined || ours === undefined || theirs === undefined ? chosen : resolve(ours, theirs);
}

function withFacts(node: GraphNode, facts: GraphNode): GraphNode {
  const merged = { ...node };
  for (const field of FACTS) {
    if (facts[field] === undefined) delete merged[field];
    else merged[field] = facts[field];
  }
  if (merged.docComment !== merged.summary) delete merged.docComment;
  return merged;
}

/**
 * What a text is about comes with the text. One that is not of the side whose structure the node has (`facts`) is about another content than that
 * structure, and which one a graph does not say.
 */
function withSubject(node: GraphNode, facts: GraphNode, other: GraphNode, isOtherContent: boolean): GraphNode {
  const isOther = node.summary !== facts.summary;
  const given = isOther ? other : facts;
  const isUnknown = isOther && isOtherContent && hasDescription(other);
  return { ...withoutReview(node), ...(isUnknown ? { describes: UNKNOWN_CONTENT } : {}), ...subjectOf(given) };
}

/**
 * If both sides changed the description: a written one before a generated one, one about the content that its node has before one about
 * another, else that of `side`.
 */
function descriptionSide(ours: GraphNode, theirs: GraphNode, side: Side): () => Side {
  const rank = (node: GraphNode) => (hasDescription(node) ? (describedContent(node) === undefined ? 2 : 1) : 0);
  const [left, right] = [rank(ours), rank(theirs)];
  const winner = left === right ? side : left > right ? "ours" : "theirs";
  return () => winner;
}

function mergeProject(three: Three<GraphHead["project"]>, newer: Side, commit: string): GraphHead["project"] {
  const merged = mergeFields(three, () => newer);
  for (const field of ["languages", "frameworks"]) {
    const [base, ours, theirs] = [three.base?.[field], three.ours?.[field], three.theirs?.[field]];
    if (isList(ours) && isList(theirs)) {
      Object.assign(merged, { [field]: mergeSets({ base: isList(base) ? base : [], ours, theirs }) });
    }
  }
  return { ...merged, gitCommitHash: commit };
}

const isList = (value: unknown): value is string[] => Array.isArray(value);

function rest(head: GraphHead): Record<string, unknown> {
  const { project: _project, nodes: _nodes, edges: _edges, layers: _layers, tour: _tour, ...others } = head;
  return head === NOTHING ? {} : others;
}
