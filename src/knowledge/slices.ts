import { hashOf } from "../fingerprint/hash.js";
import type { Db } from "../store/sqlite.js";
import type { ArtefactName } from "./artefacts.js";
import type { DescriptionSource } from "./choose.js";
import { pack, unpack } from "./packed.js";
import { addCandidates, type Counting } from "./statements.js";
import { timeAfter } from "./times.js";

/**
 * Part of a document that our extractor does not compute: what another tool or an agent put there. Keys of the graph: `file:<path>`
 * (a GraphPiece of nodes and edges that are not computed), `node:<id>` (a node without a file), `layers`, `tour`, `project`, `head`
 * (unknown keys of the graph itself). Of fingerprints.json: `file:<path>`, an entry of another tool. Of meta.json and
 * config.json: `text`, the last one that somebody else wrote.
 */
export interface SliceKey {
  document: ArtefactName;
  key: string;
  /** The content that it was put there for; empty where it is about none. */
  blob: string;
}

export interface Slice extends SliceKey {
  id: number;
  batch: number;
  /** JSON; null: it was taken back. */
  text: string | null;
  source: DescriptionSource;
  at: string;
}

export interface NewSlice extends SliceKey {
  text: string | null;
}

interface SliceRow {
  id: number;
  batch: number;
  document: ArtefactName;
  key: string;
  blob: string;
  data: Uint8Array | null;
  source: DescriptionSource;
  at: string;
}

const FILE = "file:";
export const sliceOfFile = (path: string): string => `${FILE}${path}`;

/** What there is for a key: put there for this content if there is any, else the newest; null for none. */
export function readSlice(
  db: Db,
  { scope, excluded }: Pick<Counting, "scope" | "excluded">,
  { document, key, blob }: SliceKey,
): Slice | null {
  const sql = "SELECT * FROM slices WHERE scope = ? AND document = ? AND key = ? ORDER BY at DESC, id DESC";
  const rows = db.all<SliceRow>(sql, scope, document, key).filter(({ batch }) => !excluded.has(batch));
  const row = rows.find((one) => one.blob === blob) ?? rows[0];
  return row === undefined ? null : sliceOf(row);
}

/** The newest of each key that starts so, by key. */
export function slicesLike(
  db: Db,
  { scope, excluded }: Pick<Counting, "scope" | "excluded">,
  document: ArtefactName,
  start: string,
): Map<string, Slice> {
  const sql = "SELECT * FROM slices WHERE scope = ? AND document = ? AND key >= ? AND key < ? ORDER BY key, at, id";
  const rows = db.all<SliceRow>(sql, scope, document, start, `${start}\u{10ffff}`);
  return new Map(rows.filter(({ batch }) => !excluded.has(batch)).map((row) => [row.key, sliceOf(row)]));
}

/** Whether a document has something of a file that is not computed, at whatever content. */
export function hasSlice(db: Db, scope: string, document: ArtefactName, key: string): boolean {
  const sql = "SELECT 1 AS one FROM slices WHERE scope = ? AND document = ? AND key = ? AND data IS NOT NULL LIMIT 1";
  return db.get(sql, scope, document, key) !== undefined;
}

/** Call it in the transaction that adds the batch. What is the newest of its key already is not added again. */
export function addSlice(
  db: Db,
  { batch, scope, source, at }: { batch: number; scope: string; source: DescriptionSource; at: string },
  { document, key, blob, text }: NewSlice,
): void {
  const hash = text === null ? "" : hashOf(text);
  const newest = "FROM slices WHERE scope = ? AND document = ? AND key = ?";
  const same = db.get<{ hash: string }>(
    `SELECT hash ${newest} AND blob = ? ORDER BY at DESC, id DESC LIMIT 1`,
    ...[scope, document, key, blob],
  );
  if (same?.hash === hash) return;
  const before = db.get<{ at: string | null }>(`SELECT MAX(at) AS at ${newest}`, scope, document, key)?.at;
  // The newest counts, also where the clock was set back since. What came by git has a time of its own.
  const time = source === "here" ? timeAfter(before, at) : at;
  db.run(
    "INSERT INTO slices(batch, scope, document, key, blob, data, hash, source, at) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ...[batch, scope, document, key, blob, text === null ? null : pack(text), hash, source, time],
  );
  if (key.startsWith(FILE)) addCandidates(db, [key.slice(FILE.length)]);
}

function sliceOf({ id, batch, document, key, blob, data, source, at }: SliceRow): Slice {
  return { id, batch, document, key, blob, text: data === null ? null : unpack(data), source, at };
}
