import type { Db } from "../store/sqlite.js";
import { keyPath, pathKey } from "../store/state.js";
import { saveSeen } from "./seen.js";
import { marks, recordsById } from "./store.js";
import { foldersAbove, type NamedSubject } from "./subject.js";
import type { RecordVerdict, StoredRecord, SubjectKind } from "./types.js";
import { type RecordsContext, verifyRecords } from "./verify.js";

export interface Retrieval {
  limit: number;
  /** Stale records only on request. */
  includeStale: boolean;
}

export interface Ranked extends RecordVerdict {
  /** 0 to 1: how near the record's subject is to the given one. */
  closeness: number;
}

/** How near a record's subject is to the given one. */
const CLOSE = {
  same: 1,
  /** A symbol was given and the record is about its file; or the other way round. */
  fileOfSymbol: 0.8,
  symbolOfFile: 0.75,
  /** Another symbol of the same file. */
  neighbour: 0.5,
  /** A folder was given and the record is about something in it. */
  inside: 0.4,
  /** The record is about a folder that contains it; less for each level up. */
  folder: 0.6,
  perLevel: 0.08,
} as const;

/**
 * The records about these files, symbols or folders: nearest first, then by confidence, then newest. Found by an index,
 * so the number of records does not matter; verified one after the other until there are enough.
 */
export async function relevantRecords(
  worktree: RecordsContext,
  asked: readonly NamedSubject[],
  { limit, includeStale }: Retrieval,
): Promise<Ranked[]> {
  const { db, project } = worktree;
  const close = new Map<string, number>();
  for (const one of asked) {
    for (const [id, closeness] of candidates(db, project.worktree.id, one)) raise(close, id, closeness);
  }
  const elsewhere = await sameContent(worktree, asked, close);
  const ranked = recordsById(db, [...close.keys()])
    .filter(({ status }) => status === "active")
    .sort((a, b) => compare(a, b, close));
  const found: Ranked[] = [];
  const all: RecordVerdict[] = [];
  const step = Math.max(20, limit * 2);
  for (let at = 0; at < ranked.length && found.length < limit; at += step) {
    for (const verdict of await verifyRecords(worktree, ranked.slice(at, at + step), { grades: true })) {
      all.push(verdict);
      if ((verdict.status === "stale" && !includeStale) || !isHere(verdict, elsewhere)) continue;
      found.push({ ...verdict, closeness: close.get(verdict.record.id) ?? 0 });
    }
  }
  saveSeen(db, project.worktree.id, worktree.head, all, new Date().toISOString());
  return found.slice(0, limit);
}

function compare(a: StoredRecord, b: StoredRecord, close: ReadonlyMap<string, number>): number {
  const nearness = (close.get(b.id) ?? 0) - (close.get(a.id) ?? 0);
  const newest = a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0;
  return nearness || b.confidence - a.confidence || newest || (a.id < b.id ? -1 : 1);
}

function raise(close: Map<string, number>, id: string, closeness: number): void {
  close.set(id, Math.max(closeness, close.get(id) ?? 0));
}

/**
 * A record about the same content under another name. Its verdict shows whether the file moved here or is only equal:
 * it counts if it is found at one of these paths.
 */
async function sameContent(
  worktree: RecordsContext,
  asked: readonly NamedSubject[],
  close: Map<string, number>,
): Promise<Map<string, Set<string>>> {
  const paths = asked.filter(({ kind }) => kind !== "directory").map(({ path }) => path);
  const elsewhere = new Map<string, Set<string>>();
  for (const [path, oid] of await worktree.content.files(paths)) {
    const rows = worktree.db.all<{ record: string }>("SELECT record FROM record_subjects WHERE blob = ?", oid);
    for (const { record } of rows) {
      if (close.has(record) && !elsewhere.has(record)) continue; // found by its own name
      elsewhere.set(record, (elsewhere.get(record) ?? new Set()).add(path));
      raise(close, record, CLOSE.same);
    }
  }
  return elsewhere;
}

function isHere({ record, subjects }: RecordVerdict, elsewhere: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const paths = elsewhere.get(record.id);
  return paths === undefined || subjects.some(({ path }) => paths.has(path));
}

interface RelevantRow {
  record: string;
  kind: SubjectKind;
  path: string;
  symbol: string;
}

function candidates(db: Db, worktree: string, asked: NamedSubject): [id: string, closeness: number][] {
  const places = [asked.path, ...foldersAbove(asked.path)].map(pathKey);
  const columns = "s.record AS record, s.kind AS kind, s.symbol AS symbol";
  const rows = db.all<RelevantRow>(
    `SELECT ${columns}, s.path AS path FROM record_subjects s WHERE s.path IN (${marks(places)})
     UNION ALL
     SELECT ${columns}, m.path AS path FROM record_moves m JOIN record_subjects s USING (record, position)
     WHERE m.view = ? AND m.path IN (${marks(places)})`,
    ...[...places, worktree, ...places],
  );
  if (asked.kind === "directory") for (const row of insideOf(db, asked.path, columns)) rows.push(row);
  return rows.map((row) => [row.record, closenessOf(asked, { ...row, path: keyPath(row.path) })]);
}

function insideOf(db: Db, folder: string, columns: string): RelevantRow[] {
  const sql = `SELECT ${columns}, s.path AS path FROM record_subjects s`;
  if (folder === "") return db.all<RelevantRow>(sql);
  // `0` is the character after the slash: everything below the folder, by the index.
  return db.all<RelevantRow>(`${sql} WHERE s.path > ? AND s.path < ?`, `${pathKey(folder)}/`, `${pathKey(folder)}0`);
}

function closenessOf(asked: NamedSubject, { kind, path, symbol }: RelevantRow): number {
  if (path === asked.path) {
    if (kind === asked.kind) return symbol === asked.symbol ? CLOSE.same : CLOSE.neighbour;
    if (kind === "path" && asked.kind === "symbol") return CLOSE.fileOfSymbol;
    if (kind === "symbol" && asked.kind === "path") return CLOSE.symbolOfFile;
  }
  if (kind === "directory" && path !== asked.path) {
    const levels = foldersAbove(asked.path).indexOf(path);
    if (levels >= 0) return Math.max(0.1, CLOSE.folder - levels * CLOSE.perLevel);
  }
  return CLOSE.inside;
}
