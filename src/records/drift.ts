import { compareFingerprints, compareSymbol, findSymbol } from "../fingerprint/compare.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import { factKey, type WantedFact } from "../knowledge/facts.js";
import type { TreeContent } from "./content.js";
import { gradeDirectories, movedDirectories } from "./directories.js";
import { factsOf, type Sources } from "./facts.js";
import { findMoved, type Missing, missingKey } from "./moved.js";
import { isCurrentAnchor } from "./rehash.js";
import type { Subject, SubjectState } from "./types.js";

/** A subject with the commit of its record's anchor; null: the record has none. */
export interface Anchored {
  subject: Subject;
  commit: string | null;
}

export interface DriftOptions {
  /** Whether the grade of drift is needed: it may require parsing. */
  grades: boolean;
}

/** Compares subjects with their anchors in one state of the code; one answer each, in order. */
export async function compareSubjects(
  sources: Sources,
  content: TreeContent,
  anchored: readonly Anchored[],
  { grades }: DriftOptions,
): Promise<SubjectState[]> {
  const states = anchored.map(({ subject }): SubjectState => ({ ...UNANCHORED, path: subject.path }));
  const open = anchored.flatMap(({ subject, commit }, at): OpenSubject[] =>
    commit === null || subject.fingerprint === null ? [] : [{ at, subject, commit, fingerprint: subject.fingerprint }],
  );
  const inFiles = open.filter(({ subject }) => subject.kind !== "directory");
  const folders = open.filter(({ subject }) => subject.kind === "directory");
  for (const [one, state] of await compareFiles(sources, content, inFiles, { grades })) states[one.at] = state;
  for (const [one, state] of await compareFolders(sources, content, folders, { grades })) states[one.at] = state;
  return states;
}

export interface OpenSubject {
  at: number;
  subject: Subject;
  commit: string;
  fingerprint: string;
}

const UNANCHORED: SubjectState = { anchor: "none", path: "", grade: null, details: [] };
const CONTENT_ONLY = "content changed (the anchored version is not there to compare)";

const equal = (path: string): SubjectState => ({ anchor: "equal", path, grade: null, details: [] });
const gone = (path: string, detail: string): SubjectState => ({
  anchor: "gone",
  path,
  grade: "gone",
  details: [detail],
});

/** A subject whose file exists, with another content than at the anchor. */
interface ChangedSubject {
  one: OpenSubject;
  path: string;
  oid: string;
}

async function compareFiles(
  sources: Sources,
  content: TreeContent,
  open: readonly OpenSubject[],
  { grades }: { grades: boolean },
): Promise<[OpenSubject, SubjectState][]> {
  const there = await content.files(open.map(({ subject }) => subject.path));
  const missing = open.flatMap(({ subject: { path, blob }, commit }): Missing[] =>
    there.has(path) || blob === null ? [] : [{ path, blob, commit }],
  );
  const moved = missing.length === 0 ? new Map() : await findMoved(sources.cwd, content, missing);
  const states: [OpenSubject, SubjectState][] = [];
  const changed: ChangedSubject[] = [];
  for (const one of open) {
    const { path, blob } = one.subject;
    const here = there.get(path);
    const found =
      here === undefined ? moved.get(missingKey({ path, blob: blob ?? "", commit: one.commit })) : { path, oid: here };
    if (found === undefined) states.push([one, gone(path, "file deleted")]);
    else if (found.oid === blob) states.push([one, equal(found.path)]);
    else changed.push({ one, ...found });
  }
  const { now, then } = wantedFacts(changed, grades);
  const facts = await factsOf(sources, now, content.workTree);
  // Not from the work tree: a blob that is gone is not what is there today.
  for (const [key, fact] of await factsOf(sources, then, null)) facts.set(key, fact);
  for (const change of changed) states.push([change.one, await compareChanged(change, facts)]);
  return states;
}

/** A symbol always needs its file's fingerprint; a file only if a grade is needed. */
function wantedFacts(changed: readonly ChangedSubject[], grades: boolean): { now: WantedFact[]; then: WantedFact[] } {
  const compared = changed.filter(({ one }) => one.subject.kind !== "path" || grades);
  const now = compared.map(({ path, oid }) => ({ path, oid }));
  const then = compared.flatMap(({ one: { subject, fingerprint }, path }): WantedFact[] => {
    const isNeeded = grades || !isCurrentAnchor(fingerprint);
    // The old content under the new name: the name itself must not count as a change.
    return subject.blob !== null && isNeeded ? [{ path, oid: subject.blob }] : [];
  });
  return { now, then };
}

async function compareChanged(
  { one: { subject, fingerprint }, path, oid }: ChangedSubject,
  facts: ReadonlyMap<string, FileFingerprint>,
): Promise<SubjectState> {
  const now = facts.get(factKey({ path, oid }));
  const then = subject.blob === null ? undefined : facts.get(factKey({ path, oid: subject.blob }));
  const differs = { anchor: "differs", path } as const;
  if (subject.kind === "path") {
    if (now === undefined || then === undefined) return { ...differs, grade: "interface", details: [CONTENT_ONLY] };
    const { drift: grade, details } = compareFingerprints(then, now);
    return { ...differs, grade, details };
  }
  if (now?.hasStructuralAnalysis !== true) return { ...differs, grade: "interface", details: [CONTENT_ONLY] };
  const symbol = findSymbol(now, subject.symbol);
  if (symbol === undefined) return gone(path, `${subject.symbol} is no longer in ${path}`);
  const before = then === undefined ? undefined : findSymbol(then, subject.symbol);
  // Hashes of different schemes cannot be compared: hash the anchored blob again.
  const anchoredHash = isCurrentAnchor(fingerprint) ? fingerprint.slice("symbol:".length) : before?.hash;
  if (anchoredHash === symbol.hash) return equal(path);
  if (before === undefined) return { ...differs, grade: "interface", details: [CONTENT_ONLY] };
  const { drift: grade, details } = compareSymbol(before, symbol);
  return { ...differs, grade, details };
}

async function compareFolders(
  sources: Sources,
  content: TreeContent,
  open: readonly OpenSubject[],
  { grades }: { grades: boolean },
): Promise<[OpenSubject, SubjectState][]> {
  if (open.length === 0) return [];
  const there = await content.trees([...new Set(open.map(({ subject }) => subject.path))]);
  const moved = await movedDirectories(
    sources.cwd,
    content,
    open.filter(({ subject }) => !there.has(subject.path)),
  );
  const states: [OpenSubject, SubjectState][] = [];
  const changed: { one: OpenSubject; path: string; oid: string }[] = [];
  for (const one of open) {
    const here = there.get(one.subject.path);
    const found = here === undefined ? moved.get(one) : { path: one.subject.path, oid: here };
    if (found === undefined) states.push([one, gone(one.subject.path, "directory deleted")]);
    else if (`tree:${found.oid}` === one.fingerprint) states.push([one, equal(found.path)]);
    else changed.push({ one, ...found });
  }
  for (const [one, state] of await gradeDirectories(sources, content, changed, { grades })) states.push([one, state]);
  return states;
}
