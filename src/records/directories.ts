import { compareFingerprints, DRIFT_DISTANCE } from "../fingerprint/compare.js";
import type { Drift } from "../fingerprint/types.js";
import { isRefusal } from "../git/run.js";
import { factKey } from "../knowledge/facts.js";
import { CommitContent, type TreeContent } from "./content.js";
import type { OpenSubject } from "./drift.js";
import { factsOf, type Sources } from "./facts.js";
import type { SubjectState } from "./types.js";

interface FolderSubject {
  path: string;
  oid: string;
}

/** Where directories moved: to the folder that has at least half of their files under the same names. */
export async function movedDirectories(
  cwd: string,
  content: TreeContent,
  missing: readonly OpenSubject[],
): Promise<Map<OpenSubject, FolderSubject>> {
  const found = new Map<OpenSubject, FolderSubject>();
  for (const one of missing) {
    const before = await filesOf(cwd, one.commit, one.subject.path);
    if (before === null || before.size === 0) continue;
    const { files } = await content.cameSince(one.commit);
    const [path, count] = mostOften(votes(before, files));
    if (path === null || count * 2 < before.size) continue;
    const oid = (await content.trees([path])).get(path);
    if (oid !== undefined) found.set(one, { path, oid });
  }
  return found;
}

function* votes(before: ReadonlyMap<string, string>, came: ReadonlyMap<string, string>): Generator<string> {
  const byOid = new Map<string, string[]>();
  for (const [path, oid] of came) byOid.set(oid, [...(byOid.get(oid) ?? []), path]);
  for (const [name, oid] of before) {
    for (const path of byOid.get(oid) ?? []) if (path.endsWith(`/${name}`)) yield path.slice(0, -name.length - 1);
  }
}

function mostOften(names: Iterable<string>): [name: string | null, count: number] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const [first] = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return first ?? [null, 0];
}

interface ChangedFolder extends FolderSubject {
  one: OpenSubject;
}

/** With more changed files the directory is not compared file by file. */
const MOST_FILES = 50;
const MOST_DETAILS = 5;

/** The drift of a directory is the largest drift of its files; an added or deleted file is an interface change. */
export async function gradeDirectories(
  sources: Sources,
  content: TreeContent,
  changed: readonly ChangedFolder[],
  { grades }: { grades: boolean },
): Promise<[OpenSubject, SubjectState][]> {
  const states: [OpenSubject, SubjectState][] = [];
  for (const { one, path } of changed) {
    const { grade, details } = grades ? await gradeOf(sources, content, one, path) : { grade: null, details: [] };
    states.push([one, { anchor: "differs", path, grade, details: details.slice(0, MOST_DETAILS) }]);
  }
  return states;
}

interface FolderGrade {
  grade: Drift;
  details: string[];
}

async function gradeOf(sources: Sources, content: TreeContent, one: OpenSubject, path: string): Promise<FolderGrade> {
  const anchored = await filesOf(sources.cwd, one.fingerprint.slice("tree:".length), "");
  if (anchored === null) {
    return { grade: "interface", details: ["content changed (the anchored version is not there to compare)"] };
  }
  const after = await content.below(path);
  const came = [...after.keys()].filter((name) => !anchored.has(name));
  const went = [...anchored.keys()].filter((name) => !after.has(name));
  const details = [...came.map((name) => `new file: ${name}`), ...went.map((name) => `file deleted: ${name}`)];
  const edited = [...anchored].filter(([name, oid]) => after.has(name) && after.get(name) !== oid);
  if (edited.length > MOST_FILES)
    return { grade: "interface", details: [...details, `${edited.length} files changed`] };
  const pairs = edited.map(([name, oid]) => {
    const at = path === "" ? name : `${path}/${name}`;
    return { name, old: { path: at, oid }, now: { path: at, oid: after.get(name) ?? "" } };
  });
  const facts = await factsOf(
    sources,
    pairs.flatMap(({ old, now }) => [old, now]),
    content.workTree,
  );
  let grade: Drift = details.length > 0 ? "interface" : "cosmetic";
  for (const { name, old, now } of pairs) {
    const [before, fresh] = [facts.get(factKey(old)), facts.get(factKey(now))];
    const drift = before === undefined || fresh === undefined ? "interface" : compareFingerprints(before, fresh).drift;
    details.push(`${name}: ${drift}`);
    if (DRIFT_DISTANCE[drift] > DRIFT_DISTANCE[grade]) grade = drift;
  }
  return { grade, details };
}

/** The files below a folder of a commit or tree, by their names in it; null if git no longer has it. */
async function filesOf(cwd: string, treeish: string, folder: string): Promise<Map<string, string> | null> {
  try {
    return await new CommitContent(cwd, treeish).below(folder);
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}
