import { promisify } from "node:util";
import { deflateRaw, inflateRawSync } from "node:zlib";
import type { Db } from "../store/sqlite.js";

/** Enough for the branches that a user switches between; as JSON they would be many times larger. */
const MOST = 16;
const MOST_BYTES = 64 * 1024 * 1024;
/** A graph is mostly repeated keys: the fastest level already saves nine tenths. */
const LEVEL = 1;

/** Compresses a graph's text. In another thread: for a large graph it takes as long as writing it. */
export async function packSnapshot(text: Buffer): Promise<Buffer> {
  return promisify<Buffer, { level: number }, Buffer>(deflateRaw)(text, { level: LEVEL });
}

/**
 * Stores the graph of a state, byte for byte; the new state is never the one that is dropped. null: it is stored
 * already, and only becomes the most recent.
 */
export function saveSnapshot(db: Db, scope: string, digest: string, packed: Buffer | null, at: string): void {
  db.write(() => {
    if (packed === null) {
      const again = "SELECT scope, digest, data, size, ? FROM snapshots WHERE scope = ? AND digest = ?";
      db.run(`INSERT OR REPLACE INTO snapshots(scope, digest, data, size, at) ${again}`, at, scope, digest);
    } else {
      db.run(
        "INSERT OR REPLACE INTO snapshots(scope, digest, data, size, at) VALUES(?, ?, ?, ?, ?)",
        ...[scope, digest, packed, packed.length, at],
      );
    }
    let bytes = 0;
    const rows = db.all<{ digest: string; size: number }>(
      "SELECT digest, size FROM snapshots WHERE scope = ? ORDER BY rowid DESC",
      scope,
    );
    for (const [index, row] of rows.entries()) {
      bytes += row.size;
      if (index > 0 && (index >= MOST || bytes > MOST_BYTES)) {
        db.run("DELETE FROM snapshots WHERE scope = ? AND digest = ?", scope, row.digest);
      }
    }
  });
}

export function readSnapshot(db: Db, scope: string, digest: string): Buffer | null {
  const row = db.get<{ data: Uint8Array }>(
    "SELECT data FROM snapshots WHERE scope = ? AND digest = ?",
    ...[scope, digest],
  );
  return row === undefined ? null : inflateRawSync(row.data);
}

/** After a new analysis of known content, the stored graphs with the old one are useless. */
export function dropSnapshots(db: Db, scope: string): void {
  db.run("DELETE FROM snapshots WHERE scope = ?", scope);
}
