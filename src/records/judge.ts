import { readHead } from "../git/head.js";
import { isAncestor } from "../git/history.js";
import { loadConfig } from "../repository/config.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import type { Content } from "./content.js";
import { judgeSubjects, type Wish } from "./drift.js";
import type { Sources } from "./facts.js";
import { rehashAnchors } from "./rehash.js";
import { followRewrites } from "./rewrites.js";
import { marks } from "./store.js";
import type { Signal, StoredRecord, Verdict } from "./types.js";
import { anchorOf, decide, gradeOf } from "./verdict.js";
import { WorkTreeContent } from "./work-tree.js";

/** One worktree at one moment, with what judging in it needs. */
export interface View {
  db: Db;
  project: Project;
  /** HEAD's commit; null before the first one. */
  head: string | null;
  sources: Sources;
  /** HEAD plus uncommitted changes. */
  content: Content;
}

export async function openView(db: Db, project: Project): Promise<View> {
  followRewrites(db, project.stateDir, new Date().toISOString());
  const { commit: head } = await readHead(project.view.gitDir, project.commonDir);
  const cwd = project.view.path;
  const sources: Sources = { db, cwd, limits: () => loadConfig(project.root) };
  await rehashAnchors(sources);
  return { db, project, head, sources, content: new WorkTreeContent(db, project.view, head) };
}

/** How records stand in a state of the code: computed here and now, never looked up (law 8). In the order given. */
export async function judgeRecords(
  view: View,
  records: readonly StoredRecord[],
  { grades, content = view.content }: Wish & { content?: Content },
): Promise<Verdict[]> {
  const signals = await signalsIn(view, records);
  const anchored = records.flatMap((record) =>
    // Drafts are skipped, and what was set aside too: nobody is told that they hold.
    record.status === "active" ? record.subjects.map((subject) => ({ subject, commit: record.commit })) : [],
  );
  const states = await judgeSubjects(view.sources, content, anchored, { grades });
  let at = 0;
  return records.map((record): Verdict => {
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

/** Records that are asked for by name; of more, all signals are looked through. */
const FEW = 500;

const NO_SIGNALS: ReadonlySet<Signal> = new Set();

/**
 * A refresh speaks for the worktree that it ran in. That a task was accepted holds wherever its commit has arrived,
 * also when the worktree it was done in is gone.
 */
async function signalsIn(
  { db, project, head }: View,
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
    if (row.view !== project.view.id) {
      if (row.reason !== "scope_files_changed" || row.head === null || head === null) continue;
      const known = arrived.get(row.head) ?? (await isAncestor(project.view.path, row.head, head));
      arrived.set(row.head, known);
      if (!known) continue;
    }
    found.set(row.record, (found.get(row.record) ?? new Set()).add(row.reason));
  }
  return found;
}
