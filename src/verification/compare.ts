import type { Head } from "../git/head.js";
import { diffTrees, isRegularFile, listTree } from "../git/trees.js";
import { Baseline } from "../knowledge/baseline.js";
import { describedAt } from "../knowledge/described.js";
import { hasDescriptions } from "../knowledge/descriptions.js";
import { type FactStoreOptions, Facts, factKey, storedFacts } from "../knowledge/facts.js";
import { analysedSymbols } from "../knowledge/symbol-baseline.js";
import { symbolStates } from "../knowledge/symbol-states.js";
import { clock } from "../platform/clock.js";
import type { LoadedContext } from "../repository/context.js";
import { readSetting, SETTINGS } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { type AskedFiles, askedFiles, type IsDescribed } from "./asked.js";
import { type Candidates, findCandidates } from "./candidates.js";
import { type Decision, decide } from "./decide.js";
import { type DependentUses, dependentUses } from "./dependents.js";
import { compareApart } from "./file-symbols.js";
import { foldRenames, type Move, type Rename } from "./renames.js";
import { changedSymbols, withMoves } from "./symbol-changes.js";
import { coveredPaths, TreePaths } from "./tree-paths.js";
import {
  type ComparedPaths,
  comparePairs,
  comparePaths,
  type PathVerdict,
  type Restore,
  storedVerdicts,
  toPairs,
} from "./verdicts.js";
import { referenceFor } from "./worktree-rows.js";

/** What is pending in a worktree: a pure function of the baseline and HEAD's tree (invariant "pending is computed"). */
export interface Comparison extends Decision {
  head: string;
  branch: string | undefined;
  renamedFiles: Rename[];
  fileChanges: PathVerdict[];
  asked: AskedFiles;
  dependents: string[];
  dependentUses: DependentUses;
  /** Every path whose blob is not the analysed one, renames not folded: the next comparison starts from these. */
  verdicts: PathVerdict[];
  /** Blobs that turned out to be the analysed content, which was known by its hash only. */
  recognised: ReadonlyMap<string, string>;
  /** Stored analyses that describe HEAD better than the graph: restored at no cost. */
  restores: Restore[];
  /** Renames that need no analysis: the analysis moves along. */
  moves: Move[];
  /** A config file for import resolution has changed. */
  configsChanged: boolean;
  trackedArtefacts: string[];
  /** The diff from the last verified commit to HEAD; null if it was not needed. */
  diff: Candidates["diff"];
  timings: { phase0: number; phase1: number };
}

/**
 * Phase 0 and Phase 1 for one worktree. Writes only facts, and only if `keep` is set. `afresh`: stored verdicts are not
 * used, every path is compared.
 */
export async function compareWithBaseline(
  context: LoadedContext,
  head: Commit,
  { keep, afresh = false, afterBatch }: FactStoreOptions & { afresh?: boolean },
): Promise<Comparison> {
  const started = clock();
  const { db, project, config, rules } = context;
  const { worktree, scope } = project;
  const baseline = new Baseline(db, scope, worktree.id);
  const reference = afresh ? null : referenceFor(db, project, rules.id);
  const candidates = await findCandidates(context, baseline, head.commit, reference);
  const phase0 = clock() - started;
  const facts = new Facts(storedFacts(db, { keep, afterBatch }), worktree.path, config);
  const stored = afresh ? new Map<string, PathVerdict>() : storedVerdicts(db, worktree.id);
  const apart = analysedSymbols(db, scope, worktree.id);
  // What was compared with symbols that were analysed apart may have been described since.
  for (const path of apart.keys()) stored.delete(path);
  const found = await comparePaths(candidates.paths, baseline, facts, stored);
  const heads = new Map([...(await headsOf(worktree.path, head.commit, apart.keys(), baseline)), ...candidates.paths]);
  const compared = { ...found, verdicts: await compareApart(db, found, { heads }, { baseline, facts }) };
  const around = {
    graphFiles: readSetting(db, SETTINGS.graphFiles, scope) ?? 0,
    hasDirectory: baseline.hasDirectory.bind(baseline),
  };
  const conclusion = await conclude(context, baseline, compared, facts, around);
  const timings = { phase0: round(phase0), phase1: round(clock() - started - phase0) };
  return {
    head: head.commit,
    branch: head.branch,
    ...conclusion,
    recognised: compared.recognised,
    configsChanged: candidates.configsChanged,
    trackedArtefacts: candidates.trackedArtefacts,
    diff: candidates.diff,
    timings,
  };
}

/** Of files of which a linked worktree has acknowledged another content than the graph describes: HEAD can have either. */
async function headsOf(
  cwd: string,
  commit: string,
  apart: Iterable<string>,
  baseline: Baseline,
): Promise<[path: string, oid: string | null][]> {
  const open = [...apart].filter((path) => baseline.get(path)?.oid !== baseline.ofGraph(path)?.oid);
  if (open.length === 0) return [];
  const there = new Map((await listTree(cwd, commit, open)).map((entry) => [entry.path, entry]));
  return open.map((path) => {
    const entry = there.get(path);
    return [path, entry !== undefined && isRegularFile(entry.mode) ? entry.oid : null];
  });
}

export type Commit = Head & { commit: string };

const NOTHING_KNOWN: Omit<ComparedPaths, "verdicts"> = { restores: [], vanished: [], recognised: new Map() };

/** The same for two commits, with the first as the baseline: `check --base`, also without an install. */
export async function compareCommits(
  context: LoadedContext,
  base: string,
  head: Commit,
  facts = unstoredFacts(context),
): Promise<Comparison> {
  const started = clock();
  const { db, project, rules } = context;
  const baseline = new Baseline(db, project.scope, project.worktree.id);
  const changes = await diffTrees(project.worktree.path, base, head.commit);
  const paths = toPairs(changes, (path) => rules.covers(path, baseline.isInGraph(path)));
  const phase0 = clock() - started;
  const verdicts = await comparePairs(paths, facts);
  const tree = new TreePaths(await coveredPaths(project.worktree.path, base, rules));
  const around = { graphFiles: tree.size, hasDirectory: tree.hasDirectory };
  const conclusion = await conclude(context, baseline, { ...NOTHING_KNOWN, verdicts }, facts, around);
  const timings = { phase0: round(phase0), phase1: round(clock() - started - phase0) };
  const nothing = { recognised: new Map<string, string>(), configsChanged: false, trackedArtefacts: [], diff: null };
  return { head: head.commit, branch: head.branch, ...conclusion, ...nothing, timings };
}

/** For a command that writes nothing: what it parses is kept until it ends. */
export function unstoredFacts({ db, project, config }: LoadedContext): Facts {
  return new Facts(storedFacts(db, { keep: false }), project.worktree.path, config);
}

/** From the verdicts on single files to the decision. */
async function conclude(
  { db, project, config }: LoadedContext,
  baseline: Baseline,
  compared: ComparedPaths,
  facts: Facts,
  around: Pick<Parameters<typeof decide>[0], "graphFiles" | "hasDirectory">,
) {
  const changes = [...compared.verdicts.filter(({ drift }) => drift !== "none"), ...compared.vanished];
  const { renames, moves, verdicts } = await foldRenames(changes, facts, project.worktree.path);
  const isVanished = new Set(compared.vanished.map(({ filePath }) => filePath));
  const open = verdicts.filter(({ filePath }) => !isVanished.has(filePath));
  const isDescribed = isDescribedIn(db, project.scope, open, facts);
  const { found, fileChanges } = takeFormer(
    withMoves(await withNewSymbols(db, open, facts, isDescribed)),
    compared,
    baseline,
  );
  for (const move of found) moves.push(move);
  // A file that is being renamed is restored under its new name, or stays until both names are analysed.
  const leaving = new Set([...renames, ...moves].map(({ from }) => from));
  const asked = askedFiles(fileChanges, config.refresh, isDescribed);
  const decision = decide({ verdicts: fileChanges, renames, asked, ...around }, config);
  const uses = await dependentUses(fileChanges, renames, { ...baseline.imports, facts }, decision);
  return {
    ...decision,
    renamedFiles: renames,
    fileChanges,
    asked,
    dependents: Object.keys(uses),
    dependentUses: uses,
    verdicts: compared.verdicts,
    restores: compared.restores.filter(({ path }) => !leaving.has(path)),
    moves,
  };
}

/** More new files than this are described as a whole. */
const MOST_NEW_FILES = 100;

/** Of a new file with a symbol that is described already, only the others are asked. */
async function withNewSymbols(
  db: Db,
  verdicts: readonly PathVerdict[],
  facts: Facts,
  isDescribed: IsDescribed,
): Promise<PathVerdict[]> {
  const arrived = verdicts.flatMap(({ filePath: path, drift, oid, symbols }) =>
    drift === "new" && oid !== null && symbols === undefined ? [{ path, oid }] : [],
  );
  if (arrived.length === 0 || arrived.length > MOST_NEW_FILES || !hasDescriptions(db)) return [...verdicts];
  const found = await facts.of(arrived);
  const symbolsOf = new Map(
    arrived.map((file) => [file.path, changedSymbols([], symbolStates(file.path, file.oid, found.get(factKey(file))))]),
  );
  return verdicts.map((verdict) => {
    const symbols = symbolsOf.get(verdict.filePath) ?? [];
    return symbols.some((symbol) => isDescribed(verdict, symbol)) ? { ...verdict, symbols } : verdict;
  });
}

/** A new file with the content of one that was analysed and deleted long ago: it was moved in several steps. */
function takeFormer(verdicts: readonly PathVerdict[], compared: ComparedPaths, baseline: Baseline) {
  const there = new Set(compared.verdicts.filter(({ oid }) => oid !== null).map(({ filePath }) => filePath));
  const found: Move[] = [];
  const fileChanges = verdicts.map((verdict): PathVerdict => {
    const { filePath: to, drift, oid } = verdict;
    const from = drift === "new" && oid !== null ? baseline.formerPath(to, oid) : null;
    if (from === null || oid === null || there.has(from)) return verdict;
    found.push({ from, to, oid });
    return { ...verdict, changeLevel: "NONE", drift: "none", details: [`renamed from ${from}`] };
  });
  return { found, fileChanges };
}

const round = (ms: number) => Math.round(ms * 10) / 10;

/** Whether what is asked about a symbol was written already, at HEAD's state of all files. */
export function isDescribedIn(db: Db, scope: string, changes: readonly PathVerdict[], facts: Facts): IsDescribed {
  const heads = new Map(changes.map(({ filePath, oid }) => [filePath, oid]));
  const describedBy = describedAt(db, scope, { heads, facts });
  return ({ filePath, oid }, symbol) => oid !== null && describedBy({ path: filePath, oid }, symbol) === "exact";
}
