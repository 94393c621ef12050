import type { EdgeContext } from "./edge-context.js";
import { edgesOfFile } from "./edges.js";
import { exportsByName, maxHops } from "./follow.js";
import { edgeKey } from "./ids.js";
import {
  declared,
  identifiersIn,
  movedNames,
  passesOnAll,
  rebasedClasses,
  reExports,
  usedIdentifiers,
  usesNames,
} from "./names.js";
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
  /** The files that say where imports lead changed: nothing is certain. */
  isAnyFile?: boolean;
}

/** Finds files without reading all of them. It may find more than is asked for. */
export interface NameIndex {
  /** Files that use one of these identifiers. */
  mentioning(identifiers: ReadonlySet<string>): Iterable<string>;
  /** Files with an import that leads to other files now. */
  withOtherTargets(): Iterable<string>;
}

/**
 * An import or a name in an unchanged file can resolve differently because another file was added, removed or changed.
 * For each such file outside of the update: the edges that are no longer valid, and those that are now. They are as many as the files that
 * use a name, so the caller gets one file at a time. If no file was added or removed, give both contexts the same resolver.
 */
export function* relinkedFiles(
  before: EdgeContext,
  after: EdgeContext,
  update: RelinkUpdate,
  index: NameIndex,
): Generator<Relinked> {
  const covered = new Set(update.files);
  const formerPath = new Map(update.renamed.map(({ from, to }) => [to, from]));
  const { files, identifiers } = suspects(before, after, update, index);
  const done = new Set<string>();
  let waiting = new Set([
    ...files,
    ...formerPath.keys(),
    ...(identifiers.size === 0 ? [] : index.mentioning(identifiers)),
  ]);
  while (waiting.size > 0) {
    const rebased = new Set<string>();
    for (const path of [...waiting].sort(byText)) {
      if (done.has(path) || covered.has(path) || update.unasked?.has(path) === true) continue;
      done.add(path);
      const change = { old: edgesAt(before, formerPath.get(path) ?? path), now: edgesAt(after, path) };
      const isMet = mentionsAny(after, path, update.appeared);
      const { relinked, isRebased } = changeOf(change, isMet);
      // What a class inherits reaches those that are derived from it, which name it.
      if (isRebased) for (const name of after.fingerprintOf(path)?.classes ?? []) rebased.add(name.name);
      if (relinked !== null) yield relinked;
    }
    waiting = rebased.size === 0 ? new Set() : new Set(index.mentioning(identifiersIn(rebased)));
    for (const path of done) waiting.delete(path);
  }
}

function mentionsAny(context: EdgeContext, path: string, identifiers: ReadonlySet<string> | undefined): boolean {
  const fp = identifiers === undefined || identifiers.size === 0 ? undefined : context.fingerprintOf(path);
  return fp !== undefined && [...usedIdentifiers(fp)].some((identifier) => identifiers?.has(identifier));
}

/** `isRebased`: the file has other edges to base classes. */
function changeOf(
  { old, now }: { old: readonly GraphEdge[]; now: readonly GraphEdge[] },
  isMet: boolean,
): { relinked: Relinked | null; isRebased: boolean } {
  const oldKeys = new Set(old.map(edgeKey));
  const nowKeys = new Set(now.map(edgeKey));
  const gone = old.filter((edge) => !nowKeys.has(edgeKey(edge)));
  const fresh = now.filter((edge) => !oldKeys.has(edgeKey(edge)));
  if (!isMet && gone.length + fresh.length === 0) return { relinked: null, isRebased: false };
  const unlinked = gone.map(({ source, target, type }) => ({ source, target, type }));
  const isRebased = [...gone, ...fresh].some(({ type }) => type === "inherits" || type === "implements");
  return { relinked: { edges: [...now], unlinked }, isRebased };
}

interface Suspects {
  /** Files that are affected, whatever names they use. */
  files: Set<string>;
  /** What other affected files use. */
  identifiers: ReadonlySet<string>;
}

/** The unchanged files that can be affected. */
function suspects(before: EdgeContext, after: EdgeContext, update: RelinkUpdate, index: NameIndex): Suspects {
  const changed = new Set([
    ...update.files,
    ...update.deleted,
    ...update.renamed.flatMap(({ from, to }) => [from, to]),
  ]);
  const isSamePaths =
    before.resolver === after.resolver && [...changed].every((path) => before.hasFile(path) === after.hasFile(path));
  const files = new Set(isSamePaths ? [] : index.withOtherTargets());
  const names = new Set<string>(update.appeared);
  let isCertain = update.isAnyFile !== true;
  for (const path of new Set([...changed, ...files])) {
    const moved = namesThrough(before, after, path);
    if (moved === null) isCertain = false;
    else for (const name of moved) names.add(name);
  }
  if (isCertain) return { files, identifiers: identifiersIn(names) };
  const all = [...after.paths()].filter((path) => usesNames(after.fingerprintOf(path)));
  return { files: new Set([...files, ...all]), identifiers: new Set() };
}

/** The names that can mean something else because of this file; null: any. */
function namesThrough(before: EdgeContext, after: EdgeContext, path: string): Set<string> | null {
  const [old, now] = [before.fingerprintOf(path), after.fingerprintOf(path)];
  const names = new Set([...movedNames(old, now), ...rebasedClasses(old, now)]);
  const [oldTargets, nowTargets] = [targetsAt(before, path), targetsAt(after, path)];
  const isSameImports = JSON.stringify(old?.imports) === JSON.stringify(now?.imports);
  const isSameAll = passesOnAll(old) === passesOnAll(now);
  if (isSameImports && isSameAll && isSameList(oldTargets, nowTargets)) return names;
  for (const name of [...reExports(old), ...reExports(now)]) names.add(name);
  if (exportsByName(path) && !passesOnAll(old) && !passesOnAll(now)) return names;
  for (const [context, targets] of [
    [before, oldTargets],
    [after, nowTargets],
  ] as const) {
    const found = declaredFrom(context, targets);
    if (found === null) return null;
    for (const name of found) names.add(name);
  }
  return names;
}

/** More files than this are no shorter way than all of them. */
const MOST_FILES = 300;

/** All names that these files have or pass on; null: too many to tell. */
function declaredFrom(context: EdgeContext, start: readonly string[]): Set<string> | null {
  const seen = new Set<string>();
  const names = new Set<string>();
  let level = [...start];
  for (let hops = 0; hops <= maxHops && level.length > 0; hops++) {
    const next: string[] = [];
    for (const path of level) {
      if (seen.has(path)) continue;
      seen.add(path);
      if (seen.size > MOST_FILES) return null;
      for (const name of declared(context.fingerprintOf(path))) names.add(name);
      for (const target of targetsAt(context, path)) next.push(target);
    }
    level = next;
  }
  return names;
}

function edgesAt(context: EdgeContext, path: string): GraphEdge[] {
  const fp = context.fingerprintOf(path);
  return fp === undefined ? [] : edgesOfFile(path, fp, context);
}

const isSameList = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((one, at) => one === b[at]);

/** The files of the project that the imports of this one lead to. */
export function targetsAt(context: EdgeContext, path: string): string[] {
  const fp = context.fingerprintOf(path);
  if (fp === undefined) return [];
  const targets = context.targetsOf(path, fp).flat();
  return targets.filter((target) => context.hasFile(target));
}
