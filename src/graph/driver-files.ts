import { structuralNodeTypes } from "./ids.js";
import { type Side, same } from "./three-way.js";
import type { GraphNode } from "./types.js";

/** Which side's analysis of a file is used in a merge, if it is not the same on both. */
interface MergeVerdict {
  side: Side;
  /** Both sides analysed the file again, with different results. */
  contested: boolean;
  /** The other side deleted the file that this one changed: everything that this side has about it stays. */
  whole: boolean;
}

export interface Verdicts {
  of(path: string | undefined): MergeVerdict | undefined;
  pathOf(id: string): string | undefined;
}

export function createVerdicts(
  base: readonly GraphNode[],
  ours: readonly GraphNode[],
  theirs: readonly GraphNode[],
  newer: Side,
): Verdicts {
  const paths = new Map<string, string>();
  const [was, left, right] = [base, ours, theirs].map((nodes) => nodesByFile(nodes, paths));
  const verdicts = new Map<string, MergeVerdict>();
  for (const path of new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])])) {
    const verdict = decideFile(was?.get(path), left?.get(path), right?.get(path), newer);
    if (verdict !== undefined) verdicts.set(path, verdict);
  }
  return {
    of: (path) => (path === undefined ? undefined : verdicts.get(path)),
    pathOf: (id) => paths.get(id),
  };
}

function nodesByFile(nodes: readonly GraphNode[], paths: Map<string, string>): Map<string, GraphNode[]> {
  const files = new Map<string, GraphNode[]>();
  for (const node of nodes) {
    if (node.filePath === undefined) continue;
    paths.set(node.id, node.filePath);
    const known = files.get(node.filePath);
    if (known) known.push(node);
    else files.set(node.filePath, [node]);
  }
  return files;
}

type MaybeNodes = readonly GraphNode[] | undefined;

function decideFile(base: MaybeNodes, ours: MaybeNodes, theirs: MaybeNodes, newer: Side): MergeVerdict | undefined {
  if (ours === undefined || theirs === undefined) {
    // Only one side has the file: it is new there, or it was deleted on the other side and is kept if this side changed
    // it.
    const [kept, side]: [MaybeNodes, Side] = ours === undefined ? [theirs, "theirs"] : [ours, "ours"];
    return base === undefined || same(base, kept) ? undefined : { side, contested: true, whole: true };
  }
  if (sameFacts(ours, theirs)) return undefined;
  if (sameFacts(base, ours)) return { side: "theirs", contested: false, whole: false };
  if (sameFacts(base, theirs)) return { side: "ours", contested: false, whole: false };
  return { side: newer, contested: true, whole: false };
}

function sameFacts(a: MaybeNodes, b: MaybeNodes): boolean {
  if (a === undefined || b === undefined) return a === b;
  const [left, right] = [a.filter(isFact), b.filter(isFact)];
  return left.length === right.length && left.every((node, at) => isSameFact(node, right[at]));
}

const isFact = ({ type }: GraphNode) => structuralNodeTypes.has(type);

function isSameFact(a: GraphNode, b: GraphNode | undefined): boolean {
  return a.id === b?.id && a.type === b.type && same(a.lineRange, b.lineRange);
}
