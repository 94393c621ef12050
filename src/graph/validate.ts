import { jsonProblem } from "../errors.js";
import { GraphError } from "./errors.js";
import { edgeKey } from "./ids.js";
import { asObject, type JsonObject } from "./resolve/jsonc.js";
import { checkAll, checkEntry, describe, shapes, wrong } from "./shapes.js";
import type { KnowledgeGraph } from "./types.js";

/** The lines that git leaves in a file whose merge it could not finish. */
const conflictMarker = /^(?:<{7}|>{7})(?: |$)/m;

/**
 * Parses a graph. Strict about what the code needs (ids, ends of edges, paths, layer entries), lenient about the rest:
 * other tools leave fields out and add their own, and both are kept. A text that was checked before is not checked
 * again.
 */
export function parseGraph(text: string, { isChecked = false } = {}): KnowledgeGraph {
  const value = parseJson(text);
  const graph = asObject(value);
  if (graph === undefined) throw wrong(`The graph is ${describe(value)}, not an object.`);
  const project = asObject(graph.project);
  if (project === undefined) throw wrong(`The graph's "project" is ${describe(graph.project)}, not an object.`);
  const check = isChecked ? () => {} : checkAll;
  checkEntry(project, shapes.project);
  check(listOf(graph, "nodes"), shapes.node);
  check(listOf(graph, "edges"), shapes.edge);
  const layers = graph.layers === undefined ? [] : listOf(graph, "layers");
  check(layers, shapes.layer);
  const tour = graph.tour === undefined ? [] : listOf(graph, "tour");
  check(tour, shapes.step);
  return { ...graph, layers, tour } as unknown as KnowledgeGraph;
}

function parseJson(text: string): unknown {
  if (text.trim() === "") throw new GraphError("not-json", "The graph's file is empty.");
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (cause) {
    if (conflictMarker.test(text)) {
      throw new GraphError("conflict-markers", "The graph's file holds conflict markers of an unfinished merge.", {
        cause,
      });
    }
    throw new GraphError("not-json", `The graph's file ${jsonProblem(text, cause)}.`, { cause });
  }
}

function listOf(graph: JsonObject, field: string): unknown[] {
  const list = graph[field];
  if (Array.isArray(list)) return list;
  throw wrong(
    list === undefined ? `The graph has no "${field}".` : `The graph's "${field}" is ${describe(list)}, not a list.`,
  );
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
