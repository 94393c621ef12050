import type { FileFingerprint } from "../../src/fingerprint/types.js";
import { buildHead, edgeContext, edgesOfFile, nodesOfFile } from "../../src/graph/build.js";
import type { EdgeContext } from "../../src/graph/edge-context.js";
import { edgeKey } from "../../src/graph/ids.js";
import type { Resolver } from "../../src/graph/imports.js";
import { changeGraph, type GraphUpdate, tidyGroups } from "../../src/graph/merge.js";
import { usedIdentifiers } from "../../src/graph/names.js";
import { NOTHING_OUTSIDE } from "../../src/graph/node-table.js";
import { byText } from "../../src/graph/order.js";
import type { ProjectTexts } from "../../src/graph/project-texts.js";
import { type NameIndex, type Relinked, type RelinkUpdate, relinkedFiles, targetsAt } from "../../src/graph/relink.js";
import type { KnowledgeGraph } from "../../src/graph/types.js";

/** What the program does with a part of a graph at a time, done with a whole one in memory: the model that it is compared with. */

/**
 * The merge with all repairs: edges from unchanged files to ids that exist again are kept; there are no duplicates and
 * no dangling edges, and every file is in one layer. What the update does not mention stays byte for byte in its place.
 */
export function applyUpdate(graph: KnowledgeGraph, update: GraphUpdate): KnowledgeGraph {
  const next = changeGraph(graph, update, NOTHING_OUTSIDE);
  const ids = new Set(next.nodes.map(({ id }) => id));
  return tidyGroups(next, (id) => ids.has(id));
}

export interface BuildInput {
  name: string;
  /** What manifests and READMEs say. */
  texts?: ProjectTexts;
  commit: string;
  analyzedAt: string;
  fingerprints: ReadonlyMap<string, FileFingerprint>;
  resolver: Resolver;
}

/** Builds the structural graph, file by file in the order of paths, so that one file can be rebuilt alone. */
export function buildGraph({ fingerprints, resolver, ...given }: BuildInput): KnowledgeGraph {
  const files = [...fingerprints].sort(([a], [b]) => byText(a, b));
  const context = edgeContext(fingerprints, resolver);
  return {
    ...buildHead(given, fingerprints.keys()),
    nodes: files.flatMap(([path, fp]) => nodesOfFile(path, fp)),
    edges: files.flatMap(([path, fp]) => edgesOfFile(path, fp, context)),
  };
}

/** By reading all files. */
function scan(before: EdgeContext, after: EdgeContext): NameIndex {
  const paths = [...after.paths()];
  return {
    mentioning: (identifiers) =>
      paths.filter((path) => {
        const fp = after.fingerprintOf(path);
        return fp !== undefined && [...usedIdentifiers(fp)].some((identifier) => identifiers.has(identifier));
      }),
    withOtherTargets: () => paths.filter((path) => String(targetsAt(before, path)) !== String(targetsAt(after, path))),
  };
}

/** What changes in all files together. */
export function relink(before: EdgeContext, after: EdgeContext, update: RelinkUpdate): Relinked {
  const all: Relinked = { edges: [], unlinked: [] };
  for (const { edges, unlinked } of relinkedFiles(before, after, update, scan(before, after))) {
    for (const edge of edges) all.edges.push(edge);
    for (const edge of unlinked) all.unlinked.push(edge);
  }
  return all;
}

/** The inconsistencies in a graph of the right shape, one message each; empty if there are none. */
export function checkGraph(graph: KnowledgeGraph): string[] {
  const problems: string[] = [];
  const ids = new Set<string>();
  for (const { id } of graph.nodes) {
    if (ids.has(id)) problems.push(`Node ${id} is there twice.`);
    ids.add(id);
  }
  for (const problem of edgeProblems(graph, ids)) problems.push(problem);
  for (const problem of layerProblems(graph, ids)) problems.push(problem);
  graph.tour.forEach((step, position) => {
    for (const id of step.nodeIds ?? []) {
      if (!ids.has(id)) problems.push(`Tour step ${position} names ${id}, which is no node.`);
    }
  });
  return problems;
}

function edgeProblems(graph: KnowledgeGraph, ids: ReadonlySet<string>): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const edge of graph.edges) {
    const name = `Edge ${edge.source} → ${edge.target} (${edge.type})`;
    const lost = [edge.source, edge.target].find((id) => !ids.has(id));
    if (lost !== undefined) problems.push(`${name} ends at ${lost}, which is no node.`);
    const key = edgeKey(edge);
    if (seen.has(key)) problems.push(`${name} is there twice.`);
    seen.add(key);
  }
  return problems;
}

function layerProblems(graph: KnowledgeGraph, ids: ReadonlySet<string>): string[] {
  const problems: string[] = [];
  const layersOf = new Map<string, string[]>();
  for (const layer of graph.layers) {
    if (layer.nodeIds.length === 0) problems.push(`Layer ${layer.id} is empty.`);
    for (const id of layer.nodeIds) {
      if (!ids.has(id)) problems.push(`Layer ${layer.id} names ${id}, which is no node.`);
      layersOf.set(id, [...(layersOf.get(id) ?? []), layer.id]);
    }
  }
  for (const { id, type } of graph.nodes) {
    const layers = layersOf.get(id) ?? [];
    if (type !== "file" || layers.length === 1) continue;
    problems.push(layers.length === 0 ? `${id} is in no layer.` : `${id} is in several layers: ${layers.join(", ")}.`);
  }
  return problems;
}
