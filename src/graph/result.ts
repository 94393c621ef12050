import { jsonProblem, UaError } from "../errors.js";
import { fromJson } from "../json.js";
import { isTooDeep, MAX_DEPTH } from "../json-depth.js";
import { GraphError, isGraphError } from "./errors.js";
import { insideId, insideNode, insidePath } from "./incoming.js";
import { asObject, type JsonObject } from "./resolve/jsonc.js";
import {
  checkAll,
  checkEntry,
  describe,
  isString,
  isStrings,
  type Shape,
  type ShapeCheck,
  shapes,
  wrong,
} from "./shapes.js";
import type { GraphEdge, GraphNode, Layer, TourStep } from "./types.js";

/** What an agent or a command delivers for some files. */
export interface Result {
  /** The files that were analysed, relative to the project. */
  files: string[];
  nodes: GraphNode[];
  edges: GraphEdge[];
  layers?: Layer[];
  tour?: TourStep[];
}

export const MAX_RESULT_BYTES = 64 * 1024 * 1024;

/**
 * Parses a delivered result: checked, with paths relative to `root`, and with the fields that readers of a graph need.
 * Uses the checks of the graph: a schema library would be a second description of the same format, and its errors would
 * not name the node.
 */
export function parseResult(text: string, root: string): Result {
  return refusing(() => readResult(parseText(text), root.replace(/\/+$/, "")));
}

/** The JSON of a delivery in any form, within the limits of one. */
export const parseDelivery = (text: string): unknown => refusing(() => parseText(text));

function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isGraphError(error)) throw error;
    const next =
      'a result is { "files"?: […], "nodes": […], "edges": […], "layers"?: […], "tour"?: […] }, or { "descriptions": { "<id>": { "summary" } } }; nothing was changed';
    throw new UaError("usage", `the result cannot be used: ${error.message}`, next, error);
  }
}

function parseText(text: string): unknown {
  if (text.length > MAX_RESULT_BYTES || Buffer.byteLength(text) > MAX_RESULT_BYTES) {
    throw wrong(`It is larger than ${MAX_RESULT_BYTES / 1024 / 1024} MB.`);
  }
  if (text.trim() === "") throw new GraphError("not-json", "It is empty.");
  if (text.trimStart().startsWith("```")) {
    throw new GraphError("not-json", "It is wrapped in a Markdown fence; deliver the JSON alone.");
  }
  if (isTooDeep(text)) throw wrong(`It is nested deeper than ${MAX_DEPTH} levels.`);
  try {
    return fromJson(text);
  } catch (cause) {
    throw new GraphError("not-json", `It ${jsonProblem(text, cause)}.`, { cause });
  }
}

const isComplexity: ShapeCheck = {
  test: (value) => value === "simple" || value === "moderate" || value === "complex",
  wanted: '"simple", "moderate" or "complex"',
};
const isDirection: ShapeCheck = {
  test: (value) => value === "forward" || value === "backward" || value === "bidirectional",
  wanted: '"forward", "backward" or "bidirectional"',
};

/** Stricter than for an existing graph: new data must have everything that readers use. */
const node: Shape = { ...shapes.node, optional: [...shapes.node.optional, ["complexity", isComplexity]] };
const edge: Shape = { ...shapes.edge, optional: [...shapes.edge.optional, ["direction", isDirection]] };
const step: Shape = {
  ...shapes.step,
  required: [
    ["title", isString],
    ["nodeIds", isStrings],
  ],
};

function readResult(value: unknown, root: string): Result {
  const result = asObject(value);
  if (result === undefined) throw wrong(`It is ${describe(value)}, not an object.`);
  const nodes = entries(result, "nodes", node).map((entry) => insideNode(withNodeDefaults(entry), root));
  const edges = entries(result, "edges", edge).map((entry) => insideEdge(withEdgeDefaults(entry), root));
  if (result.files !== undefined && result.files !== null) {
    checkEntry(result, { kind: "The result", names: [], required: [], optional: [["files", isStrings]] });
  }
  const listed = (result.files ?? null) as string[] | null;
  const files = listed?.map((path) => insidePath(path, root, 'The list "files"'));
  return {
    files: [...new Set(files ?? nodes.flatMap(({ filePath }) => filePath ?? []))],
    nodes,
    edges,
    ...(isGiven(result.layers) ? { layers: groups<Layer>(result, "layers", shapes.layer, root) } : {}),
    ...(isGiven(result.tour) ? { tour: numbered(groups<TourStep>(result, "tour", step, root)) } : {}),
  };
}

/** Models write null for a field that they leave out. */
const isGiven = (value: unknown) => value !== undefined && value !== null;

function entries(result: JsonObject, field: string, shape: Shape): JsonObject[] {
  const list = result[field];
  if (!Array.isArray(list)) {
    throw wrong(list === undefined ? `It has no "${field}".` : `Its "${field}" is ${describe(list)}, not a list.`);
  }
  checkAll(list, shape);
  return list as JsonObject[];
}

function groups<T extends Layer | TourStep>(result: JsonObject, field: string, shape: Shape, root: string): T[] {
  return entries(result, field, shape).map((entry) => {
    const nodeIds = (entry.nodeIds as string[]).map((id) => insideId(id, root));
    const name = field === "layers" ? { name: entry.name ?? entry.id } : {};
    return { ...entry, ...name, description: entry.description ?? "", nodeIds } as unknown as T;
  });
}

function numbered(tour: readonly TourStep[]): TourStep[] {
  return tour.map((entry, at) => (typeof entry.order === "number" ? entry : { ...entry, order: at + 1 }));
}

function withNodeDefaults(entry: JsonObject): GraphNode {
  const { id, name, summary, tags, complexity, filePath, lineRange, ...others } = entry;
  const ownName = String(id).slice(Math.max(String(id).lastIndexOf(":"), String(id).lastIndexOf("/")) + 1);
  return {
    ...{ id, type: others.type, name: name ?? ownName },
    ...(isGiven(filePath) ? { filePath } : {}),
    ...(isGiven(lineRange) ? { lineRange } : {}),
    ...{ summary: summary ?? "", tags: tags ?? [], complexity: complexity ?? "moderate" },
    ...others,
  } as GraphNode;
}

function withEdgeDefaults(entry: JsonObject): GraphEdge {
  const { source, target, type, direction, description, weight, ...others } = entry;
  return {
    ...{ source, target, type, direction: direction ?? "forward" },
    ...(isGiven(description) ? { description } : {}),
    weight: weight ?? 0.5,
    ...others,
  } as GraphEdge;
}

function insideEdge(entry: GraphEdge, root: string): GraphEdge {
  return { ...entry, source: insideId(entry.source, root), target: insideId(entry.target, root) };
}
