import type { EdgeContext } from "./edge-context.js";
import { edgesOfFile } from "./edges.js";
import { edgeKey } from "./ids.js";
import { mentions, movedNames, usesNames } from "./names.js";
import { byText } from "./order.js";
import type { GraphEdge } from "./types.js";
import type { EdgeEnds } from "./update.js";

export interface Relinked {
  /** All edges of each file whose edges changed, so that new ones are inserted at the right position. */
  edges: GraphEdge[];
  unlinked: EdgeEnds[];
}

export interface RelinkUpdate {
  files: readonly string[];
  deleted: readonly string[];
  renamed: readonly { from: string; to: string }[];
  /** Unchanged files whose edges another tool wrote. */
  unasked?: ReadonlySet<string>;
  /**
   * Names of nodes that are new in the graph although they existed in the code before: edges to them are now possible.
   */
  appeared?: ReadonlySet<string>;
}

/**
 * An import of an unchanged file can resolve differently because another file was added, removed or lost a name.
 * Returns the edges of files outside the update that are no longer valid, and those that are now. If no file was added
 * or removed, give both contexts the same resolver: then only files that use a changed name are checked.
 */
export function relink(before: EdgeContext, after: EdgeContext, update: RelinkUpdate): Relinked {
  const covered = new Set(update.files);
  const formerPath = new Map(update.renamed.map(({ from, to }) => [to, from]));
  const mayDiffer = suspicion(before, after, update);
  const appeared = update.appeared ?? new Set();
  const result: Relinked = { edges: [], unlinked: [] };
  if (mayDiffer === undefined && appeared.size === 0) return result;
  for (const path of [...after.paths()].sort(byText)) {
    if (covered.has(path) || update.unasked?.has(path) === true) continue;
    const former = formerPath.get(path) ?? path;
    const isMet = appeared.size > 0 && mentions(after.fingerprintOf(path), appeared);
    if (former === path && !isMet && mayDiffer?.(path) !== true) continue;
    const old = edgesAt(before, former);
    const now = edgesAt(after, path);
    const oldKeys = new Set(old.map(edgeKey));
    const nowKeys = new Set(now.map(edgeKey));
    if (!isMet && oldKeys.size === nowKeys.size && now.every((edge) => oldKeys.has(edgeKey(edge)))) continue;
    for (const edge of now) result.edges.push(edge);
    for (const edge of old) {
      if (!nowKeys.has(edgeKey(edge)))
        result.unlinked.push({ source: edge.source, target: edge.target, type: edge.type });
    }
  }
  return result;
}

function edgesAt(context: EdgeContext, path: string): GraphEdge[] {
  const fp = context.fingerprintOf(path);
  return fp === undefined ? [] : edgesOfFile(path, fp, context);
}

/** The unchanged files that can be affected; undefined if there are none. */
function suspicion(
  before: EdgeContext,
  after: EdgeContext,
  { files, deleted, renamed }: RelinkUpdate,
): ((path: string) => boolean) | undefined {
  const came = files.some((path) => before.fingerprintOf(path) === undefined);
  const sameNames = before.resolver === after.resolver && !came && deleted.length === 0 && renamed.length === 0;
  if (!sameNames) return (path) => usesNames(after.fingerprintOf(path)) || !sameTargets(before, after, path);
  const moved = movedNames(files.map((path) => [before.fingerprintOf(path), after.fingerprintOf(path)]));
  if (moved !== "any" && moved.size === 0) return undefined;
  return (path) => {
    const fp = after.fingerprintOf(path);
    return usesNames(fp) && (moved === "any" || mentions(fp, moved));
  };
}
function sameTargets(before: EdgeContext, after: EdgeContext, path: string): boolean {
  const then = targetsAt(before, path);
  const now = targetsAt(after, path);
  return then.length === now.length && then.every((target, position) => target === now[position]);
}

function targetsAt(context: EdgeContext, path: string): string[] {
  const fp = context.fingerprintOf(path);
  if (fp === undefined) return [];
  const targets = context.targetsOf(path, fp).flat();
  return targets.filter((target) => context.fingerprintOf(target) !== undefined);
}
