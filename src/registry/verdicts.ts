import type { Drift } from "../fingerprint/types.js";
import type { Facts } from "../knowledge/facts.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import { currentSummaries } from "./current-summaries.js";
import type { EntryState } from "./enter.js";
import { md5Of, workMd5 } from "./md5.js";
import { countRows, rowOids } from "./rows.js";
import { type CurrentSummary, gradeAll, gradeKnown, type SummaryState } from "./summaries.js";

/** One path compared with its state at the last verification. */
export interface FileVerdict {
  path: string;
  verdict: "match" | "mismatch" | "missing" | "new";
  content_oid: string | null;
  previous_oid: string | null;
  /** null unless asked for. */
  content_md5: string | null;
  /** The drift of a mismatch; null if the file has no summary and its fingerprints are not known. */
  drift: Drift | null;
  details: string[];
  summary_state: SummaryState | null;
  uncommitted: boolean;
}

export interface VerdictCounts {
  match: number;
  mismatch: number;
  missing: number;
  new: number;
}

export interface VerdictOptions {
  md5: boolean;
  /** Also those that match. */
  all: boolean;
}

interface SeenFile {
  path: string;
  before: string | null;
  after: string | null;
  uncommitted: boolean;
}

export async function verdictsOf(
  db: Db,
  facts: Facts,
  project: Project,
  entry: EntryState,
  options: VerdictOptions,
): Promise<{ counts: VerdictCounts; verdicts: FileVerdict[] }> {
  const { worktree } = project;
  const seen = [...differing(entry), ...(options.all ? matching(db, worktree.id, entry) : [])];
  const files = seen.flatMap(({ path, after }) => (after === null ? [] : [{ path, oid: after }]));
  const summaries = await currentSummaries(db, facts, worktree.path, entry.uncommitted, files);
  const drifts = await gradeSeen(db, facts, seen, summaries);
  const md5 = options.md5 ? await md5Now(db, worktree.path, seen) : new Map<string, string | null>();
  const verdicts = seen.map((one): FileVerdict => {
    const { path, before, after, uncommitted } = one;
    const verdict = verdictOf(one);
    const { drift, details } = drifts.get(path) ?? { drift: WHOLE[verdict], details: [] };
    return {
      ...{ path, verdict, content_oid: after, previous_oid: before, content_md5: md5.get(path) ?? null },
      ...{ drift, details, summary_state: summaries.get(path)?.state ?? null, uncommitted },
    };
  });
  verdicts.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { counts: count(seen, countRows(db, worktree.id), entry), verdicts };
}

/** The drift that follows from a verdict alone. */
const WHOLE: Record<FileVerdict["verdict"], Drift | null> = {
  ...{ match: "none", mismatch: null },
  ...{ missing: "gone", new: "new" },
};

function verdictOf({ before, after }: SeenFile): FileVerdict["verdict"] {
  if (before === after) return "match";
  if (before === null) return "new";
  return after === null ? "missing" : "mismatch";
}

/** Committed and uncommitted changes as one change per path. */
function differing({ committed, uncommitted }: EntryState): SeenFile[] {
  const seen = new Map<string, SeenFile>(committed.map((change) => [change.path, { ...change, uncommitted: false }]));
  for (const { path, before, after } of uncommitted) {
    const verified = seen.get(path);
    seen.set(path, { path, before: verified === undefined ? before : verified.before, after, uncommitted: true });
  }
  return [...seen.values()].filter(({ before, after }) => before !== after);
}

function matching(db: Db, worktree: string, entry: EntryState): SeenFile[] {
  const others = new Set(differing(entry).map(({ path }) => path));
  return [...rowOids(db, worktree)]
    .filter(([path]) => !others.has(path))
    .map(([path, oid]) => ({ path, before: oid, after: oid, uncommitted: false }));
}

function count(seen: readonly SeenFile[], rows: number, { committed }: EntryState): VerdictCounts {
  const counts: VerdictCounts = { match: 0, mismatch: 0, missing: 0, new: 0 };
  const differ = seen.filter(({ before, after }) => before !== after);
  for (const one of differ) counts[verdictOf(one)]++;
  // The rows are those of HEAD: added files have one, deleted ones have none.
  const came = committed.filter(({ before }) => before === null).length;
  const went = committed.filter(({ after }) => after === null).length;
  counts.match = rows - came + went - counts.mismatch - counts.missing;
  return counts;
}

/** Only files with a summary are parsed; for others stored fingerprints are used. */
async function gradeSeen(
  db: Db,
  facts: Facts,
  seen: readonly SeenFile[],
  summaries: ReadonlyMap<string, CurrentSummary>,
) {
  const pairs = seen.flatMap(({ path, before, after }) =>
    before === null || after === null || before === after ? [] : [{ path, oid: after, from: before }],
  );
  const worth = pairs.filter(({ path }) => summaries.has(path));
  const grades = await gradeAll(db, facts, worth);
  const drifts = new Map(worth.map(({ path }, at) => [path, grades[at]] as const));
  for (const pair of pairs.filter(({ path }) => !summaries.has(path))) {
    const known = gradeKnown(db, facts, pair);
    if (known !== null) drifts.set(pair.path, known);
  }
  return drifts;
}

async function md5Now(db: Db, cwd: string, seen: readonly SeenFile[]): Promise<Map<string, string | null>> {
  const oids = seen.flatMap(({ after, uncommitted }) => (after === null || uncommitted ? [] : [after]));
  const known = await md5Of(db, cwd, oids);
  return new Map(
    seen.flatMap(({ path, after, uncommitted }) =>
      after === null ? [] : [[path, uncommitted ? workMd5(cwd, path) : (known.get(after) ?? null)] as const],
    ),
  );
}
