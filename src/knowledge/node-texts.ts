import type { FileFingerprint } from "../fingerprint/types.js";
import { nodesOfFile } from "../graph/build.js";
import { withoutReview } from "../graph/descriptions.js";
import type { GraphNode } from "../graph/types.js";
import type { Nearness } from "./choose.js";
import { hasDescriptions, withText } from "./descriptions.js";
import { choiceContext, FileDescriptions } from "./file-descriptions.js";
import { isOther } from "./other-nodes.js";
import type { GraphChange } from "./reshape.js";

/** With what was written for this content before, or for the nearest to it, here or where a symbol was. */
export function describedNodes(
  change: GraphChange,
  { path, fp }: { path: string; fp: FileFingerprint },
  mayDescribe: (node: GraphNode, nearness: Nearness) => boolean = () => true,
): GraphNode[] {
  const { plan, after, context } = change;
  const { db, project } = context;
  const nodes = nodesOfFile(path, fp);
  if (!hasDescriptions(db)) return nodes;
  const pending = new Map(plan.pending?.map((one) => [one.path, one.oid]));
  const oidOf = (other: string) => pending.get(other) ?? after.get(other)?.oid ?? null;
  const store = new FileDescriptions(choiceContext(db, project.scope, { oidOf }), {
    path,
    oid: fp.blobOid ?? "",
    fact: fp,
  });
  const described = store.describeNew(nodes, mayDescribe);
  for (const text of store.followed()) change.followed.push(text);
  return described;
}

/** Nodes that are not computed, with what was said of exactly this content; without that they stay, and say that they need a review. */
export function describedOthers(
  { context: { db, project }, graph }: GraphChange,
  { path, fp }: { path: string; fp: FileFingerprint },
): GraphNode[] {
  const others = graph.has(path) ? graph.piece(path).nodes.filter(isOther) : [];
  if (others.length === 0 || !hasDescriptions(db)) return [];
  const store = new FileDescriptions(choiceContext(db, project.scope), { path, oid: fp.blobOid ?? "", fact: fp });
  return others.flatMap((node) => {
    const found = store.choose(node);
    return found?.nearness === "exact" ? [withoutReview(withText(node, found.description.text))] : [];
  });
}
