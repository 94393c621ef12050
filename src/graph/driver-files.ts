import { isStructuralNode } from "./ids.js";
import { byText } from "./order.js";
import { type Side, same } from "./three-way.js";
import type { GraphNode } from "./types.js";

/** Which side's analysis of a file is used in a merge, if it is not the same on both. */
export interface MergeVerdict {
  side: Side;
  /** Both sides analysed the file again, with different results. */
  contested: boolean;
  /** The other side deleted the file that this one changed: everything that this side has about it stays. */
  whole: boolean;
}

type Nodes = readonly GraphNode[];

/** From the nodes that each side has of a file; none: the side does not have the file. */
export function decideFile(base: Nodes, ours: Nodes, theirs: Nodes, newer: Side): MergeVerdict | undefined {
  if (ours.length === 0 || theirs.length === 0) {
    // Only one side has the file: it is new there, or it was deleted on the other side and is kept if this side changed
    // it.
    const [kept, side]: [Nodes, Side] = ours.length === 0 ? [theirs, "theirs"] : [ours, "ours"];
    const isUnchanged = base.length === 0 || same(sorted(base), sorted(kept));
    return isUnchanged ? undefined : { side, contested: true, whole: true };
  }
  if (sameFacts(ours, theirs)) return undefined;
  if (sameFacts(base, ours)) return { side: "theirs", contested: false, whole: false };
  if (sameFacts(base, theirs)) return { side: "ours", contested: false, whole: false };
  return { side: newer, contested: true, whole: false };
}

/** The order in a file is the writer's choice. */
const sorted = (nodes: Nodes) => [...nodes].sort((a, b) => byText(a.id, b.id));

function sameFacts(a: Nodes, b: Nodes): boolean {
  const [left, right] = [sorted(a.filter(isStructuralNode)), sorted(b.filter(isStructuralNode))];
  return left.length === right.length && left.every((node, at) => isSameFact(node, right[at]));
}

function isSameFact(a: GraphNode, b: GraphNode | undefined): boolean {
  return a.id === b?.id && a.type === b.type && same(a.lineRange, b.lineRange);
}
