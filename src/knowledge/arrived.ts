import { type FileAnalysis, sliceAll } from "../graph/analyses.js";
import { isStructuralEdge } from "../graph/build.js";
import { hasDescription, isOwnSummary } from "../graph/descriptions.js";
import { edgeKey } from "../graph/ids.js";
import type { KnowledgeGraph } from "../graph/types.js";
import type { LoadedContext } from "../repository/context.js";
import { keyPath } from "../store/state.js";
import type { Restore } from "../verification/verdicts.js";
import type { BaselineRow } from "./baseline.js";
import { Facts, factKey, storedFacts } from "./facts.js";
import { choiceContext, FileDescriptions, type TextOrigin } from "./file-descriptions.js";
import { type Known, knownAnalysis } from "./known.js";

export interface Arrived {
  analyses: Map<string, { oid: string; known: Known }>;
  /** Files that the graph has to show in another way than it came. */
  restores: Restore[];
}

/**
 * A graph that something else wrote or brought: the written descriptions in it are stored, and for every file that text is chosen
 * that stands for its content, whatever the graph says (invariant "nothing written is lost").
 */
export async function takeIn(
  context: LoadedContext,
  graph: KnowledgeGraph,
  rows: ReadonlyMap<string, BaselineRow>,
  { origin, isTracked }: { origin: TextOrigin; isTracked: boolean },
): Promise<Arrived> {
  const { db, project, config } = context;
  const slices = sliceAll(graph);
  const described = new Set(
    db.all<{ path: string }>("SELECT DISTINCT path FROM descriptions").map(({ path }) => keyPath(path)),
  );
  const files = [...rows].flatMap(([path, { oid }]) => (oid === null ? [] : [{ path, oid }]));
  const written = files.filter(
    ({ path }) => described.has(path) || (slices.get(path)?.nodes ?? []).some(hasDescription),
  );
  const facts = await new Facts(storedFacts(db, { keep: true }), project.worktree.path, config).of(written);
  const isWritten = new Set(written.map(({ path }) => path));
  const arrived: Arrived = { analyses: new Map(), restores: [] };
  const around = choiceContext(db, project.scope, {
    trackedCounts: isTracked,
    oidOf: (path) => rows.get(path)?.oid ?? null,
  });
  db.write(() => {
    for (const { path, oid } of files) {
      const slice = slices.get(path) ?? { nodes: [], edges: [], inboundFrom: [] };
      const stored = knownAnalysis(db, path, oid);
      if (!isWritten.has(path)) {
        if (stored === null || stored.source === "structural")
          arrived.analyses.set(path, { oid, known: { analysis: slice, source: "structural" } });
        continue;
      }
      const store = new FileDescriptions(around, { path, oid, fact: facts.get(factKey({ path, oid })) });
      store.put(slice.nodes, origin, { renew: false });
      const known = merged(slice, stored, store);
      arrived.analyses.set(path, { oid, known });
      if (!isEqual(known.analysis, slice)) arrived.restores.push({ path, oid });
    }
  });
  return arrived;
}

/** What the graph has of a file, and what was stored for the same content and is not there. */
function merged(slice: FileAnalysis, stored: Known | null, store: FileDescriptions): Known {
  const before = stored?.analysis;
  const here = new Set(slice.nodes.map(({ id }) => id));
  const missing = (before?.nodes ?? []).filter((node) => !here.has(node.id) && hasDescription(node));
  const nodes = store.describe([...slice.nodes, ...missing]);
  const there = new Set(slice.edges.map(edgeKey));
  const edges = (before?.edges ?? []).filter((edge) => !there.has(edgeKey(edge)) && !isStructuralEdge(edge));
  const layer = slice.layer ?? before?.layer;
  const source = nodes.every(isOwnSummary)
    ? "structural"
    : stored === null || stored.source === "structural"
      ? "found"
      : stored.source;
  return {
    analysis: {
      ...{ nodes, edges: [...slice.edges, ...edges] },
      ...(layer === undefined ? {} : { layer }),
      inboundFrom: [...new Set([...slice.inboundFrom, ...(before?.inboundFrom ?? [])])].sort(),
    },
    source,
  };
}

function isEqual(a: FileAnalysis, b: FileAnalysis): boolean {
  return JSON.stringify([a.nodes, a.edges]) === JSON.stringify([b.nodes, b.edges]);
}
