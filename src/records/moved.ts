import { extractorOf } from "../fingerprint/languages.js";
import { readBlobs } from "../git/blobs.js";
import { isRefusal } from "../git/run.js";
import { similarityOf } from "../knowledge/matching.js";
import { CommitContent, type TreeContent } from "./content.js";

/** A file that is no longer at a record's path, with its content at the anchor. */
export interface Missing {
  path: string;
  blob: string;
  commit: string;
}

export interface MovedSubject {
  path: string;
  oid: string;
}

/** The same limits as in knowledge/matching.ts: git's similarity threshold, and a maximum number of pairs. */
const SIMILAR = 50;
const MOST_PAIRS = 10_000;
/** Each commit needs a diff; with more commits only equal content is searched. */
const MOST_COMMITS = 12;
/** Empty files are all equal. */
const EMPTY = new Set([
  "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
]);

/**
 * Where missing files moved: to a path that is new since the anchor's commit, with equal or similar content. Depends
 * only on the anchor and the current state, not on the steps in between. Keyed by `missingKey`.
 */
export async function findMoved(
  cwd: string,
  content: TreeContent,
  missing: readonly Missing[],
): Promise<Map<string, MovedSubject>> {
  const commits = new Set(missing.map((one) => one.commit));
  if (commits.size > MOST_COMMITS) return findEqual(cwd, content, missing);
  const found = new Map<string, MovedSubject>();
  for (const commit of commits) {
    const { files, isExact } = await content.cameSince(commit);
    const open = new Map<string, Missing>();
    const byOid = new Map<string, string[]>();
    for (const [path, oid] of files) byOid.set(oid, [...(byOid.get(oid) ?? []), path]);
    for (const one of missing) {
      if (one.commit !== commit || EMPTY.has(one.blob)) continue;
      const equal = nearestName(byOid.get(one.blob) ?? [], one.path);
      if (equal !== undefined) found.set(missingKey(one), { path: equal, oid: one.blob });
      else open.set(missingKey(one), one);
    }
    if (isExact) await addSimilar(cwd, [...open.values()], files, found);
  }
  return found;
}

/** For anchors at many commits: by equal content alone, searched in one list of all files. */
async function findEqual(
  cwd: string,
  content: TreeContent,
  missing: readonly Missing[],
): Promise<Map<string, MovedSubject>> {
  const found = new Map<string, MovedSubject>();
  const byOid = new Map<string, string[]>();
  for (const [path, oid] of await content.below("")) byOid.set(oid, [...(byOid.get(oid) ?? []), path]);
  for (const one of missing) {
    const equal = EMPTY.has(one.blob) ? undefined : nearestName(byOid.get(one.blob) ?? [], one.path);
    if (equal === undefined || found.has(missingKey(one))) continue;
    const before = await new CommitContent(cwd, one.commit).files([equal]).catch((error: unknown) => {
      if (isRefusal(error)) return new Map<string, string>(); // a commit that is gone
      throw error;
    });
    if (!before.has(equal)) found.set(missingKey(one), { path: equal, oid: one.blob });
  }
  return found;
}

export function missingKey({ path, blob, commit }: Missing): string {
  return `${commit} ${blob} ${path}`;
}

/** Of several files with that content, the one with the same name; else the first. */
function nearestName(paths: readonly string[], path: string): string | undefined {
  const sorted = paths.toSorted();
  return sorted.find((one) => nameOf(one) === nameOf(path)) ?? sorted[0];
}

async function addSimilar(
  cwd: string,
  missing: readonly Missing[],
  came: ReadonlyMap<string, string>,
  found: Map<string, MovedSubject>,
): Promise<void> {
  if (missing.length === 0 || came.size === 0 || missing.length * came.size > MOST_PAIRS) return;
  const kinds = new Set(missing.map(({ path }) => kindOf(path)));
  const targets = [...came].filter(([path]) => kinds.has(kindOf(path)));
  const blobs = await readBlobs(cwd, [...missing.map(({ blob }) => blob), ...targets.map(([, oid]) => oid)]);
  for (const one of missing) {
    let best = SIMILAR - 1;
    for (const [path, oid] of targets) {
      const [before, after] = [blobs.get(one.blob), blobs.get(oid)];
      if (before === undefined || after === undefined || kindOf(path) !== kindOf(one.path)) continue;
      const similarity = similarityOf(before, after);
      if (similarity <= best) continue;
      best = similarity;
      found.set(missingKey(one), { path, oid });
    }
  }
}

/** Only within one language; for other files, within one extension. */
function kindOf(path: string): string {
  const extractor = extractorOf(path);
  return extractor.endsWith(" content") ? path.slice(nameStart(path)).replace(/^.*(?=\.)/s, "") : extractor;
}

const nameStart = (path: string) => path.lastIndexOf("/") + 1;
const nameOf = (path: string) => path.slice(nameStart(path));
