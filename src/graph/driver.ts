import { hasDescription } from "./descriptions.js";
import { createVerdicts, type Verdicts } from "./driver-files.js";
import { mergeLayers, mergeTour } from "./driver-groups.js";
import { isStructuralEdge } from "./edges.js";
import { structuralNodeTypes } from "./ids.js";
import { mergeFields, mergeKeyed, mergeSets, newerSide, pick, type Side, type Three } from "./three-way.js";
import type { GraphEdge, GraphNode, KnowledgeGraph } from "./types.js";

/**
 * Two versions of a graph and the one that both come from, merged by id; the result is sound whatever came in. `commit`
 * is the one that the merged graph may claim (see `commonCommit`).
 *
 * The unit is the file. Where both sides analysed one file differently, its facts are those of the newer analysis, all
 * of them: a mix would describe a content that never was. Words are kept from either side, and an agent's are never
 * given up for a structural sentence. Newer is by time, so a merge and a rebase of the same two come out alike.
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

/** What a file's facts consist of; all else about a node is words. */
const FACTS = ["id", "type", "name", "filePath", "lineRange"];

function mergeNode(three: Three<GraphNode>, verdicts: Verdicts, newer: Side): GraphNode | undefined {
  const either = three.ours ?? three.theirs;
  const verdict = verdicts.of(either?.filePath);
  const side = verdict?.side ?? newer;
  const chosen = three[side];
  if (verdict?.whole === true) return chosen;
  const resolve = (ours: GraphNode, theirs: GraphNode) => {
    const facts = side === "ours" ? ours : theirs;
    return withFacts(mergeFields(three, wordsFrom(ours, theirs, side)), facts);
  };
  if (verdict === undefined || !structuralNodeTypes.has(either?.type ?? "")) return pick(three, resolve);
  // The file has what its analysis says it has: an id that is not there is gone, whatever was written about it.
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

/** Where both changed the words: those of `side`, unless only the other has any that someone thought of. */
function wordsFrom(ours: GraphNode, theirs: GraphNode, side: Side): () => Side {
  const winner = hasDescription(ours) === hasDescription(theirs) ? side : hasDescription(ours) ? "ours" : "theirs";
  return () => winner;
}

interface EdgeLists {
  base: readonly GraphEdge[];
  ours: readonly GraphEdge[];
  theirs: readonly GraphEdge[];
}

/** An edge belongs to the file of its source, or where that has none, of its target. */
function mergeEdges(lists: EdgeLists, verdicts: Verdicts, newer: Side): GraphEdge[] {
  return mergeKeyed(lists, edgeNumbers(), (three) => {
    const either = three.ours ?? three.theirs;
    const verdict = either && verdicts.of(verdicts.pathOf(either.source) ?? verdicts.pathOf(either.target));
    // An edge can come and go by what another file does: only where both told the file anew does one side decide.
    const decided = verdict?.contested === true && either !== undefined && isStructuralEdge(either);
    if (verdict !== undefined && (verdict.whole || decided)) return three[verdict.side];
    return pick(three, () => mergeFields(three, () => newer));
  });
}

/** Source, target and type as one number: with three times 150,000 edges, keys made of text would cost the most. */
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

/** The keys as ours has them, so that a diff shows what the merge changed and nothing else. */
function inOrderOf(ours: object, theirs: object, merged: KnowledgeGraph | Record<string, unknown>): KnowledgeGraph {
  const keys = Object.keys({ ...ours, ...theirs, ...merged }).filter((key) => Object.hasOwn(merged, key));
  return Object.fromEntries(
    keys.map((key) => [key, (merged as Record<string, unknown>)[key]]),
  ) as unknown as KnowledgeGraph;
}
