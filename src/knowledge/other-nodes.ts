import { isStructuralNode } from "../graph/ids.js";
import type { GraphNode } from "../graph/types.js";
import type { Db } from "../store/sqlite.js";
import { type Description, descriptionsOf, isSameText, textOf } from "./descriptions.js";
import { storedNodes } from "./stored-graph.js";

/** Nodes of a file that are not computed from its code: endpoints, schemas, whatever another tool found in it. */
export const isOther = (node: GraphNode): boolean => !isStructuralNode(node);

/** Those of the stored graph. */
export function otherNodes(db: Db, scope: string, path: string): GraphNode[] {
  return storedNodes(db, scope, path).filter(isOther);
}

/** Where the text that such a node has now comes from; null if it is not stored. */
export function originOfOther(db: Db, path: string, node: GraphNode): Description | null {
  const text = textOf(node);
  const found = descriptionsOf(db, path).filter(
    ({ key, text: other }) => key.name === node.id && isSameText(other, text),
  );
  return found.find(({ source }) => source === "here") ?? found[0] ?? null;
}
