import { type ArtefactKind, type Covers, mergeArtefact, repairConflicted } from "../../src/graph/artefact-merge.js";
import { mergedGraphText } from "../../src/graph/driver.js";
import { readSides } from "../../src/graph/driver-sides.js";
import { canonicalHead, canonicalPiece } from "../../src/graph/pieces.js";
import { sourceOfBytes } from "../../src/graph/source.js";
import type { GraphNode, KnowledgeGraph } from "../../src/graph/types.js";
import fc from "../support/fast-check.js";
import { aNode, anEdge } from "./support.js";

/** Sound graphs over a small universe, so that three drawn at random meet in every way a merge can. */

const PATHS = ["a.ts", "src/b.ts", "src/c.ts", "lib/d.ts"];
const NAMES = ["f", "g"];
const LAYERS = ["layer:one", "layer:two", "layer:three"];
const SUMMARIES = ["Function with 1 parameter", "What an agent wrote", "What another agent wrote"];

const fileModel = fc.record({
  path: fc.constantFrom(...PATHS),
  functions: fc.uniqueArray(fc.record({ name: fc.constantFrom(...NAMES), summary: fc.nat(2), line: fc.nat(2) }), {
    selector: ({ name }) => name,
  }),
  summary: fc.nat(2),
  layer: fc.nat(2),
  hasConcept: fc.boolean(),
});

const graphModel = fc.record({
  files: fc.uniqueArray(fileModel, { selector: ({ path }) => path }),
  edges: fc.array(fc.tuple(fc.nat(9), fc.nat(9), fc.constantFrom("imports", "calls", "explains"), fc.nat(1)), {
    maxLength: 8,
  }),
  tour: fc.uniqueArray(fc.tuple(fc.constantFrom("Start", "Core", "End"), fc.nat(9)), { selector: ([title]) => title }),
  at: fc.nat(2),
  commit: fc.nat(2),
  extra: fc.option(fc.nat(2), { nil: undefined }),
});

type Model = typeof graphModel extends fc.Arbitrary<infer T> ? T : never;

export const anyGraph: fc.Arbitrary<KnowledgeGraph> = graphModel.map(build);

function build({ files, edges, tour, at, commit, extra }: Model): KnowledgeGraph {
  const nodes: GraphNode[] = files.flatMap(({ path, functions, summary, hasConcept }) => [
    aNode(`file:${path}`, { summary: SUMMARIES[summary] ?? "" }),
    ...functions.map((fn) =>
      aNode(`function:${path}:${fn.name}`, {
        summary: SUMMARIES[fn.summary] ?? "",
        lineRange: [fn.line, fn.line + 1] as [number, number],
      }),
    ),
    ...(hasConcept ? [{ ...aNode(`concept:${path}`), filePath: path }] : []),
  ]);
  const at10 = (index: number) => nodes[index % Math.max(nodes.length, 1)]?.id ?? "";
  const known = new Map(
    nodes.length === 0
      ? []
      : edges.map(([from, to, type, weight]) => {
          const edge = anEdge(at10(from), at10(to), type, { weight });
          return [`${edge.source} ${edge.target} ${type}`, edge];
        }),
  );
  const layers = LAYERS.map((id, index) => ({
    id,
    name: `${id} ${extra ?? ""}`,
    description: "",
    nodeIds: files.filter(({ layer }) => layer === index).map(({ path }) => `file:${path}`),
  }));
  const steps = nodes.length === 0 ? [] : tour.map(([title, node]) => ({ title, nodeIds: [at10(node)] }));
  return {
    version: "1.0.0",
    project: {
      ...{ name: "p", languages: [`l${at}`], frameworks: [], description: "" },
      ...{ analyzedAt: `2026-01-0${at + 1}T00:00:00Z`, gitCommitHash: `c${commit}` },
    },
    nodes,
    edges: [...known.values()],
    layers: layers.filter(({ nodeIds }) => nodeIds.length > 0),
    tour: steps.map((step, index) => ({ order: index + 1, description: "", ...step })),
    ...(extra === undefined ? {} : { extra }),
  };
}

const sourceOf = (text: string) => sourceOfBytes(Buffer.from(text));
const textOf = (parts: () => Iterable<Buffer>) => Buffer.concat([...parts()]).toString("utf8");

/** The driver's merge of graphs that are in memory. */
export function mergeGraphs(
  base: KnowledgeGraph | null,
  ours: KnowledgeGraph,
  theirs: KnowledgeGraph,
  commit: string,
): KnowledgeGraph {
  const source = (graph: KnowledgeGraph) => sourceOf(JSON.stringify(graph));
  const sides = readSides({
    base: base === null ? undefined : source(base),
    ours: source(ours),
    theirs: source(theirs),
  });
  return JSON.parse(textOf(mergedGraphText(sides, commit))) as KnowledgeGraph;
}

/** The same for the texts of any artefact. */
export async function mergeTexts(
  kind: ArtefactKind,
  { base, ours, theirs }: { base: string | null; ours: string; theirs: string },
  covers: Covers,
): Promise<Record<string, unknown>> {
  const sources = { base: base === null ? null : sourceOf(base), ours: sourceOf(ours), theirs: sourceOf(theirs) };
  return JSON.parse(textOf(await mergeArtefact(kind, sources, covers))) as Record<string, unknown>;
}

export async function repairText(kind: ArtefactKind, text: string, covers: Covers): Promise<KnowledgeGraph | null> {
  const merged = await repairConflicted(kind, sourceOf(text), covers);
  return merged === null ? null : (JSON.parse(textOf(merged)) as KnowledgeGraph);
}

/** In the order in which graphs are written. */
export function canonical(graph: KnowledgeGraph): string {
  const home = new Map(graph.nodes.map(({ id, filePath }) => [id, filePath ?? ""]));
  const pieces = [...new Set(home.values())].sort().map((path) =>
    canonicalPiece({
      nodes: graph.nodes.filter(({ id }) => home.get(id) === path),
      edges: graph.edges.filter(({ source }) => home.get(source) === path),
    }),
  );
  const lists = { nodes: pieces.flatMap(({ nodes }) => nodes), edges: pieces.flatMap(({ edges }) => edges) };
  return JSON.stringify({ ...canonicalHead(graph), ...lists });
}
