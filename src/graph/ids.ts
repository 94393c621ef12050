import { languageOf } from "../fingerprint/languages.js";
import type { EdgeEnds } from "./update.js";

/** The ids that Understand-Anything gives to nodes. */

export const fileId = (path: string) => `file:${path}`;
export const functionId = (path: string, name: string) => `function:${path}:${name}`;
export const classId = (path: string, name: string) => `class:${path}:${name}`;

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

/** The node types that the structural analyzer creates. */
export const structuralNodeTypes: ReadonlySet<string> = new Set(["file", "function", "class"]);

/** An edge is identified by its ends and its type; NUL occurs in none of them. */
export function edgeKey(edge: EdgeEnds): string {
  return `${edge.source}\0${edge.target}\0${edge.type}`;
}
