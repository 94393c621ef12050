import { extractorOf } from "../fingerprint/languages.js";
import { HeadTree } from "../git/head-tree.js";
import { isRefusal } from "../git/run.js";
import { diffTrees, isGone, isRegularFile, type TreeChange } from "../git/trees.js";
import { resolverConfigFiles } from "../graph/resolver-configs.js";
import { GRAPH, ownFileOf } from "../knowledge/artefacts.js";
import { AtHead } from "../knowledge/at-head.js";
import { excludedBatches, pathsOfBatches } from "../knowledge/counting.js";
import { Facts, storedFacts } from "../knowledge/facts.js";
import { ALL } from "../knowledge/graph-pieces.js";
import { hasSlice, sliceOfFile } from "../knowledge/slices.js";
import { candidatesOf, similarityOfRename } from "../knowledge/statements.js";
import { clock } from "../platform/clock.js";
import type { LoadedContext } from "../repository/context.js";
import { isNumber, isText, listOf, parseJson } from "../store/check.js";
import type { Db } from "../store/sqlite.js";
import { keyPath, pathKey } from "../store/state.js";
import { askedFiles } from "../verification/asked.js";
import type { Commit, Comparison } from "../verification/compare.js";
import { decide, topDirectory } from "../verification/decide.js";
import { dependentUses, type ImportIndex } from "../verification/dependents.js";
import { driftOf } from "../verification/drift.js";
import type { Rename } from "../verification/renames.js";
import { isSymbolVerdict } from "../verification/symbol-changes.js";
import type { PathVerdict } from "../verification/verdicts.js";
import { pathsLike } from "./moved-symbols.js";

/** So many files are compared at a time: their facts are in memory. */
const BATCH = 500;

/** HEAD compared with what is stated, and what the graph has to follow. */
export interface Compared extends Comparison {
  atHead: AtHead;
  tree: HeadTree;
  /** Which rules it was made by, and which batches count. */
  key: { rules: string; excluded: ReadonlySet<number> };
  isCovered(path: string): boolean;
  /** The paths that were compared. */
  paths: ReadonlySet<string>;
  /** Of those, answered ones that HEAD does not have, also where nobody is asked about that, with the content that they had. */
  lost: { path: string; oid: string }[];
  /** To be stored in the transaction that saves the marker's row. */
  save(): void;
}

export interface CompareOptions {
  /** False for commands that answer without writing anything. */
  keep: boolean;
  /** Stored verdicts are not used: every path is compared. */
  afresh?: boolean;
  afterBatch?: (() => void) | undefined;
}

/**
 * Drift, questions and decision at a commit. Candidates are what differs between the commit that was compared last and HEAD, the paths
 * about which something was stated since, and those whose symbols can have moved there; all others are as they were.
 */
export async function compareHead(
  context: LoadedContext,
  head: Commit,
  { keep, afresh = false, afterBatch }: CompareOptions,
): Promise<Compared> {
  const started = clock();
  const { db, project, config } = context;
  const { path: cwd, id: view } = project.worktree;
  const tree = new HeadTree(cwd, head.commit);
  const excluded = await excludedBatches(db, project, tree);
  const facts = new Facts(storedFacts(db, { keep, afterBatch }), cwd, config);
  const atHead = new AtHead(db, { scope: project.scope, excluded, tree, facts, view });
  const key = { rules: `${UA_HOOKS_VERSION} ${context.rules.id}`, excluded };
  const found = await findCandidates(context, atHead, { ...key, afresh });
  const phase0 = clock() - started;
  const stored = found.isWhole ? new Map<string, PathVerdict>() : readDrift(db, view);
  const compared = new Map(stored);
  const lost: Compared["lost"] = [];
  for (const batch of batchesOf([...found.paths], BATCH)) {
    await atHead.prepare(batch);
    for (const path of batch) {
      const verdict = found.isCovered(path) ? driftOf(atHead, path) : null;
      if (verdict === null) compared.delete(path);
      else compared.set(path, verdict);
      const content = lostContent(atHead, path);
      if (content !== null) lost.push({ path, oid: content });
    }
    if (found.paths.size > BATCH) atHead.forget();
  }
  const conclusion = await conclude(context, {
    atHead,
    facts,
    files: found.files,
    isCovered: found.isCovered,
    compared,
  });
  return {
    head: head.commit,
    branch: head.branch,
    ...conclusion,
    recognised: new Map(),
    restores: [],
    moves: [],
    configsChanged: found.configsChanged,
    trackedArtefacts: found.trackedArtefacts,
    diff: found.diff,
    timings: { phase0: round(phase0), phase1: round(clock() - started - phase0) },
    atHead,
    tree,
    key,
    isCovered: found.isCovered,
    paths: found.paths,
    lost,
    save: () => {
      saveDrift(db, view, compared, found);
      const sql = "INSERT OR REPLACE INTO compared(view, commit_oid, rules, documents, files) VALUES(?, ?, ?, ?, ?)";
      db.run(sql, view, head.commit, key.rules, JSON.stringify([...excluded]), found.files);
      db.run("DELETE FROM candidates WHERE owner = ?", view);
      // The pieces follow later: after a kill, nothing else would know which texts to choose anew.
      const sqlOfGraph = "INSERT OR IGNORE INTO candidates(owner, path) VALUES(?, ?)";
      for (const path of found.isWhole ? [ALL] : found.paths)
        db.run(sqlOfGraph, `graph:${project.scope}`, pathKey(path));
    },
  };
}

function lostContent(atHead: AtHead, path: string): string | null {
  const file = atHead.file(path);
  return file.blob !== null || file.isRenamed ? null : (file.nearestContent?.hash ?? null);
}

const round = (ms: number) => Math.round(ms * 10) / 10;

function* batchesOf<T>(list: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size);
}

interface Candidates {
  paths: ReadonlySet<string>;
  /** The paths are those of the whole tree: what is not among them is as answered. */
  isWhole: boolean;
  /** How many covered files HEAD has. */
  files: number;
  isCovered(path: string): boolean;
  configsChanged: boolean;
  trackedArtefacts: string[];
  diff: Comparison["diff"];
}

interface ComparedRow {
  commit_oid: string;
  rules: string;
  documents: string;
  files: number;
}

async function findCandidates(
  { db, project, rules }: LoadedContext,
  atHead: AtHead,
  key: { rules: string; excluded: ReadonlySet<number>; afresh: boolean },
): Promise<Candidates> {
  const { path: cwd, id: view } = project.worktree;
  const { tree } = atHead;
  const isCovered = (path: string) => rules.covers(path, hasSlice(db, project.scope, GRAPH, sliceOfFile(path)));
  const row = db.get<ComparedRow>("SELECT * FROM compared WHERE view = ?", view);
  const changes =
    row === undefined || row.rules !== key.rules || key.afresh ? null : await changesSince(cwd, row, tree);
  if (row === undefined || changes === null) return wholeTree(atHead, isCovered);
  tree.note(changes);
  const before = new Set(parseJson(row.documents, listOf(isNumber)) ?? []);
  const counted = [...before, ...key.excluded].filter((id) => before.has(id) !== key.excluded.has(id));
  const own = changes.filter(({ path }) => isCovered(path));
  const paths = new Set([
    ...own.map(({ path }) => path),
    ...candidatesOf(db, view).filter((path) => path !== ""),
    ...pathsOfBatches(db, counted).filter((path) => path !== ""),
  ]);
  for (const path of pathsLike(db, { scope: project.scope, atHead, changes: own, stated: paths })) paths.add(path);
  for (const path of [...paths]) for (const name of atHead.statements.namesAround(path)) paths.add(name);
  const came = own.filter(({ oldMode, mode }) => !isRegularFile(oldMode) && isRegularFile(mode)).length;
  const went = own.filter(({ oldMode, mode }) => isRegularFile(oldMode) && !isRegularFile(mode)).length;
  return {
    paths,
    isWhole: false,
    files: row.files + came - went,
    isCovered,
    configsChanged: resolverConfigFiles(changes.map(({ path }) => path)).length > 0,
    trackedArtefacts: changes.flatMap(({ path, oid }) => (oid === null ? [] : (ownFileOf(path) ?? []))),
    diff: row.commit_oid === tree.commit ? null : { from: row.commit_oid, changes },
  };
}

/** null: the commit is gone (rebased and collected, shallow). */
async function changesSince(cwd: string, row: ComparedRow, tree: HeadTree): Promise<TreeChange[] | null> {
  if (row.commit_oid === tree.commit) return [];
  return diffTrees(cwd, row.commit_oid, tree.commit).catch((error: unknown) => {
    if (isRefusal(error) && isGone(error)) return null;
    throw error;
  });
}

async function wholeTree(atHead: AtHead, isCovered: (path: string) => boolean): Promise<Candidates> {
  const { tree, statements } = atHead;
  const entries = await tree.list();
  const answered = statements.answeredContents();
  const covered = entries.filter(({ path, mode }) => isRegularFile(mode) && isCovered(path));
  const open = covered.filter(({ path, oid }) => answered.get(path)?.has(oid) !== true);
  const gone = [...answered.keys()].filter((path) => tree.blobOf(path) === null);
  return {
    paths: new Set([...open.map(({ path }) => path), ...gone]),
    isWhole: true,
    files: covered.length,
    isCovered,
    configsChanged: true,
    trackedArtefacts: entries.flatMap(({ path }) => ownFileOf(path) ?? []),
    diff: null,
  };
}

interface Around extends Pick<Candidates, "files" | "isCovered"> {
  atHead: AtHead;
  facts: Facts;
  compared: ReadonlyMap<string, PathVerdict>;
}

/** From the verdicts on single files to the decision. */
async function conclude(
  { db, project, config }: LoadedContext,
  { atHead, facts, files, isCovered, compared }: Around,
): Promise<
  Omit<
    Comparison,
    "head" | "branch" | "recognised" | "restores" | "moves" | "configsChanged" | "trackedArtefacts" | "diff" | "timings"
  >
> {
  const verdicts = [...compared.values()].sort((a, b) => (a.filePath < b.filePath ? -1 : 1));
  const around = verdicts
    .map(({ filePath }) => filePath)
    .filter((path) => atHead.statements.namesAround(path).length > 0);
  await atHead.loadNames(around);
  const names = new Map(around.flatMap((to) => formerName(atHead, to)));
  const renames: Rename[] = [];
  const fileChanges = verdicts.map((verdict): PathVerdict => {
    const from = names.get(verdict.filePath);
    if (from === undefined) return verdict;
    const similarity = similarityOfRename(db, from, verdict.filePath) ?? 100;
    if (verdict.changeLevel === "STRUCTURAL") renames.push({ from, to: verdict.filePath, similarity });
    return { ...verdict, details: [`renamed from ${from}`, ...verdict.details] };
  });
  const asked = askedFiles(fileChanges, config.refresh, () => false);
  const left = new Map(renames.map(({ from, to }) => [to, from]));
  const isNew = new Set(fileChanges.filter(({ drift }) => drift === "new").map(({ filePath }) => filePath));
  const gone = fileChanges.filter(({ drift }) => drift === "gone").map(({ filePath }) => filePath);
  const decision = decide(
    {
      verdicts: fileChanges,
      renames,
      asked,
      graphFiles: files - isNew.size + gone.length,
      hasDirectory: await answeredDirectories(atHead, fileChanges, { isNew, gone, left, isCovered }),
    },
    config,
  );
  const imports = importIndex(db, project.scope);
  const uses = await dependentUses(fileChanges, renames, { ...imports, facts }, decision);
  return {
    ...decision,
    renamedFiles: renames,
    fileChanges,
    asked,
    dependents: Object.keys(uses),
    dependentUses: uses,
    verdicts,
  };
}

function formerName(atHead: AtHead, to: string): [to: string, from: string][] {
  const from = atHead.file(to).formerName;
  return from === null ? [] : [[to, from]];
}

/**
 * Whether the answered state has files in a top-level directory, other than the given ones. Only directories of pending files are asked
 * about, so only those are listed.
 */
async function answeredDirectories(
  atHead: AtHead,
  changes: readonly PathVerdict[],
  {
    isNew,
    gone,
    left,
    isCovered,
  }: {
    isNew: ReadonlySet<string>;
    gone: readonly string[];
    /** Former names of files that are renamed and pending. */
    left: ReadonlyMap<string, string>;
  } & Pick<Candidates, "isCovered">,
): Promise<(directory: string, except: ReadonlySet<string>) => boolean> {
  const structural = changes.filter(({ changeLevel }) => changeLevel === "STRUCTURAL");
  const wanted = new Set(structural.map(({ filePath }) => topDirectory(filePath)).filter((one) => one !== null));
  const there = wanted.size === 0 ? [] : await atHead.tree.filesIn([...wanted]);
  const settled = there.filter((path) => !isNew.has(path) && !left.has(path) && isCovered(path));
  const answered = [...settled, ...left.values(), ...gone];
  return (directory, except) => answered.some((path) => topDirectory(path) === directory && !except.has(path));
}

/** By the edges of the graph. */
export function importIndex(db: Db, scope: string): ImportIndex {
  return {
    importersOf: (path) => importersOf(db, scope, path),
    contentOf: (path) => pieceBlob(db, scope, path),
  };
}

function importersOf(db: Db, scope: string, path: string): string[] {
  const sql = "SELECT source FROM links WHERE scope = ? AND target = ? AND imports = 1 ORDER BY source";
  return db.all<{ source: string }>(sql, scope, pathKey(path)).map(({ source }) => keyPath(source));
}

function pieceBlob(db: Db, scope: string, path: string): string | null {
  const sql = "SELECT blob FROM graph_pieces WHERE scope = ? AND path = ?";
  return db.get<{ blob: string | null }>(sql, scope, pathKey(path))?.blob ?? null;
}

interface DriftRow {
  path: string;
  oid: string | null;
  analysed_oid: string | null;
  drift: PathVerdict["drift"];
  change_level: PathVerdict["changeLevel"];
  details: string;
  symbols: string | null;
}

/** The paths of a worktree that are not as answered, as the last comparison found them. */
export function readDrift(db: Db, view: string): Map<string, PathVerdict> {
  const rows = db.all<DriftRow>("SELECT * FROM drift WHERE view = ? ORDER BY path", view);
  return new Map(
    rows.map((row) => {
      const path = keyPath(row.path);
      const symbols = row.symbols === null ? null : parseJson(row.symbols, listOf(isSymbolVerdict));
      const verdict: PathVerdict = {
        filePath: path,
        changeLevel: row.change_level,
        drift: row.drift,
        details: parseJson(row.details, listOf(isText)) ?? [],
        oid: row.oid,
        analysedOid: row.analysed_oid,
      };
      return [path, symbols === null ? verdict : { ...verdict, symbols }];
    }),
  );
}

function saveDrift(
  db: Db,
  view: string,
  compared: ReadonlyMap<string, PathVerdict>,
  { paths, isWhole }: Candidates,
): void {
  if (isWhole) db.run("DELETE FROM drift WHERE view = ?", view);
  else for (const path of paths) db.run("DELETE FROM drift WHERE view = ? AND path = ?", view, pathKey(path));
  for (const verdict of compared.values()) {
    if (!isWhole && !paths.has(verdict.filePath)) continue;
    db.run(
      `INSERT INTO drift(view, path, oid, analysed_oid, extractor, drift, change_level, details, symbols)
       VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[view, pathKey(verdict.filePath), verdict.oid, verdict.analysedOid, extractorOf(verdict.filePath)],
      ...[verdict.drift, verdict.changeLevel, JSON.stringify(verdict.details)],
      verdict.symbols === undefined ? null : JSON.stringify(verdict.symbols),
    );
  }
}
