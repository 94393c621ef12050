import { hasDescription } from "./descriptions.js";
import { createVerdicts, type Verdicts } from "./driver-files.js";
import { mergeLayers, mergeTour } from "./driver-groups.js";
import { isStructuralEdge } from "./edges.js";
import { structuralNodeTypes } from "./ids.js";
import { mergeFields, mergeKeyed, mergeSets, newerSide, pick, type Side, type Three } from "./three-way.js";
import type { GraphEdge, GraphNode, KnowledgeGraph } from "./types.js";

/**
 * Merges two versions of a graph and their common ancestor by id; the result is always consistent. `commit` is the one
 * that the merged graph may name (see `commonCommit`).
 *
 * The unit is the file. If both sides analysed one file differently, all of its structure comes from the newer
 * analysis: a mix would describe a content that never existed. Descriptions are kept from either side, and a generated
 * description never replaces a written one. Newer is by time, so a merge and a rebase of the same two sides give the
 * same result.
 */
export function mergeGraphs(
  base: KnowledgeGraph | null,
  ours: KnowledgeGraph,
  theirs: KnowledgeGraph,
  commit: string,
): KnowledgeGraph {
  const newer = newerSide(stampOf(ours), stampOf(theirs));
  const was = base ?? NOTHING;
  const verdicts = createVerdicts(was.nodes, ours.nodes, theirs.nodes, newer);
  const nodes = mergeKeyed(
    { base: was.nodes, ours: ours.nodes, theirs: theirs.nodes },
    ({ id }) => id,
    (three) => mergeNode(three, verdicts, newer),
  );
  const ids = new Set(nodes.map(({ id }) => id));
  const exists = (id: string) => ids.has(id);
  const edges = mergeEdges({ base: was.edges, ours: ours.edges, theirs: theirs.edges }, verdicts, newer);
  const groups = { base: was, ours, theirs, newer, exists };
  return inOrderOf(ours, theirs, {
    ...mergeFields<Record<string, unknown>>({ base: rest(was), ours: rest(ours), theirs: rest(theirs) }, () => newer),
    project: mergeProject({ base: base?.project, ours: ours.project, theirs: theirs.project }, newer, commit),
    nodes,
    edges: edges.filter(({ source, target }) => ids.has(source) && ids.has(target)),
    layers: mergeLayers(groups, nodes),
    tour: mergeTour(groups),
  });
}

const NOTHING: KnowledgeGraph = {
  version: "",
  project: { name: "", languages: [], frameworks: [], description: "", analyzedAt: "", gitCommitHash: "" },
  nodes: [],
  edges: [],
  layers: [],
  tour: [],
};

function stampOf(graph: KnowledgeGraph) {
  const { analyzedAt, gitCommitHash } = graph.project;
  return { at: analyzedAt, commit: gitCommitHash ?? "", text: () => JSON.stringify(graph) };
}

/** The fields of a node that are structure; the others are its description. */
const FACTS = ["id", "type", "name", "filePath", "lineRange"];

function mergeNode(three: Three<GraphNode>, verdicts: Verdicts, newer: Side): GraphNode | undefined {
  const either = three.ours ?? three.theirs;
  const verdict = verdicts.of(either?.filePath);
  const side = verdict?.side ?? newer;
  const chosen = three[side];
  if (verdict?.whole === true) return chosen;
  const resolve = (ours: GraphNode, theirs: GraphNode) => {
    const facts = side === "ours" ? ours : theirs;
    return withFacts(mergeFields(three, descriptionSide(ours, theirs, side)), facts);
  };
  if (verdict === undefined || !structuralNodeTypes.has(either?.type ?? "")) return pick(three, resolve);
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

/** If both sides changed the description: the one of `side`, unless only the other one is written and not generated. */
function descriptionSide(ours: GraphNode, theirs: GraphNode, side: Side): () => Side {
  const winner = hasDescription(ours) === hasDescription(theirs) ? side : hasDescription(ours) ? "ours" : "theirs";
  return () => winner;
}

interface EdgeLists {
  base: readonly GraphEdge[];
  ours: readonly GraphEdge[];
  theirs: readonly GraphEdge[];
}

/** An edge belongs to the file of its source; without one, to the file of its target. */
function mergeEdges(lists: EdgeLists, verdicts: Verdicts, newer: Side): GraphEdge[] {
  return mergeKeyed(lists, edgeNumbers(), (three) => {
    const either = three.ours ?? three.theirs;
    const verdict = either && verdicts.of(verdicts.pathOf(either.source) ?? verdicts.pathOf(either.target));
    // An edge can also change because another file changed, so one side decides only if both analysed the file again.
    const decided = verdict?.contested === true && either !== undefined && isStructuralEdge(either);
    if (verdict !== undefined && (verdict.whole || decided)) return three[verdict.side];
    return pick(three, () => mergeFields(three, () => newer));
  });
}

/** Source, target and type as one number: with three times 150,000 edges, string keys would dominate the cost. */
function edgeNumbers(): (edge: GraphEdge) => number {
  const [ids, types] = [counter(), counter()];
  // Exact up to four million ids and five hundred types.
  return ({ source, target, type }) => (ids(source) * 2 ** 22 + ids(target)) * 2 ** 9 + types(type);
}

function counter(): (text: string) => number {
  const numbers = new Map<string, number>();
  return (text) => {
    const known = numbers.get(text);
    if (known === undefined) numbers.set(text, numbers.size);
    return known ?? numbers.size - 1;
  };
}

function mergeProject(three: Three<KnowledgeGraph["project"]>, newer: Side, commit: string): KnowledgeGraph["project"] {
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

function rest(graph: KnowledgeGraph): Record<string, unknown> {
  const { project: _project, nodes: _nodes, edges: _edges, layers: _layers, tour: _tour, ...others } = graph;
  return graph === NOTHING ? {} : others;
}

/** Keeps the key order of ours, so that a diff shows only what the merge changed. */
function inOrderOf(ours: object, theirs: object, merged: KnowledgeGraph | Record<string, unknown>): KnowledgeGraph {
  const keys = Object.keys({ ...ours, ...theirs, ...merged }).filter((key) => Object.hasOwn(merged, key));
  return Object.fromEntries(
    keys.map((key) => [key, (merged as Record<string, unknown>)[key]]),
  ) as unknown as KnowledgeGraph;
}
