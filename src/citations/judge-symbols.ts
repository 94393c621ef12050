import { findSymbol, type SymbolFingerprint } from "../fingerprint/compare.js";
import { estimate } from "../fingerprint/likelihood.js";
import { type SymbolFacts, symbolFacts } from "../fingerprint/symbols.js";
import type { ClassFingerprint } from "../fingerprint/types.js";
import { readBlobs } from "../git/blobs.js";
import { renamesBetween } from "../git/moves.js";
import { git } from "../git/run.js";
import { diffTrees, isRegularFile } from "../git/trees.js";
import { factKey, type WantedFact } from "../knowledge/facts.js";
import type { SymbolCitation } from "./cited.js";
import { isDocument } from "./documents.js";
import { newNameOf, type SymbolWalk } from "./lost-symbols.js";
import { type Definition, lastName, NameIndex } from "./names.js";
import {
  byDocument,
  type Finding,
  originsOf,
  type Present,
  type Sources,
  type Suspect,
  type Tally,
} from "./present.js";
import { Commits } from "./snapshots.js";

type Cited = Suspect<SymbolCitation>;

interface Written extends Cited {
  commit: string;
}

/** So many commits are compared with HEAD, and so many contents searched, to find what a name once meant. */
const MOST_COMMITS = 400;
const MOST_CONTENTS = 40_000;
const BATCH = 400;

/** The citations of symbols. A name that anything at HEAD may stand for is true: only what nothing has any more is looked up in the past. */
export async function judgeSymbols(
  present: Present,
  { cited, isChangeWanted, tally }: { cited: readonly Cited[]; isChangeWanted: boolean; tally: Tally },
): Promise<Finding[]> {
  if (cited.length === 0) return [];
  const sources = await present.sources();
  const index = await indexOf(
    sources,
    sources.files,
    cited.map(({ citation }) => citation.name),
  );
  const unique = cited.filter(({ citation }) => index.matches(citation.name).length === 1);
  for (const { document } of unique) tally.count(document);
  const dead = cited.filter(({ citation: { name } }) => index.matches(name).length === 0 && !index.mayBeRight(name));
  const silent = await stillWritten(present, dead);
  const written = await writtenAt(
    present,
    dead.filter(({ citation }) => !silent.has(citation.name)),
    tally,
  );
  const { cwd, head } = present;
  const walk: SymbolWalk = { cwd, head, commits: new Commits(cwd), facts: sources.facts, covers: sources.covers };
  const broken = await lostOnes(walk, sources, { written, tally });
  const changed = isChangeWanted ? await changedOnes(present, { walk, sources, index }, unique) : [];
  return [...broken, ...changed];
}

async function indexOf(sources: Sources, files: readonly WantedFact[], names: readonly string[]): Promise<NameIndex> {
  const index = new NameIndex(names);
  for (let at = 0; at < files.length; at += BATCH) {
    const some = files.slice(at, at + BATCH);
    const found = await sources.names(some);
    for (const file of some) {
      const declared = found.get(factKey(file));
      if (declared !== undefined) index.add(file.path, declared);
    }
  }
  return index;
}

/** Names without parentheses or class can be anything: those that any file but a document still has. */
async function stillWritten({ cwd, head }: Present, dead: readonly Cited[]): Promise<Set<string>> {
  const names = [...new Set(dead.filter(({ citation }) => !citation.isPlainCode).map(({ citation }) => citation.name))];
  const silent = new Set<string>();
  for (let at = 0; at < names.length; at += 50) {
    const patterns = names.slice(at, at + 50).flatMap((name) => ["-e", name]);
    const output = await git(cwd, ["grep", "-z", "-o", "-w", "-I", "-F", "--no-color", ...patterns, head, "--"], {
      ok: [1],
      timeFactor: 4,
    });
    for (const line of output.toString("utf8").split("\n")) {
      const [path = "", name] = line.split("\0");
      if (name !== undefined && !/\.mdx?$|\.rst$|\.txt$/.test(path) && !isDocument(path.slice(head.length + 1)))
        silent.add(name);
    }
  }
  return silent;
}

async function writtenAt(present: Present, cited: readonly Cited[], tally: Tally | null): Promise<Written[]> {
  const written: Written[] = [];
  for (const [document, own] of byDocument(cited)) {
    const origins = await originsOf(
      present,
      document,
      own.map(({ citation }) => citation.line),
    );
    for (const one of own) {
      const commit = origins?.get(one.citation.line)?.commit;
      if (commit === undefined || (commit !== null && present.shallow.has(commit))) tally?.leaveOpen(document);
      if (typeof commit === "string") written.push({ ...one, commit });
    }
  }
  return written;
}

/** Those that named exactly one symbol when their line was written, with the name that it has now. */
async function lostOnes(
  walk: SymbolWalk,
  sources: Sources,
  { written, tally }: { written: readonly Written[]; tally: Tally },
): Promise<Finding[]> {
  const commits = new Map<string, Written[]>();
  for (const one of written) commits.set(one.commit, [...(commits.get(one.commit) ?? []), one]);
  const search = new Search(walk.cwd, new Set(written.map(({ citation }) => lastName(citation.name))));
  const findings: Finding[] = [];
  for (const [commit, own] of [...commits].slice(0, MOST_COMMITS)) {
    const before = await search.filesWith(walk, commit);
    const index = await indexOf(
      sources,
      before,
      own.map(({ citation }) => citation.name),
    );
    for (const { document, citation } of own) {
      const [only, ...more] = index.matches(citation.name);
      if (only === undefined || more.length > 0) continue;
      tally.count(document);
      const { next, via } = await newNameOf(walk, { ...only, commit });
      const isMoved = next !== null && lastName(next.name) !== lastName(citation.name);
      const to = isMoved ? nameAs(citation.name, next.name) : null;
      findings.push({
        file: document.path,
        line: citation.line,
        target: citation.name,
        kind: "symbol",
        verdict: to === null ? "gone" : "moved",
        ...(to === null ? {} : { to }),
        since: commit,
        detail: isMoved ? `in ${next.path}` : `was in ${only.path}`,
        cited: {
          column: citation.column,
          written: citation.written,
          correction: to,
          via: via.map((name) => `n:${lastName(name)}`),
        },
      });
    }
  }
  return findings;
}

/** With its class where it was cited so. */
const nameAs = (cited: string, name: string): string => (cited.includes(".") ? name : lastName(name));

/** Finds old contents that have any of some names; each content is read once. */
class Search {
  readonly #cwd: string;
  readonly #names: ReadonlySet<string>;
  readonly #found = new Map<string, boolean>();

  constructor(cwd: string, names: ReadonlySet<string>) {
    this.#cwd = cwd;
    this.#names = names;
  }

  /** Of the source files that a commit had otherwise than HEAD has them. */
  async filesWith({ head, covers }: SymbolWalk, commit: string): Promise<WantedFact[]> {
    const changes = (await diffTrees(this.#cwd, commit, head)).filter(
      ({ path, oldMode }) => isRegularFile(oldMode) && covers(path),
    );
    const files = changes.flatMap(({ path, oldOid }) => (oldOid === null ? [] : [{ path, oid: oldOid }]));
    const open = [...new Set(files.map(({ oid }) => oid))].filter((oid) => !this.#found.has(oid));
    for (let at = 0; at < open.length && this.#found.size < MOST_CONTENTS; at += BATCH) {
      const some = open.slice(at, at + BATCH);
      const blobs = await readBlobs(this.#cwd, some);
      for (const oid of some) this.#found.set(oid, this.#has(blobs.get(oid)));
    }
    return files.filter(({ oid }) => this.#found.get(oid) === true);
  }

  #has(content: Buffer | undefined): boolean {
    if (content === undefined) return false;
    for (const [word] of content.toString("latin1").matchAll(/[A-Za-z_$][\w$]*/g))
      if (this.#names.has(word)) return true;
    return false;
  }
}

interface Around {
  walk: SymbolWalk;
  sources: Sources;
  index: NameIndex;
}

/** Symbols that are not what they were when their line was written. */
async function changedOnes(
  present: Present,
  { walk, sources, index }: Around,
  unique: readonly Cited[],
): Promise<Finding[]> {
  const written = await writtenAt(present, unique, null);
  const oids = new Map(sources.files.map(({ path, oid }) => [path, oid]));
  const renames = new Map<string, ReadonlyMap<string, string>>();
  const findings: Finding[] = [];
  for (const { document, citation, commit } of written) {
    const [only] = index.matches(citation.name);
    const oid = only === undefined ? undefined : oids.get(only.path);
    if (only === undefined || oid === undefined) continue;
    const before = await symbolAt(walk, commit, only, renames);
    const after = await symbolIn(walk, { path: only.path, oid }, only.name);
    const detail =
      before === null || after === null
        ? null
        : changeOf(before, after, only.name, document.text.split("\n", citation.line).at(-1) ?? "");
    if (detail === null) continue;
    findings.push({
      file: document.path,
      line: citation.line,
      target: citation.name,
      kind: "symbol",
      verdict: "changed",
      since: commit,
      detail,
      cited: { column: citation.column, written: citation.written, correction: null, via: [] },
    });
  }
  return findings;
}

/** A symbol at one content. */
interface SymbolThen {
  seen: SymbolFacts;
  own: SymbolFingerprint;
}

/** What a reader of the line has to know: another interface, or a behaviour of which the line is likely false. */
function changeOf(before: SymbolThen, after: SymbolThen, name: string, line: string): string | null {
  if (before.seen.signature !== after.seen.signature) {
    if (!("kind" in before.own) || !("kind" in after.own)) return "its interface changed";
    const change = classChange(before.own, after.own);
    if (change !== null) return change;
  }
  const signed = ({ own, seen: { isAside } }: SymbolThen) => ({ ...own, isAside });
  const { likelihood, reasons } = estimate(signed(before), signed(after), name, () => line);
  return likelihood === "likely" ? reasons.join(", ") || "its behaviour changed" : null;
}

/** A class that only got more members is what a line about it says. */
function classChange(before: ClassFingerprint, after: ClassFingerprint): string | null {
  const now = new Set([...after.methods, ...after.properties]);
  const lost = [...before.methods, ...before.properties].filter((name) => !now.has(name));
  if (lost.length > 0) return `it no longer has ${lost.slice(0, 3).join(", ")}`;
  const spelled = ({ kind, signature, extends: parents }: ClassFingerprint) =>
    JSON.stringify([kind, signature, parents]);
  return spelled(before) === spelled(after) ? null : "its interface changed";
}

async function symbolAt(
  walk: SymbolWalk,
  commit: string,
  { path, name }: Definition,
  renames: Map<string, ReadonlyMap<string, string>>,
): Promise<SymbolThen | null> {
  await walk.commits.load([{ commit, path }]);
  const here = walk.commits.oidAt(commit, path);
  if (here !== null) return symbolIn(walk, { path, oid: here }, name);
  if (!renames.has(commit))
    renames.set(commit, new Map((await renamesBetween(walk.cwd, commit, walk.head)).map(({ from, to }) => [to, from])));
  const former = renames.get(commit)?.get(path);
  if (former === undefined) return null;
  await walk.commits.load([{ commit, path: former }]);
  const oid = walk.commits.oidAt(commit, former);
  return oid === null ? null : symbolIn(walk, { path: former, oid }, name);
}

async function symbolIn({ facts }: SymbolWalk, file: WantedFact, name: string): Promise<SymbolThen | null> {
  const fact = (await facts.of([file])).get(factKey(file));
  if (fact === undefined) return null;
  const [seen, ...more] = symbolFacts(fact).filter((one) => one.name === name && one.kind !== "module");
  const own = findSymbol(fact, name);
  return seen === undefined || own === undefined || more.length > 0 ? null : { seen, own };
}
