import type { FileFingerprint } from "../fingerprint/types.js";
import type { EdgeContext } from "./edge-context.js";
import { edgesOfFile } from "./edges.js";
import { edgeKey } from "./ids.js";
import { byText } from "./order.js";
import type { GraphEdge } from "./types.js";
import type { EdgeEnds } from "./update.js";

export interface Relinked {
  /** For each file whose edges changed all of them, so that the new ones find their place. */
  edges: GraphEdge[];
  unlinked: EdgeEnds[];
}

export interface RelinkUpdate {
  files: readonly string[];
  deleted: readonly string[];
  renamed: readonly { from: string; to: string }[];
}

/**
 * An unchanged file's import can lead elsewhere because another file came, went or lost a class. These are the edges of
 * the files that an update does not speak for: what no longer holds, and what holds now. Where no file came or went,
 * give both contexts the same resolver: names then lead where they led, and only files with base classes are asked.
 */
export function relink(before: EdgeContext, after: EdgeContext, update: RelinkUpdate): Relinked {
  const spokenFor = new Set(update.files);
  const formerPath = new Map(update.renamed.map(({ from, to }) => [to, from]));
  const mayDiffer = suspicion(before, after, update);
  const result: Relinked = { edges: [], unlinked: [] };
  if (mayDiffer === undefined) return result;
  for (const path of [...after.paths()].sort(byText)) {
    if (spokenFor.has(path)) continue;
    const former = formerPath.get(path) ?? path;
    if (former === path && !mayDiffer(path)) continue;
    const old = edgesAt(before, former);
    const now = edgesAt(after, path);
    const oldKeys = new Set(old.map(edgeKey));
    const nowKeys = new Set(now.map(edgeKey));
    if (oldKeys.size === nowKeys.size && now.every((edge) => oldKeys.has(edgeKey(edge)))) continue;
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

/** Which unchanged files are worth a look; undefined if none can be. */
function suspicion(
  before: EdgeContext,
  after: EdgeContext,
  { files, deleted, renamed }: RelinkUpdate,
): ((path: string) => boolean) | undefined {
  const came = files.some((path) => before.fingerprintOf(path) === undefined);
  const sameNames = before.resolver === after.resolver && !came && deleted.length === 0 && renamed.length === 0;
  if (!sameNames) return (path) => hasBases(after, path) || !sameTargets(before, after, path);
  const regrouped = files.some((path) => outline(before.fingerprintOf(path)) !== outline(after.fingerprintOf(path)));
  return regrouped ? (path) => hasBases(after, path) : undefined;
}

function hasBases(context: EdgeContext, path: string): boolean {
  const classes = context.fingerprintOf(path)?.classes ?? [];
  return classes.some((cls) => cls.extends.length > 0 || cls.implements.length > 0);
}

/** All that others can find through a file when they look for a class. */
function outline(fp: FileFingerprint | undefined): string {
  return JSON.stringify([fp?.classes.map(({ name }) => name), fp?.imports, fp?.exports]);
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
