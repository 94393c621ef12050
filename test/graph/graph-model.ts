import type { GraphUpdate } from "../../src/graph/merge.js";
import type { GraphEdge, GraphNode, KnowledgeGraph } from "../../src/graph/types.js";
import fc from "../support/fast-check.js";
import { aNode, anEdge } from "./support.js";

/** Random graphs of five files, and random updates of them. */

const paths = ["a.ts", "src/a.ts", "src/b.ts", "src/x/c.ts", "lib/d.py"];
const arbitraryPath = fc.constantFrom(...paths);

const arbitraryNode: fc.Arbitrary<GraphNode> = fc
  .record({
    path: arbitraryPath,
    name: fc.constantFrom("", ":f", ":g"),
    kind: fc.constantFrom("file", "function", "class", "endpoint", "concept"),
    summary: fc.constantFrom("Prose", "Function with 1 parameter", ""),
  })
  .map(({ path, name, kind, summary }) => {
    if (kind === "concept")
      return { id: `concept:${path}`, type: kind, name: "", summary, tags: [], complexity: "simple" };
    return aNode(kind === "file" ? `file:${path}` : `${kind}:${path}${name}`, { summary });
  });

const arbitraryId = fc.oneof(
  arbitraryNode.map(({ id }) => id),
  fc.constant("file:gone.ts"),
);
const arbitraryEdge: fc.Arbitrary<GraphEdge> = fc
  .tuple(arbitraryId, arbitraryId, fc.constantFrom("imports", "contains", "calls"))
  .map(([source, target, type]) => anEdge(source, target, type));
const arbitraryLayers = fc.array(
  fc.record({
    id: fc.constantFrom("layer:src", "layer:one", "layer:two"),
    name: fc.constant(""),
    description: fc.constant(""),
    nodeIds: fc.array(arbitraryId, { maxLength: 6 }),
  }),
  { maxLength: 4 },
);
const arbitraryTour = fc.array(
  fc.record({
    order: fc.nat(9),
    title: fc.constant(""),
    description: fc.constant(""),
    nodeIds: fc.array(arbitraryId, { maxLength: 3 }),
  }),
  { maxLength: 3 },
);

/** Of the right shape and otherwise as broken as other tools leave them. */
export const arbitraryGraph: fc.Arbitrary<KnowledgeGraph> = fc.record({
  version: fc.constant("1.0.0"),
  project: fc.constant({ name: "", languages: [], frameworks: [], description: "", analyzedAt: "", gitCommitHash: "" }),
  nodes: fc.array(arbitraryNode, { maxLength: 12 }),
  edges: fc.array(arbitraryEdge, { maxLength: 12 }),
  layers: arbitraryLayers,
  tour: arbitraryTour,
});

export const arbitraryUpdate: fc.Arbitrary<GraphUpdate> = fc.record(
  {
    files: fc.subarray(paths),
    deleted: fc.subarray(paths, { maxLength: 1 }),
    renamed: fc.array(fc.record({ from: arbitraryPath, to: fc.constantFrom("new.ts", "src/new.ts", "src/b.ts") }), {
      maxLength: 1,
    }),
    nodes: fc.array(arbitraryNode, { maxLength: 8 }),
    edges: fc.array(arbitraryEdge, { maxLength: 8 }),
    commit: fc.constant("c"),
    at: fc.constant("t"),
    structural: fc.boolean(),
    layers: arbitraryLayers,
    tour: arbitraryTour,
    drift: fc.constant(new Map(paths.map((path) => [path, "interface" as const]))),
  },
  { requiredKeys: ["files", "deleted", "renamed", "nodes", "edges", "commit", "at"] },
);
