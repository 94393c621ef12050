import type { Db } from "../store/sqlite.js";
import { digestOf, isOnDisk } from "./evidence.js";
import { type Ingested, parseIngest } from "./ingest.js";
import { saveSeen, type Transition } from "./seen.js";
import { addEvent, recordsWhere } from "./store.js";
import { normalise } from "./subject.js";
import type { Signal, StoredRecord } from "./types.js";
import { type RecordsContext, verifyRecords } from "./verify.js";
import { addRecordIfNew } from "./write.js";

export interface Refresh {
  /** All current statements of a system: one JSON object per line. null: no ingest. */
  ingest: { text: string; file: string } | null;
  /** The files of an accepted task; null if there is none. */
  finished: string[] | null;
}

export interface Refreshed {
  judged: number;
  added: string[];
  raised: { id: string; reason: Signal }[];
  cleared: { id: string; reason: Signal }[];
  transitions: Transition[];
}

/**
 * Checks every active record in this worktree. Anchors are compared at every read; here the signals are updated. Each
 * signal is set if it applies and cleared if it no longer does, so the next refresh reactivates a record; the signal of
 * a finished task is only cleared by a person (`approve`).
 */
export async function refresh(worktree: RecordsContext, { ingest, finished }: Refresh): Promise<Refreshed> {
  const { db, project } = worktree;
  const at = new Date().toISOString();
  const ingested = ingest === null ? null : parseIngest(ingest.text, ingest.file);
  const added = ingested === null ? [] : await addNew(worktree, ingested);
  const records = recordsWhere(db, "status = 'active'");
  const before = await verifyRecords(worktree, records, { grades: true });
  const found: RefreshFinding[] = [];
  for (const { record, anchor } of before) {
    for (const one of evidenceSignals(project.worktree.path, record)) found.push(one);
    const signals = ingested === null ? [] : ingestSignals(record, ingested, { unanchored: anchor === "none" });
    for (const one of signals) found.push(one);
    if (finished !== null && anchor !== "equal" && isTouched(record, finished)) {
      found.push({
        id: record.id,
        reason: "scope_files_changed",
        holds: true,
        detail: "a task that changed its files was accepted",
      });
    }
  }
  const { raised, cleared } = db.write(() => settle(db, worktree, found, at));
  const after = await verifyRecords(worktree, records, { grades: true });
  const transitions = saveSeen(db, project.worktree.id, worktree.head, after, at);
  return { judged: records.length, added, raised, cleared, transitions };
}

/** Whether a signal applies to a record; undefined if it was not checked. */
interface RefreshFinding {
  id: string;
  reason: Signal;
  holds: boolean;
  detail: string | null;
}

function evidenceSignals(home: string, { id, evidence }: StoredRecord): RefreshFinding[] {
  const check = (kind: string, reason: Signal): RefreshFinding[] => {
    const quoted = evidence.filter((one) => one.kind === kind && isOnDisk(one) && one.digest !== null);
    const changed = quoted.find((one) => digestOf(home, one) !== one.digest);
    return quoted.length === 0 ? [] : [{ id, reason, holds: changed !== undefined, detail: changed?.ref ?? null }];
  };
  return [...check("file", "evidence_digest_mismatch"), ...check("report", "report_digest_shift")];
}

/** Only a record made by an ingest can be missing from one; only one with its key there can be contradicted. */
function ingestSignals(
  record: StoredRecord,
  ingested: ReadonlyMap<string, Ingested>,
  { unanchored }: { unanchored: boolean },
): RefreshFinding[] {
  const { id, sourceKey, origin } = record;
  if (sourceKey === null) return [];
  const now = ingested.get(sourceKey);
  const missing = origin === "system" && unanchored && now === undefined;
  const contradicted = now !== undefined && normalise(now.statement) !== normalise(record.statement);
  return [
    { id, reason: "missing_from_refresh", holds: missing, detail: missing ? sourceKey : null },
    { id, reason: "refresh_content_contradiction", holds: contradicted, detail: contradicted ? now.statement : null },
  ];
}

function isTouched({ subjects }: StoredRecord, files: readonly string[]): boolean {
  return subjects.some(({ kind, path }) =>
    files.some((file) => file === path || (kind === "directory" && (path === "" || file.startsWith(`${path}/`)))),
  );
}

async function addNew(worktree: RecordsContext, ingested: ReadonlyMap<string, Ingested>): Promise<string[]> {
  const added: string[] = [];
  for (const [key, one] of ingested) {
    const candidate = { ...one, origin: "system" as const, evidence: [], sourceKey: key };
    const done = await addRecordIfNew(worktree, candidate);
    if (done !== null) added.push(done.record.id);
  }
  return added;
}

function settle(
  db: Db,
  worktree: RecordsContext,
  found: readonly RefreshFinding[],
  at: string,
): Pick<Refreshed, "raised" | "cleared"> {
  const raised: Refreshed["raised"] = [];
  const cleared: Refreshed["cleared"] = [];
  const here = worktree.project.worktree.id;
  const isActive = "SELECT 1 AS one FROM records WHERE id = ? AND status = 'active'";
  for (const { id, reason, holds, detail } of found) {
    if (db.get(isActive, id) === undefined) continue; // rejected, replaced or removed meanwhile
    const sql = "SELECT detail FROM record_signals WHERE record = ? AND view = ? AND reason = ?";
    const stood = db.get(sql, id, here, reason) !== undefined;
    if (stood === holds) continue;
    if (holds) {
      db.run(
        "INSERT INTO record_signals(record, view, reason, at, head, detail) VALUES(?, ?, ?, ?, ?, ?)",
        ...[id, here, reason, at, worktree.head, detail],
      );
      raised.push({ id, reason });
    } else {
      db.run("DELETE FROM record_signals WHERE record = ? AND view = ? AND reason = ?", id, here, reason);
      cleared.push({ id, reason });
    }
    addEvent(db, id, { at, view: here, head: worktree.head, event: holds ? "signal" : "signal over", reason, detail });
  }
  return { raised, cleared };
}
