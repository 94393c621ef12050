import { DRIFT_DISTANCE } from "../fingerprint/compare.js";
import { extractorOf } from "../fingerprint/languages.js";
import type { ChangeLevel, Drift, FileChange } from "../fingerprint/types.js";
import { isRegularFile, type TreeChange } from "../git/trees.js";
import type { Baseline, BaselineRow } from "../knowledge/baseline.js";
import { type Facts, factKey, type WantedFact } from "../knowledge/facts.js";
import { ABSENT } from "../knowledge/known.js";
import { isText, listOf, parseJson } from "../store/check.js";
import type { Db } from "../store/sqlite.js";
import { keyPath } from "../store/state.js";
import { compareFacts } from "./file-symbols.js";
import { isSymbolVerdict, type SymbolVerdict } from "./symbol-changes.js";

/** One path of a worktree compared with the baseline; only paths that differ have one. */
export interface PathVerdict extends FileChange {
  /** HEAD's blob; null if the file was deleted. */
  oid: string | null;
  analysedOid: string | null;
  /** What changed in which symbol; absent for a file that is new or gone, or cannot be compared by symbol. */
  symbols?: SymbolVerdict[];
}

interface OpenPath {
  path: string;
  oid: string;
  /** null: there is no analysis of this path, or its content is unknown. */
  analysed: BaselineRow | null;
}

/** A path for which another stored analysis than the graph's is the nearest to HEAD's blob. */
export interface Restore {
  path: string;
  /** The analysed blob; "" if the absence of the path is stored. */
  oid: string;
}

export interface ComparedPaths {
  /** Paths whose blob is not the analysed one; drift `none` if a stored analysis describes it. */
  verdicts: PathVerdict[];
  restores: Restore[];
  /** Deleted files whose absence is stored: not pending, but possibly the source of a rename. */
  vanished: PathVerdict[];
  /** Blobs that turned out to be the analysed content, which was known by its hash only. */
  recognised: Map<string, string>;
}

/**
 * Always compares the analysed blob with HEAD's, never two commits with each other. If the analysed content is known by
 * its hash only and HEAD's has that hash, the blob is `recognised` and stored.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one screen from blobs to verdicts
export async function comparePaths(
  paths: ReadonlyMap<string, string | null>,
  baseline: Baseline,
  facts: Facts,
  known: ReadonlyMap<string, PathVerdict>,
): Promise<ComparedPaths> {
  const compared: ComparedPaths = { verdicts: [], restores: [], vanished: [], recognised: new Map() };
  const open: OpenPath[] = [];
  for (const [path, oid] of paths) {
    if (baseline.describes(path, oid)) continue;
    const analysed = baseline.get(path);
    const before = known.get(path);
    if (baseline.isKnown(path, oid ?? ABSENT)) {
      compared.restores.push({ path, oid: oid ?? ABSENT });
      compared.verdicts.push({ ...UNCHANGED, filePath: path, oid, analysedOid: analysed?.oid ?? null });
      if (oid === null) compared.vanished.push(whole(path, "gone", "file deleted", null, analysed?.oid ?? null));
    } else if (oid === null) compared.verdicts.push(whole(path, "gone", "file deleted", null, analysed?.oid ?? null));
    else if (analysed !== null && isSettled(before, oid, analysed, baseline)) compared.verdicts.push(before);
    else open.push({ path, oid, analysed });
  }
  for (const one of await compareOpen(open, facts)) {
    const nearer = isNear(one) ? null : await nearest(one, baseline, facts);
    if (nearer !== null) compared.restores.push({ path: one.filePath, oid: nearer.oid });
    if (nearer !== null || one.drift !== "none") compared.verdicts.push(nearer?.verdict ?? one);
    else if (one.oid !== null && one.analysedOid === null) compared.recognised.set(one.filePath, one.oid);
  }
  compared.verdicts.sort((a, b) => (a.filePath < b.filePath ? -1 : 1));
  return compared;
}

const UNCHANGED = { changeLevel: "NONE", drift: "none", details: [] as string[] } as const;

/** A stored verdict that no analysis delivered since could change. */
function isSettled(
  before: PathVerdict | undefined,
  oid: string,
  analysed: BaselineRow,
  baseline: Baseline,
): before is PathVerdict {
  // By two blobs: the baseline may be another one by now.
  if (before?.oid !== oid || before.analysedOid === null || before.analysedOid !== analysed.oid) return false;
  if (before.drift === "none") return false;
  return before.drift === "cosmetic" || baseline.knownOids(before.filePath).every((other) => other === analysed.oid);
}

const isNear = ({ drift }: PathVerdict) => drift === "none" || drift === "cosmetic";

/** Of the other analysed contents of this path, the one nearest to HEAD's: at most `body`. */
async function nearest(
  verdict: PathVerdict,
  baseline: Baseline,
  facts: Facts,
): Promise<{ oid: string; verdict: PathVerdict } | null> {
  const { filePath: path, oid, analysedOid } = verdict;
  if (oid === null) return null;
  const others = baseline.knownOids(path).filter((other) => other !== analysedOid);
  if (others.length === 0) return null;
  const found = await facts.of([oid, ...others].map((one) => ({ path, oid: one })));
  const now = found.get(factKey({ path, oid }));
  let best: { oid: string; verdict: PathVerdict } | null = null;
  for (const other of now === undefined ? [] : others) {
    const then = found.get(factKey({ path, oid: other }));
    if (now === undefined || then === undefined) continue;
    const change = compareFacts(then, now);
    if (DRIFT_DISTANCE[change.drift] >= DRIFT_DISTANCE[best?.verdict.drift ?? verdict.drift]) continue;
    best = { oid: other, verdict: { ...change, oid, analysedOid } };
  }
  return best;
}

/** Two blobs of a path; null if it is absent, a link or a submodule. */
export type Pairs = Map<string, [before: string | null, after: string | null]>;

export function toPairs(changes: readonly TreeChange[], covers: (path: string) => boolean): Pairs {
  const pairs: Pairs = new Map();
  for (const { path, oldMode, oldOid, mode, oid } of changes) {
    if (covers(path)) pairs.set(path, [isRegularFile(oldMode) ? oldOid : null, isRegularFile(mode) ? oid : null]);
  }
  return pairs;
}

/** Verdicts between two blobs of each path, without the baseline. */
export async function comparePairs(pairs: Readonly<Pairs>, facts: Facts): Promise<PathVerdict[]> {
  const verdicts: PathVerdict[] = [];
  const open: OpenPath[] = [];
  for (const [path, [before, after]] of pairs) {
    if (before === after) continue;
    if (before === null) verdicts.push(whole(path, "new", "new file", after, null));
    else if (after === null) verdicts.push(whole(path, "gone", "file deleted", null, before));
    else open.push({ path, oid: after, analysed: { oid: before, contentHash: null, inGraph: false } });
  }
  for (const verdict of await compareOpen(open, facts)) if (verdict.drift !== "none") verdicts.push(verdict);
  return verdicts.sort((a, b) => (a.filePath < b.filePath ? -1 : 1));
}

function whole(
  path: string,
  drift: Drift,
  detail: string,
  oid: string | null,
  analysedOid: string | null,
): PathVerdict {
  return { filePath: path, changeLevel: "STRUCTURAL", drift, details: [detail], oid, analysedOid };
}

/** A new file is not parsed: the verdict is `new`. */
async function compareOpen(open: readonly OpenPath[], facts: Facts): Promise<PathVerdict[]> {
  const wanted: WantedFact[] = [];
  for (const { path, oid, analysed } of open) {
    if (analysed === null) continue;
    wanted.push({ path, oid });
    if (analysed.oid !== null) wanted.push({ path, oid: analysed.oid });
  }
  const found = await facts.of(wanted);
  return open.map(({ path, oid, analysed }) => {
    if (analysed === null) return whole(path, "new", "new file", oid, null);
    const now = found.get(factKey({ path, oid }));
    const then = analysed.oid === null ? undefined : found.get(factKey({ path, oid: analysed.oid }));
    const stamp = { oid, analysedOid: analysed.oid };
    if (now !== undefined && then !== undefined) return { ...compareFacts(then, now), ...stamp };
    // The analysed blob was collected, or is known by its hash only: only the content can be compared.
    if (now === undefined || now.contentHash !== analysed.contentHash) {
      return whole(path, "interface", CONTENT_ONLY, oid, analysed.oid);
    }
    return { ...UNCHANGED, filePath: path, ...stamp };
  });
}

const CONTENT_ONLY = "content changed (the analysed version is not there to compare)";

/** The verdicts of a worktree's last verification, if they were made by the current extractor. */
export function storedVerdicts(db: Db, worktree: string): Map<string, PathVerdict> {
  const stored = new Map<string, PathVerdict>();
  for (const row of db.all<DriftRow>("SELECT * FROM drift WHERE view = ?", worktree)) {
    const path = keyPath(row.path);
    const details = parseJson(row.details, listOf(isText));
    const symbols = row.symbols === null ? undefined : parseJson(row.symbols, listOf(isSymbolVerdict));
    if (row.extractor !== extractorOf(path) || details === null || symbols === null) continue; // compared again
    // A row of an earlier version says nothing about symbols.
    if (symbols === undefined && row.analysed_oid !== null && row.oid !== null && row.drift !== "none") continue;
    stored.set(path, {
      filePath: path,
      changeLevel: row.change_level,
      drift: row.drift,
      details,
      oid: row.oid,
      analysedOid: row.analysed_oid,
      ...(symbols === undefined ? {} : { symbols }),
    });
  }
  return stored;
}

interface DriftRow {
  path: string;
  oid: string | null;
  analysed_oid: string | null;
  extractor: string;
  drift: Drift;
  change_level: ChangeLevel;
  details: string;
  symbols: string | null;
}
