import { readHead } from "../git/head.js";
import { isAncestor } from "../git/history.js";
import { type CommitDiff, entriesAfter } from "../git/trees.js";
import type { Config } from "../repository/config.js";
import type { Context } from "../repository/context.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import type { TreeContent } from "./content.js";
import { compareSubjects, type DriftOptions } from "./drift.js";
import type { Sources } from "./facts.js";
import { rehashAnchors } from "./rehash.js";
import { followRewrites } from "./rewrites.js";
import { marks } from "./store.js";
import type { RecordVerdict, Signal, StoredRecord } from "./types.js";
import { anchorOf, decide, gradeOf } from "./verdict.js";
import { WorkTreeContent } from "./work-tree.js";

/** One worktree at one time, with what verification needs. */
export interface RecordsContext {
  db: Db;
  project: Project;
  /** HEAD's commit; null before the first one. */
  head: string | null;
  sources: Sources;
  config(): Promise<Config>;
  /** HEAD plus uncommitted changes. */
  content: TreeContent;
  /** What the last commits changed, where a verification has asked git for it. */
  diff: CommitDiff | null;
}

export async function openRecords(
  context: Pick<Context, "project" | "database" | "config">,
  diff: CommitDiff | null = null,
): Promise<RecordsContext> {
  const { project, config } = context;
  const db = await context.database();
  followRewrites(db, project.stateDir, new Date().toISOString());
  const { commit: head } = await readHead(project.worktree.gitDir, project.commonDir);
  const cwd = project.worktree.path;
  const sources: Sources = { db, cwd, limits: config };
  await rehashAnchors(sources);
  const inHead = entriesAfter(diff?.to === head ? diff.changes : []);
  const content = new WorkTreeContent(db, project.worktree, head, inHead);
  return { db, project, head, sources, config, content, diff };
}

/**
 * The verdicts of records in one state of the code: computed now, never stored (invariant "verdicts belong to a
 * worktree"). In the order given.
 */
export async function verifyRecords(
  worktree: RecordsContext,
  records: readonly StoredRecord[],
  { grades, content = worktree.content }: DriftOptions & { content?: TreeContent },
): Promise<RecordVerdict[]> {
  const signals = await signalsIn(worktree, records);
  const anchored = records.flatMap((record) =>
    // Drafts and retired records are skipped: they are never reported as valid.
    record.status === "active" ? record.subjects.map((subject) => ({ subject, commit: record.commit })) : [],
  );
  const states = await compareSubjects(worktree.sources, content, anchored, { grades });
  let at = 0;
  return records.map((record): RecordVerdict => {
    const subjects = record.status === "active" ? states.slice(at, at + record.subjects.length) : [];
    at += subjects.length;
    const anchor = anchorOf(subjects);
    const { status, reason } = decide({
      ...{ stored: record.status, origin: record.origin, anchor },
      signals: signals.get(record.id) ?? NO_SIGNALS,
    });
    const details = subjects.flatMap((state) => state.details);
    return { record, status, reason, anchor, grade: gradeOf(subjects), details, subjects };
  });
}

/** Up to this number records are selected by id; for more, all signals are read. */
const FEW = 500;

const NO_SIGNALS: ReadonlySet<Signal> = new Set();

/**
 * A signal of a refresh is valid in the worktree that it ran in. An accepted task counts wherever its commit is an
 * ancestor, also if its worktree is gone.
 */
async function signalsIn(
  { db, project, head }: RecordsContext,
  records: readonly StoredRecord[],
): Promise<Map<string, Set<Signal>>> {
  const found = new Map<string, Set<Signal>>();
  const wanted = new Set(records.map(({ id }) => id));
  const arrived = new Map<string, boolean>();
  const few = records.length <= FEW ? [...wanted] : null;
  const sql = `SELECT record, view, reason, head FROM record_signals ${few === null ? "" : `WHERE record IN (${marks(few)})`}`;
  for (const row of db.all<{ record: string; view: string; reason: Signal; head: string | null }>(
    sql,
    ...(few ?? []),
  )) {
    if (!wanted.has(row.record)) continue;
    if (row.view !== project.worktree.id) {
      if (row.reason !== "scope_files_changed" || row.head === null || head === null) continue;
      const known = arrived.get(row.head) ?? (await isAncestor(project.worktree.path, row.head, head));
      arrived.set(row.head, known);
      if (!known) continue;
    }
    found.set(row.record, (found.get(row.record) ?? new Set()).add(row.reason));
  }
  return found;
}
