import type { Db } from "../store/sqlite.js";
import { pathKey } from "../store/state.js";

/** Texts by path, stored deflated: a file of ours is all of them, one after the other. */

/** Loaded at its first use: a hook with nothing to put into the graph does without. */
const zlib = () => process.getBuiltinModule("node:zlib");

/** Level 6 is the smallest for such short texts. A copy of its own: the answer is a part of a larger buffer, as a copy by Buffer.from is. */
export function pack(text: string, level = 6): Buffer {
  return Buffer.from(new Uint8Array(zlib().deflateRawSync(text, { level, chunkSize: chunkFor(text.length) })).buffer);
}

/** The memory that zlib allocates for an answer, 16 KB by default: for such short texts that takes a fifth of the time. */
const chunkFor = (length: number) => Math.min(Math.max(length >> 1, 256), 16 * 1024);

export function unpack(data: Uint8Array): string {
  return zlib().inflateRawSync(data).toString("utf8");
}

const PAGE = 200;

/** A column of a table, in the order of paths. Page by page: a driver's iterator would be lost at the next statement. */
function* storedTexts(db: Db, scope: string, column: PackedColumn): Generator<{ path: string; data: Uint8Array }> {
  const [table, name] = column.split(".");
  const sql = `SELECT path, ${name} AS data FROM ${table} WHERE scope = ? AND path > ? ORDER BY path LIMIT ${PAGE}`;
  for (let after = ""; ; ) {
    const rows = db.all<{ path: string; data: Uint8Array }>(sql, scope, after);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last.path;
  }
}

type PackedColumn =
  | "pieces.nodes"
  | "pieces.edges"
  | "graph_pieces.nodes"
  | "graph_pieces.edges"
  | "fingerprint_entries.data";

/** The stored texts with these changes, in the order of paths; null removes one. */
export function* packedTexts(
  db: Db,
  scope: string,
  column: PackedColumn,
  changes: ReadonlyMap<string, Uint8Array | null>,
): Generator<Uint8Array> {
  const changed = [...changes].flatMap(([path, data]) => (path === "" ? [] : [{ key: pathKey(path), data }]));
  changed.sort((a, b) => compareKeys(a.key, b.key));
  const isChanged = new Set(changed.map(({ key }) => key));
  let at = 0;
  for (const { path, data } of storedTexts(db, scope, column)) {
    for (let next = changed[at]; next !== undefined && compareKeys(next.key, path) < 0; next = changed[++at]) {
      if (next.data !== null) yield next.data;
    }
    if (!isChanged.has(path)) yield data;
  }
  for (const { data } of changed.slice(at)) if (data !== null) yield data;
}

/** The order of the database: by the bytes of the text. */
function compareKeys(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

export function* unpacked(packed: Iterable<Uint8Array>): Generator<Buffer> {
  for (const data of packed) yield zlib().inflateRawSync(data);
}
