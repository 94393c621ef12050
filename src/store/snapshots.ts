import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Db } from "./sqlite.js";

/** Enough for the branches that someone goes back and forth between; deflated, so many times that in JSON. */
const MOST = 16;
const MOST_BYTES = 64 * 1024 * 1024;
/** A graph is mostly repeated keys: the quickest level already takes nine tenths away. */
const LEVEL = 1;

/** Keeps the graph of a state, byte for byte; the state that is being entered is never the one that gives way. */
export function saveSnapshot(db: Db, scope: string, digest: string, text: Buffer, at: string): void {
  const data = deflateRawSync(text, { level: LEVEL });
  db.write(() => {
    db.run("DELETE FROM snapshots WHERE scope = ? AND digest = ?", scope, digest);
    db.run(
      "INSERT INTO snapshots(scope, digest, data, size, at) VALUES(?, ?, ?, ?, ?)",
      ...[scope, digest, data, data.length, at],
    );
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

/** Where something was told anew about content that was known, the graphs that hold the old words are no use. */
export function dropSnapshots(db: Db, scope: string): void {
  db.run("DELETE FROM snapshots WHERE scope = ?", scope);
}
