import { plainFile, readBlobs } from "../git/blobs.js";
import type { Db } from "../store/sqlite.js";

const BATCH = 200;

/** md5 of committed contents, by blob, computed once. A missing blob has none. */
export async function md5Of(db: Db, cwd: string, oids: readonly string[]): Promise<Map<string, string>> {
  const sql = "SELECT oid, md5 FROM content_md5 WHERE oid IN (SELECT value FROM json_each(?))";
  const rows = db.all<{ oid: string; md5: string }>(sql, JSON.stringify([...new Set(oids)]));
  const known = new Map(rows.map(({ oid, md5 }) => [oid, md5]));
  const missing = [...new Set(oids)].filter((oid) => !known.has(oid));
  for (let at = 0; at < missing.length; at += BATCH) {
    const made = [...(await readBlobs(cwd, missing.slice(at, at + BATCH)))].map(
      ([oid, content]) => [oid, md5(content)] as const,
    );
    db.write(() => {
      for (const [oid, sum] of made) db.run("INSERT OR REPLACE INTO content_md5(oid, md5) VALUES(?, ?)", oid, sum);
    });
    for (const [oid, sum] of made) known.set(oid, sum);
  }
  return known;
}

/** git has no blob for uncommitted content: hash the file's bytes. */
export function workMd5(cwd: string, path: string): string | null {
  const content = plainFile(cwd, path);
  return content === null ? null : md5(content);
}

function md5(content: Buffer): string {
  return process.getBuiltinModule("node:crypto").createHash("md5").update(content).digest("hex");
}
