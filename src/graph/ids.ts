import { languageOf } from "../fingerprint/languages.js";
import type { ClassKind } from "../fingerprint/types.js";
import type { GraphNode } from "./types.js";
import type { EdgeEnds } from "./update.js";

/** The ids that Understand-Anything gives to nodes: their type, the path, and the name of a symbol. */

export const fileId = (path: string) => `file:${path}`;
export const symbolId = (type: SymbolNodeType, path: string, name: string) => `${type}:${path}:${name}`;

/** What a symbol is: the kind by which descriptions are stored. */
export type SymbolKind = "function" | "class";
/** The type of a symbol's node: its kind, or `concept`. */
export type SymbolNodeType = SymbolKind | "concept";

/**
 * Understand-Anything checks before an incremental update is saved that no `function` or `class` of the graph has gone unless its parser says so,
 * and its parser knows neither functions of shell scripts nor TypeScript's interfaces, enums and type aliases: an edit of such a symbol would stop
 * every update from then on. Its check leaves out `concept`, which its schema and its dashboard count as code.
 */
export function isUncheckedClass(path: string, kind: ClassKind): boolean {
  return uncheckedIn(path) === "types" && (kind === "interface" || kind === "enum" || kind === "type");
}

/** `ownerKind`: of the class that has the method. */
export function isUncheckedFunction(path: string, ownerKind: ClassKind | undefined): boolean {
  const unchecked = uncheckedIn(path);
  return unchecked === "functions" || (ownerKind !== undefined && isUncheckedClass(path, ownerKind));
}

function uncheckedIn(path: string): "functions" | "types" | undefined {
  const language = languageOf(path)?.name;
  if (language === "bash") return "functions";
  return language === "typescript" || language === "tsx" ? "types" : undefined;
}

/** An id of a `concept` that is a symbol; those of other tools have no path of such a file. */
function isUncheckedId(id: string): boolean {
  return id.startsWith("concept:") && uncheckedIn(placeOf(id).path) !== undefined;
}

export function isSymbolId(id: string): boolean {
  return id.startsWith("function:") || id.startsWith("class:") || isUncheckedId(id);
}

/** Whether a function can have this id. */
export function isFunctionId(id: string): boolean {
  return id.startsWith("function:") || isUncheckedId(id);
}

/**
 * The path and name in an id. Both may contain colons: `lib::help` in a shell script, `declare module "node:fs"`. The path ends at the
 * first one that a file of a known language can end at.
 */
export function placeOf(id: string): { path: string; name: string } {
  const start = id.indexOf(":") + 1;
  let end = id.indexOf(":", start);
  while (end >= 0 && languageOf(id.slice(start, end)) === undefined) end = id.indexOf(":", end + 1);
  if (end < 0) end = id.lastIndexOf(":");
  return { path: id.slice(start, end), name: id.slice(end + 1) };
}

/** Whether a node is of those that the structural analyzer creates. */
export function isStructuralNode({ id, type, filePath }: Pick<GraphNode, "id" | "type" | "filePath">): boolean {
  if (type === "concept") return filePath !== undefined && id.startsWith(`concept:${filePath}:`) && isUncheckedId(id);
  return type === "file" || type === "function" || type === "class";
}

/** What a node may be by our kinds: a `concept` among our nodes says only which ones. */
export function kindsOf(node: Pick<GraphNode, "id" | "type" | "filePath">): string[] {
  return node.type === "concept" && isStructuralNode(node) ? ["class", "function"] : [node.type];
}

/** An edge is identified by its ends and its type; NUL occurs in none of them. */
export function edgeKey(edge: EdgeEnds): string {
  return `${edge.source}\0${edge.target}\0${edge.type}`;
}
