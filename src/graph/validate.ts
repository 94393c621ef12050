import { GraphError } from "./errors.js";
import { edgeKey } from "./ids.js";
import { asObject, type JsonObject } from "./resolve/jsonc.js";
import type { KnowledgeGraph } from "./types.js";

/** The lines that git leaves in a file whose merge it could not finish. */
const conflictMarker = /^(?:<{7}|>{7})(?: |$)/m;

/**
 * A graph from its file's text. Strict about what the rest of the code stands on (ids, ends of edges, paths, layer
 * entries), lenient about the rest: other tools leave fields out and add their own, and both pass through.
 */
export function parseGraph(text: string): KnowledgeGraph {
  const value = parseJson(text);
  const graph = asObject(value);
  if (graph === undefined) throw wrong(`The graph is ${describe(value)}, not an object.`);
  const project = asObject(graph.project);
  if (project === undefined) throw wrong(`The graph's "project" is ${describe(graph.project)}, not an object.`);
  optional(project, "The graph's project", { gitCommitHash: isString, analyzedAt: isString, name: isString });
  listOf(graph, "nodes").forEach(checkNode);
  listOf(graph, "edges").forEach(checkEdge);
  const layers = graph.layers === undefined ? [] : listOf(graph, "layers");
  layers.forEach(checkLayer);
  const tour = graph.tour === undefined ? [] : listOf(graph, "tour");
  tour.forEach(checkStep);
  return { ...graph, layers, tour } as unknown as KnowledgeGraph;
}

function parseJson(text: string): unknown {
  if (text.trim() === "") throw new GraphError("not-json", "The graph's file is empty.");
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    if (conflictMarker.test(text)) {
      throw new GraphError("conflict-markers", "The graph's file holds conflict markers of an unfinished merge.", {
        cause,
      });
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new GraphError("not-json", `The graph's file is not JSON: ${reason}.`, { cause });
  }
}

type Check = { test: (value: unknown) => boolean; wanted: string };
const isString: Check = { test: (value) => typeof value === "string", wanted: "a string" };
const isNumber: Check = { test: (value) => typeof value === "number", wanted: "a number" };
const isStrings: Check = {
  test: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  wanted: "a list of strings",
};
const isRange: Check = {
  test: (value) => Array.isArray(value) && value.length === 2 && value.every((line) => typeof line === "number"),
  wanted: "two line numbers",
};

function checkNode(value: unknown, position: number): void {
  const node = entry(value, `Node ${position}`);
  const where = nameOf(`Node ${position}`, node.id);
  required(node, where, { id: isString, type: isString });
  if (node.id === "") throw wrong(`${where} has an empty "id".`);
  optional(node, where, { name: isString, filePath: isString, lineRange: isRange, summary: isString, tags: isStrings });
}

function checkEdge(value: unknown, position: number): void {
  const edge = entry(value, `Edge ${position}`);
  const where = nameOf(`Edge ${position}`, edge.source, edge.target);
  required(edge, where, { source: isString, target: isString, type: isString });
  optional(edge, where, { direction: isString, description: isString, weight: isNumber });
}

function checkLayer(value: unknown, position: number): void {
  const layer = entry(value, `Layer ${position}`);
  const where = nameOf(`Layer ${position}`, layer.id);
  required(layer, where, { id: isString, nodeIds: isStrings });
  optional(layer, where, { name: isString, description: isString });
}

function checkStep(value: unknown, position: number): void {
  const where = `Tour step ${position}`;
  optional(entry(value, where), where, { order: isNumber, title: isString, description: isString, nodeIds: isStrings });
}

function entry(value: unknown, where: string): JsonObject {
  const found = asObject(value);
  if (found === undefined) throw wrong(`${where} is ${describe(value)}, not an object.`);
  return found;
}

function required(value: JsonObject, where: string, checks: Record<string, Check>): void {
  for (const [field, { test, wanted }] of Object.entries(checks)) {
    if (test(value[field])) continue;
    throw wrong(
      value[field] === undefined
        ? `${where} has no "${field}".`
        : `${where}: "${field}" is ${describe(value[field])}, not ${wanted}.`,
    );
  }
}

/** A field that a model wrote as null is one that it left out. */
function optional(value: JsonObject, where: string, checks: Record<string, Check>): void {
  for (const [field, check] of Object.entries(checks)) {
    if (value[field] !== undefined && value[field] !== null) required(value, where, { [field]: check });
  }
}

function listOf(graph: JsonObject, field: string): unknown[] {
  const list = graph[field];
  if (Array.isArray(list)) return list;
  throw wrong(
    list === undefined ? `The graph has no "${field}".` : `The graph's "${field}" is ${describe(list)}, not a list.`,
  );
}

function nameOf(position: string, ...names: unknown[]): string {
  const known = names.filter((name) => typeof name === "string" && name !== "");
  return known.length === 0 ? position : `${position} (${known.join(" → ")})`;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return typeof value === "string" ? "a string" : `a ${typeof value}`;
}

function wrong(message: string): GraphError {
  return new GraphError("wrong-shape", message);
}

/** What is inconsistent in a graph of the right shape, one sentence each; empty for a sound one. */
export function checkGraph(graph: KnowledgeGraph): string[] {
  const problems: string[] = [];
  const ids = new Set<string>();
  for (const { id } of graph.nodes) {
    if (ids.has(id)) problems.push(`Node ${id} is there twice.`);
    ids.add(id);
  }
  problems.push(...edgeProblems(graph, ids), ...layerProblems(graph, ids));
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
