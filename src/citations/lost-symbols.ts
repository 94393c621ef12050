import { pairSymbols } from "../fingerprint/pairs.js";
import { symbolFacts } from "../fingerprint/symbols.js";
import type { FileFingerprint, FunctionFingerprint } from "../fingerprint/types.js";
import { diffCommits, type HistoryCommit, listCommits } from "../git/history.js";
import { renamesIn } from "../git/moves.js";
import { isRegularFile, type TreeChange } from "../git/trees.js";
import { type Facts, factKey, type WantedFact } from "../knowledge/facts.js";
import { type Definition, declaredNames } from "./names.js";
import type { Commits } from "./snapshots.js";

/** A symbol that was there at a commit, under a name that nothing has at HEAD. */
export interface LostSymbol extends Definition {
  commit: string;
}

export interface SymbolWalk {
  cwd: string;
  head: string;
  commits: Commits;
  facts: Pick<Facts, "of">;
  covers(path: string): boolean;
}

/** A symbol that is renamed more often, a file that changes more often, or a commit that changes more files is not followed. */
const MOST_STEPS = 8;
const MOST_VERSIONS = 400;
const MOST_FILES = 300;

/** The name that a lost symbol has at HEAD; null where it went for good, or nobody can tell where. `via`: the names that it had in between. */
export async function newNameOf(
  walk: SymbolWalk,
  lost: LostSymbol,
): Promise<{ next: Definition | null; via: readonly string[] }> {
  const via: string[] = [];
  let at = lost;
  for (let step = 0; step < MOST_STEPS; step++) {
    const end = await lastVersion(walk, at);
    const next = end === null ? null : await successorIn(walk, end, at);
    if (end === null || next === null) break;
    via.push(next.name);
    if (await isDeclared(walk, walk.head, next)) return { next: next.name === lost.name ? null : next, via };
    at = { ...next, commit: end.commit };
  }
  return { next: null, via };
}

async function isDeclared(walk: SymbolWalk, commit: string, { path, name }: Definition): Promise<boolean> {
  await walk.commits.load([{ commit, path }]);
  const oid = walk.commits.oidAt(commit, path);
  return oid !== null && (await namesIn(walk, { path, oid })).has(name);
}

async function namesIn({ facts }: SymbolWalk, file: WantedFact): Promise<Set<string>> {
  const fact = (await facts.of([file])).get(factKey(file));
  return new Set(fact === undefined ? [] : declaredNames(fact).symbols);
}

/** The commit that took the symbol out of its file, found by halves: it is there before, and not after. */
async function lastVersion(walk: SymbolWalk, { path, name, commit }: LostSymbol): Promise<HistoryCommit | null> {
  const touching = await listCommits(walk.cwd, ["--no-merges", `${commit}..${walk.head}`], [path]);
  if (touching.length === 0 || touching.length > MOST_VERSIONS) return null;
  await walk.commits.load(touching.map((one) => ({ commit: one.commit, path })));
  let [low, high] = [0, touching.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    const oid = walk.commits.oidAt(touching[middle]?.commit ?? "", path);
    if (oid !== null && (await namesIn(walk, { path, oid })).has(name)) low = middle + 1;
    else high = middle;
  }
  return touching[low] ?? null;
}

/** What a commit made of a symbol: the same under another name or in another file. */
async function successorIn(
  walk: SymbolWalk,
  end: HistoryCommit,
  { path, name }: Definition,
): Promise<Definition | null> {
  const changes = ((await diffCommits(walk.cwd, [end])).get(end.commit) ?? []).filter((change) =>
    walk.covers(change.path),
  );
  if (changes.length > MOST_FILES) return null;
  const [before, after] = await Promise.all([factsOf(walk, changes, "old"), factsOf(walk, changes, "new")]);
  const symbolsOf = (facts: readonly FileFingerprint[]) =>
    facts.flatMap(symbolFacts).filter(({ kind }) => kind !== "module");
  const keyOf = ({ path: file, name: own }: Definition) => `${file}\0${own}`;
  const [old, now] = [symbolsOf(before), symbolsOf(after)];
  const [had, has] = [new Set(old.map(keyOf)), new Set(now.map(keyOf))];
  const gone = old.filter((one) => !has.has(keyOf(one)));
  const came = now.filter((one) => !had.has(keyOf(one)));
  const pair = pairSymbols(gone, came).find((one) => one.before.path === path && one.before.name === name);
  if (pair !== undefined) return { path: pair.after.path, name: pair.after.name };
  const only = onlyOther(before, after, { path, name });
  if (only !== null) return only;
  const renamed = (await renamesIn(walk.cwd, [end.commit])).get(end.commit)?.find((one) => one.from === path)?.to;
  return renamed !== undefined && has.has(keyOf({ path: renamed, name })) ? { path: renamed, name } : null;
}

async function factsOf(
  { facts }: SymbolWalk,
  changes: readonly TreeChange[],
  side: "old" | "new",
): Promise<FileFingerprint[]> {
  const files = changes.flatMap(({ path, mode, oid, oldMode, oldOid }): WantedFact[] => {
    const [ownMode, own] = side === "old" ? [oldMode, oldOid] : [mode, oid];
    return own !== null && isRegularFile(ownMode) ? [{ path, oid: own }] : [];
  });
  return [...(await facts.of(files)).values()];
}

/** A function too small to be known by its body: the only one that its file lost, where the file got one other with the same parameters. */
function onlyOther(
  before: readonly FileFingerprint[],
  after: readonly FileFingerprint[],
  { path, name }: Definition,
): Definition | null {
  const functionsOf = (facts: readonly FileFingerprint[]) =>
    facts.find(({ filePath }) => filePath === path)?.functions ?? [];
  const [old, now] = [functionsOf(before), functionsOf(after)];
  const gone = old.filter((one) => !now.some((other) => other.name === one.name));
  const came = now.filter((one) => !old.some((other) => other.name === one.name));
  const [was, is] = [gone[0], came[0]];
  if (gone.length !== 1 || came.length !== 1 || was?.name !== name || is === undefined) return null;
  return looksAlike(was, is) ? { path, name: is.name } : null;
}

const looksAlike = (was: FunctionFingerprint, is: FunctionFingerprint): boolean =>
  was.params.join() === is.params.join() &&
  (was.returnType ?? "") === (is.returnType ?? "") &&
  was.lineCount === is.lineCount &&
  JSON.stringify(was.behaviour) === JSON.stringify(is.behaviour);
