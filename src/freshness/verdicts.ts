import { compareFingerprints } from "../fingerprint/compare.js";
import { extractorOf } from "../fingerprint/languages.js";
import type { ChangeLevel, Drift, FileChange } from "../fingerprint/types.js";
import { isRegularFile, type TreeChange } from "../git/trees.js";
import type { Db } from "../store/sqlite.js";
import { keyPath } from "../store/state.js";
import type { Baseline, BaselineRow } from "./baseline.js";
import { type Facts, factKey, type Wanted } from "./facts.js";

/** One path of a view against the baseline; only paths that differ have one. */
export interface Verdict extends FileChange {
  /** HEAD's blob; null where the file is gone. */
  oid: string | null;
  analysedOid: string | null;
}

interface Open {
  path: string;
  oid: string;
  analysed: BaselineRow;
}

/**
 * The verdict always compares the analysed blob with HEAD's, never two commits with each other. Where the analysed
 * content is known by its hash only and HEAD's has that hash, the blob is `recognised`: from then on it is known.
 */
export async function judgePaths(
  paths: ReadonlyMap<string, string | null>,
  baseline: Baseline,
  facts: Facts,
  known: ReadonlyMap<string, Verdict>,
  recognised: Map<string, string> = new Map(),
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const open: Open[] = [];
  for (const [path, oid] of paths) {
    const analysed = baseline.get(path);
    const before = known.get(path);
    if (analysed !== null && isAsAnalysed(analysed, oid)) continue;
    if (analysed === null) {
      if (oid !== null && !baseline.isKnown(path, oid)) verdicts.push(whole(path, "new", "new file", oid, null));
    } else if (oid === null) verdicts.push(whole(path, "gone", "file deleted", null, analysed.oid));
    else if (before?.oid === oid && before.analysedOid !== null && before.analysedOid === analysed.oid) {
      verdicts.push(before); // by two blobs: a hash may be another one by now
    } else if (!baseline.isKnown(path, oid)) open.push({ path, oid, analysed });
  }
  for (const verdict of await compareOpen(open, facts)) {
    if (verdict.drift !== "none") verdicts.push(verdict);
    else if (verdict.oid !== null && verdict.analysedOid === null) recognised.set(verdict.filePath, verdict.oid);
  }
  return verdicts.sort((a, b) => (a.filePath < b.filePath ? -1 : 1));
}

/** A path that was never in git and is not in HEAD (a graph may name such things) has not gone. */
function isAsAnalysed(analysed: BaselineRow, oid: string | null): boolean {
  return analysed.oid === oid && (oid !== null || analysed.contentHash === null);
}

/** Two blobs of a path; null where it is not there, or is a link or a submodule. */
export type Pairs = Map<string, [before: string | null, after: string | null]>;

export function toPairs(changes: readonly TreeChange[], covers: (path: string) => boolean): Pairs {
  const pairs: Pairs = new Map();
  for (const { path, oldMode, oldOid, mode, oid } of changes) {
    if (covers(path)) pairs.set(path, [isRegularFile(oldMode) ? oldOid : null, isRegularFile(mode) ? oid : null]);
  }
  return pairs;
}

/** Verdicts between two blobs of each path, the baseline left aside. */
export async function judgePairs(pairs: Readonly<Pairs>, facts: Facts): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const open: Open[] = [];
  for (const [path, [before, after]] of pairs) {
    if (before === after) continue;
    if (before === null) verdicts.push(whole(path, "new", "new file", after, null));
    else if (after === null) verdicts.push(whole(path, "gone", "file deleted", null, before));
    else open.push({ path, oid: after, analysed: { oid: before, contentHash: null, inGraph: false } });
  }
  verdicts.push(...(await compareOpen(open, facts)).filter(({ drift }) => drift !== "none"));
  return verdicts.sort((a, b) => (a.filePath < b.filePath ? -1 : 1));
}

function whole(path: string, drift: Drift, detail: string, oid: string | null, analysedOid: string | null): Verdict {
  return { filePath: path, changeLevel: "STRUCTURAL", drift, details: [detail], oid, analysedOid };
}

async function compareOpen(open: readonly Open[], facts: Facts): Promise<Verdict[]> {
  const wanted: Wanted[] = [];
  for (const { path, oid, analysed } of open) {
    wanted.push({ path, oid });
    if (analysed.oid !== null) wanted.push({ path, oid: analysed.oid });
  }
  const found = await facts.of(wanted);
  const verdicts: Verdict[] = [];
  for (const { path, oid, analysed } of open) {
    const now = found.get(factKey({ path, oid }));
    const then = analysed.oid === null ? undefined : found.get(factKey({ path, oid: analysed.oid }));
    const stamp = { oid, analysedOid: analysed.oid };
    if (now !== undefined && then !== undefined) verdicts.push({ ...compareFingerprints(then, now), ...stamp });
    // The analysed blob was collected, or was known by its hash only: content is all that can be compared.
    else if (now === undefined || now.contentHash !== analysed.contentHash) {
      verdicts.push({ ...whole(path, "interface", CONTENT_ONLY, oid, analysed.oid) });
    } else verdicts.push({ filePath: path, changeLevel: "NONE", drift: "none", details: [], ...stamp });
  }
  return verdicts;
}

const CONTENT_ONLY = "content changed (the analysed version is not there to compare)";

/** The verdicts a view had at its last verification, where today's extractor made them. */
export function storedVerdicts(db: Db, view: string): Map<string, Verdict> {
  const stored = new Map<string, Verdict>();
  for (const row of db.all<Row>("SELECT * FROM drift WHERE view = ?", view)) {
    const path = keyPath(row.path);
    if (row.extractor !== extractorOf(path)) continue;
    stored.set(path, {
      filePath: path,
      changeLevel: row.change_level,
      drift: row.drift,
      details: JSON.parse(row.details) as string[],
      oid: row.oid,
      analysedOid: row.analysed_oid,
    });
  }
  return stored;
}

interface Row {
  path: string;
  oid: string | null;
  analysed_oid: string | null;
  extractor: string;
  drift: Drift;
  change_level: ChangeLevel;
  details: string;
}
