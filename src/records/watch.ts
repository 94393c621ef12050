import { git, isRefusal } from "../git/run.js";
import { diffTrees, entriesAfter, entriesBefore, type KnownEntries, type TreeChange } from "../git/trees.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import { pathKey } from "../store/state.js";
import { CommitContent } from "./content.js";
import { saveSeen } from "./seen.js";
import { marks, recordsById, recordsWhere } from "./store.js";
import { foldersAbove } from "./subject.js";
import type { RecordVerdict, StoredRecord } from "./types.js";
import { type RecordsContext, verifyRecords } from "./verify.js";

/** The ids of records that became stale, historical, or active again between two commits. */
export interface RecordChanges {
  stale: string[];
  historical: string[];
  reactivated: string[];
}

const NO_CHANGES: RecordChanges = { stale: [], historical: [], reactivated: [] };

/**
 * After a commit, checkout, merge or rebase: saves the new verdicts of records in this worktree. Only checks the
 * records of changed files, or of files with a record's content: cost by the size of the change.
 */
export async function watchRecords(worktree: RecordsContext): Promise<void> {
  const { db, project } = worktree;
  if (worktree.head === null) return;
  const { id } = project.worktree;
  const last = db.get<{ head: string }>("SELECT head FROM record_views WHERE view = ?", id)?.head ?? null;
  if (last === worktree.head) return;
  const changed = last === null ? null : await changesBetween(worktree, last, worktree.head);
  const records = changed === null ? recordsWhere(db, "status = 'active'") : recordsOf(db, changed, id);
  const verdicts = await verifyRecords(worktree, records, { grades: true });
  saveSeen(db, id, worktree.head, verdicts, new Date().toISOString());
  db.run("INSERT OR REPLACE INTO record_views(view, head) VALUES(?, ?)", id, worktree.head);
}

/**
 * The records part of a marker: computed from its two commits and the records (invariant "pending is computed"), so for
 * HEAD as committed. A record that was written after the marker's base counts as active there.
 */
export async function recordChanges(worktree: RecordsContext, { base, head, changed }: Since): Promise<RecordChanges> {
  const { db, project } = worktree;
  const records = changed === null ? recordsWhere(db, "status = 'active'") : recordsOf(db, changed, null);
  if (records.length === 0) return NO_CHANGES;
  const now = await verifyAt(worktree, records, { commit: head, known: entriesAfter(changed ?? []) });
  const before =
    changed === null || base === null
      ? null
      : await verifyAt(worktree, records, { commit: base, known: entriesBefore(changed) });
  // Written at the base itself, or active there: then it does not matter when it was written.
  const isOpen = before?.some(({ record, status }) => status !== "active" && ![null, base].includes(record.commit));
  const since = base === null || isOpen !== true ? null : await commitsBetween(project, base, head);
  const changes: RecordChanges = { stale: [], historical: [], reactivated: [] };
  now.forEach(({ record, status }, at) => {
    const isNew = record.commit !== null && since?.has(record.commit) === true;
    const was = isNew ? "active" : (before?.[at]?.status ?? "active");
    if (was === status) return;
    if (status === "stale" || status === "historical") changes[status].push(record.id);
    else if (status === "active") changes.reactivated.push(record.id);
  });
  return {
    stale: changes.stale.sort(),
    historical: changes.historical.sort(),
    reactivated: changes.reactivated.sort(),
  };
}

/** What a marker counts from; `changed`: null if one of the commits is gone. */
export interface Since {
  base: string | null;
  head: string;
  changed: readonly TreeChange[] | null;
}

function verifyAt(
  worktree: RecordsContext,
  records: readonly StoredRecord[],
  { commit, known }: { commit: string; known: KnownEntries },
): Promise<RecordVerdict[]> {
  const at: RecordsContext = { ...worktree, head: commit };
  return verifyRecords(at, records, {
    grades: false,
    content: new CommitContent(worktree.project.worktree.path, commit, known),
  });
}

/** null if one of the commits is gone: then every record is checked. */
export async function changesBetween(
  { project, diff }: RecordsContext,
  from: string,
  to: string,
): Promise<readonly TreeChange[] | null> {
  if (diff?.from === from && diff.to === to) return diff.changes;
  try {
    return await diffTrees(project.worktree.path, from, to);
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

async function commitsBetween({ worktree }: Project, base: string, head: string): Promise<Set<string>> {
  const output = await git(worktree.path, ["rev-list", `${base}..${head}`, "--"]);
  return new Set(output.toString("latin1").split("\n"));
}

/** Maximum number of values in one statement. */
const MOST = 500;

/**
 * Active records about these paths, a folder above them, or (in a worktree) a file renamed to one of them; and those
 * whose content was found under another name.
 */
function recordsOf(db: Db, changes: readonly TreeChange[], worktree: string | null): StoredRecord[] {
  const places = [...new Set(changes.flatMap(({ path }) => [path, ...foldersAbove(path)]))].map(pathKey);
  const came = changes.flatMap(({ oid, oldOid }) => (oid !== null && oldOid === null ? [oid] : []));
  const ids = [
    ...idsFor(db, "SELECT record FROM record_subjects WHERE path IN", places),
    ...idsFor(db, "SELECT record FROM record_subjects WHERE blob IN", came),
    ...(worktree === null
      ? []
      : idsFor(db, "SELECT record FROM record_moves WHERE view = ? AND path IN", places, worktree)),
  ];
  return recordsById(db, [...new Set(ids)]).filter(({ status }) => status === "active");
}

function idsFor(db: Db, sql: string, values: readonly string[], ...first: string[]): string[] {
  const ids: string[] = [];
  for (let at = 0; at < values.length; at += MOST) {
    const some = values.slice(at, at + MOST);
    const rows = db.all<{ record: string }>(`${sql} (${marks(some)})`, ...first, ...some);
    for (const { record } of rows) ids.push(record);
  }
  return ids;
}
