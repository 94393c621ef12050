import { copyFileSync, existsSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { hashOf } from "../fingerprint/hash.js";
import { isFileAnalysis } from "../graph/analyses.js";
import { analysisText } from "../knowledge/known.js";
import { processNumber } from "../platform/process.js";
import { exportRecords, importRecords } from "../records/jsonl.js";
import { isNumber, isObject, isText, orNull, parseJson } from "../store/check.js";
import { stateDb } from "../store/files.js";
import { type Db, openDatabase } from "../store/sqlite.js";

/** In the name of a damaged database until it is read. */
export const UNREAD = ".unread-";

/** Databases that were damaged and are not read yet. */
export function unreadDatabases(stateDir: string): string[] {
  const start = `${basename(stateDb(stateDir))}${UNREAD}`;
  const names = existsSync(stateDir) ? readdirSync(stateDir) : [];
  const found = names.filter((name) => name.startsWith(start) && !/-(wal|shm)$/.test(name));
  return found.sort().map((name) => join(stateDir, name));
}

/** What could still be read in a damaged database. */
export interface Salvaged {
  records: number;
  summaries: number;
  analyses: number;
  descriptions: number;
}

/**
 * Takes what people and agents wrote from a damaged database, as far as it can be read and passes the checks that it would have to pass
 * anyway. Works on a copy: SQLite writes into a file that it opens.
 */
export async function salvage(damaged: string, into: Db, stateDir: string): Promise<Salvaged> {
  const nothing: Salvaged = { records: 0, summaries: 0, analyses: 0, descriptions: 0 };
  if (!existsSync(damaged)) return nothing;
  const copy = join(stateDir, `.salvage.${processNumber()}.tmp`);
  try {
    for (const end of ["", "-wal"]) if (existsSync(damaged + end)) copyFileSync(damaged + end, copy + end);
    const from = await openDatabase(copy);
    try {
      return into.write(() => ({
        records: count(readableRows(from, "records"), (row) => takeRecord(from, into, row.id)),
        summaries: count(readableRows(from, "summaries"), (row) => takeSummary(into, row)),
        analyses: count(readableRows(from, "analyses"), (row) => takeAnalysis(into, row)),
        descriptions: count(readableRows(from, "descriptions"), (row) => takeDescription(into, row)),
      }));
    } finally {
      from.close();
    }
  } catch {
    return nothing; // no database at all
  } finally {
    for (const end of ["", "-wal", "-shm"]) rmSync(copy + end, { force: true });
  }
}

type Row = Record<string, unknown>;

const count = (rows: readonly Row[], take: (row: Row) => boolean): number => rows.filter(take).length;

/** From the first row up to a damaged page, and from the last one down to it. */
function readableRows(from: Db, table: string): Row[] {
  const up = walk(from, `SELECT rowid AS salvage_row, * FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT 1`, 0);
  const down = walk(
    from,
    `SELECT rowid AS salvage_row, * FROM ${table} WHERE rowid < ? ORDER BY rowid DESC LIMIT 1`,
    Number.MAX_SAFE_INTEGER,
  );
  return [...new Map([...up, ...down].map((row) => [row.salvage_row, row])).values()];
}

function walk(from: Db, sql: string, start: number): Row[] {
  const rows: Row[] = [];
  try {
    for (let at = start; ; ) {
      const row = from.get<Row>(sql, at);
      if (row === undefined || !isNumber(row.salvage_row)) return rows;
      rows.push(row);
      at = row.salvage_row;
    }
  } catch {
    return rows; // the damaged page
  }
}

function takeRecord(from: Db, into: Db, id: unknown): boolean {
  try {
    if (!isText(id)) return false;
    const { text } = exportRecords(from, { drafts: true, id });
    return importRecords(into, text, "the damaged database").added.length > 0;
  } catch {
    return false; // a part of it is gone, or is no record any more
  }
}

const OID = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

function takeSummary(into: Db, { path, content_oid: oid, summary, updated_at: at }: Row): boolean {
  if (!isText(path) || !isText(oid) || !isText(summary) || !isText(at) || !OID.test(oid)) return false;
  const sql = "INSERT OR IGNORE INTO summaries(path, content_oid, summary, updated_at) VALUES(?, ?, ?, ?)";
  into.run(sql, path, oid, summary, at);
  return true;
}

const SOURCES: readonly unknown[] = ["structural", "agent", "found", "ack"];

function takeAnalysis(into: Db, { path, oid, data, source, delivered_at: at }: Row): boolean {
  if (!isText(path) || !isText(oid) || !(isText(data) || data instanceof Uint8Array)) return false;
  if (!isText(source) || !isText(at) || !(oid === "" || OID.test(oid)) || !SOURCES.includes(source)) return false;
  if (parseJson(analysisText(data), isFileAnalysis) === null) return false;
  const sql = "INSERT OR IGNORE INTO analyses(path, oid, data, source, delivered_at) VALUES(?, ?, ?, ?, ?)";
  into.run(sql, path, oid, data, source, at);
  return true;
}

const KEY = ["type", "path", "name", "hash", "oid", "data", "text_hash", "source", "at"] as const;
const OPTIONAL = ["bare_hash", "signature", "behaviour", "language", "author", "commit_oid"] as const;

/** The text is as it was written if it has its hash. */
function takeDescription(into: Db, row: Row): boolean {
  const required = KEY.map((name) => row[name]);
  const optional = OPTIONAL.map((name) => row[name] ?? null);
  if (!required.every(isText) || !optional.every(orNull(isText)) || !isText(row.data)) return false;
  if (hashOf(row.data) !== row.text_hash || parseJson(row.data, isObject) === null) return false;
  if (isText(row.behaviour) && parseJson(row.behaviour, Array.isArray) === null) return false;
  const columns = [...KEY, ...OPTIONAL];
  const sql = `INSERT OR IGNORE INTO descriptions(${columns.join(", ")}) VALUES(${columns.map(() => "?").join(", ")})`;
  into.run(sql, ...required, ...optional);
  return true;
}
