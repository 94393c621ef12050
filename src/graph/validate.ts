import { jsonProblem } from "../errors.js";
import { GraphError } from "./errors.js";
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
