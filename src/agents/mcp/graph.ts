import { UaError } from "../../errors.js";
import { isUncommitted } from "../../git/status.js";
import { isOutsideId } from "../../graph/incoming.js";
import type { GraphEdge, GraphNode } from "../../graph/types.js";
import { originOfText } from "../../knowledge/descriptions.js";
import { holdsText } from "../../knowledge/holds.js";
import { storedGraph } from "../../knowledge/stored-graph.js";
import { quoted } from "../../printable.js";
import type { Context } from "../../repository/context.js";
import { readWorktree } from "../../sync/switch.js";
import { changeSince } from "../../verification/node-change.js";
import { BEING_VERIFIED, readSoon } from "../../verification/soon.js";

const MOST_EDGES = 100;

export interface DescribedNode {
  schema: string;
  node: Record<string, unknown>;
  /** Whether the description holds, whose it is, and what changed since. */
  holds: string;
  describedBy: ReturnType<typeof originOfText>;
  drift: string;
  details: string[];
  edges: Record<string, unknown>[];
  edgesTotal: number;
}

/** One node, its edges, and whether it still describes this worktree. null if there is no such node. A path that leads out is refused. */
export async function describeNode(context: Context, id: string): Promise<DescribedNode | null> {
  if (isOutsideId(id)) throw new UaError("usage", `${quoted(id)} names a path outside of this worktree`);
  const soon = await readSoon(context, readWorktree);
  const db = await context.database();
  const graph = storedGraph(db, context.project.scope);
  const path = graph?.pathOf(id);
  if (graph === null || path === undefined) return null;
  const node = graph.piece(path).nodes.find((one) => one.id === id);
  if (node === undefined) return null;
  const change = soon.found?.marker?.fileChanges.find(({ filePath }) => filePath === node.filePath);
  const isTouching = ({ source, target }: GraphEdge) => source === id || target === id;
  const touching = [path, ...graph.withEdgesTo(path, [id])].flatMap((owner) =>
    graph.piece(owner).edges.filter(isTouching),
  );
  // What another clone shared is that author's sentence, and not this clone's.
  const describedBy = originOfText(db, node);
  return {
    schema: "ua-hooks.node/1",
    node,
    holds: `${soon.found === null ? `unknown: ${BEING_VERIFIED}; before: ` : ""}${holdsText(sourceText(describedBy), changeSince(db, context.project, node))}${await workTreeText(context, node)}`,
    describedBy,
    drift: soon.found === null ? "unknown" : (change?.drift ?? "none"),
    details: change?.details ?? [],
    edges: touching.slice(0, MOST_EDGES),
    edgesTotal: touching.length,
  };
}

/** The graph is about HEAD: what is not committed was not compared. */
async function workTreeText({ project }: Context, { filePath }: GraphNode): Promise<string> {
  if (filePath === undefined || !(await isUncommitted(project.worktree.path, filePath))) return "";
  return " at HEAD; its file has uncommitted changes, which were not compared";
}

/** Whose sentence it is; what the structural analyzer made has no author. */
function sourceText(written: DescribedNode["describedBy"]): string {
  if (written === null) return "made from the code itself, without a model";
  const by = written.author === null ? "" : ` by ${quoted(written.author)}`;
  return `${ORIGINS[written.source]}${by}, ${written.at.slice(0, 10)}`;
}

const ORIGINS = { here: "written in this clone", shared: "shared", tracked: "came with the checkout" } as const;

const MOST_IDS = 100;

/** For completion in a client. */
export async function idsLike(context: Context, start: string): Promise<string[]> {
  return storedGraph(await context.database(), context.project.scope)?.idsLike(start, MOST_IDS) ?? [];
}
