import type { EdgeEnds } from "./update.js";

/** The ids that Understand-Anything gives to nodes. */

export const fileId = (path: string) => `file:${path}`;
export const functionId = (path: string, name: string) => `function:${path}:${name}`;
export const classId = (path: string, name: string) => `class:${path}:${name}`;

/** The path and name in an id: names contain no colon, paths may. */
export function placeOf(id: string): { path: string; name: string } {
  const last = id.lastIndexOf(":");
  return { path: id.slice(id.indexOf(":") + 1, last), name: id.slice(last + 1) };
}

/** The node types that the structural analyzer creates. */
export const structuralNodeTypes: ReadonlySet<string> = new Set(["file", "function", "class"]);

/** An edge is identified by its ends and its type; NUL occurs in none of them. */
export function edgeKey(edge: EdgeEnds): string {
  return `${edge.source}\0${edge.target}\0${edge.type}`;
}
