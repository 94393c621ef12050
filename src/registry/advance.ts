import type { TreeChange } from "../git/trees.js";
import { matchMoves } from "../knowledge/matching.js";
import type { Project } from "../repository/locate.js";
import { faultPoint } from "../store/fault.js";
import type { Db } from "../store/sqlite.js";
import { countScan } from "./count.js";
import { describe, type FileContent } from "./describe.js";
import { countRows, type RegistryState, readRegistryState, rowOids, saveRows } from "./rows.js";
import { copySummaries, hasSummary } from "./summaries.js";
import { changesBetween, compareFiles, fileChanges, filesOf, type OidChange } from "./tree.js";

export interface Advanced {
  /** Whether the registry was empty before. */
  bootstrapped: boolean;
  /** The changes since the worktree was last verified. */
  changes: OidChange[];
  /** Number of compared paths: those that git reported, or all if the commit is gone. */
  compared: number;
}

/** A diff of two commits that was started in advance. */
interface Diff {
  from: string;
  changes: readonly TreeChange[];
}

/**
 * Moves the rows of a worktree to a commit: by the diff from the verified one, or, if that is gone, by comparing every
 * path's blob. Rows and sha are written in one transaction, which starts again if another process wrote meanwhile.
 */
export async function advance(db: Db, project: Project, commit: string, diff: Diff | null = null): Promise<Advanced> {
  const { worktree } = project;
  for (;;) {
    const before = readRegistryState(db, worktree.id);
    if (before?.sha === commit) return { bootstrapped: false, changes: [], compared: 0 };
    const { changes, compared } = await changesSince(db, project, before, commit, diff);
    if (before === null && changes.length === 0) return { bootstrapped: false, changes, compared: 0 };
    countScan();
    const put = await describe(worktree.path, changes.flatMap(contentAfter));
    const removed = changes.filter(({ after }) => after === null).map(({ path }) => path);
    const moves = await findMoves(db, worktree.path, changes);
    faultPoint("registry.save");
    const saved = saveRows(db, worktree.id, before, { put, removed, sha: commit }, () => {
      for (const { from, to } of moves) copySummaries(db, from, to);
    });
    faultPoint("registry.saved");
    if (saved) return { bootstrapped: before === null, changes, compared };
  }
}

const FEW_ROWS = 5_000;

async function changesSince(
  db: Db,
  { worktree }: Project,
  before: RegistryState | null,
  commit: string,
  diff: Diff | null,
): Promise<{ changes: OidChange[]; compared: number }> {
  const from = before?.sha ?? null;
  const known = from !== null && diff?.from === from ? fileChanges(diff.changes) : null;
  // For few files, listing all is as fast as a diff, and needs no old commit.
  const isWorthDiff = from !== null && known === null && countRows(db, worktree.id) > FEW_ROWS;
  const sparse = isWorthDiff ? await changesBetween(worktree.path, from, commit) : known;
  if (sparse !== null) return { changes: sparse, compared: sparse.length };
  const files = await filesOf(worktree.path, commit);
  const rows = before === null ? new Map<string, string>() : rowOids(db, worktree.id);
  return { changes: compareFiles(rows, files), compared: files.size };
}

function contentAfter({ path, after }: OidChange): FileContent[] {
  return after === null ? [] : [{ path, oid: after }];
}

/** Files with a summary that came back under another name. */
export async function findMoves(
  db: Db,
  cwd: string,
  changes: readonly OidChange[],
): Promise<{ from: string; to: string }[]> {
  const gone = changes.flatMap(({ path, before, after }) =>
    before !== null && after === null && hasSummary(db, path) ? [{ path, oid: before }] : [],
  );
  if (gone.length === 0) return [];
  const came = changes.flatMap((change) => (change.before === null ? contentAfter(change) : []));
  return matchMoves(gone, came, cwd);
}
