import { findSymbol } from "../fingerprint/compare.js";
import { SYMBOL_SCHEME } from "../fingerprint/engine.js";
import { extractorOf } from "../fingerprint/languages.js";
import { factKey } from "../knowledge/facts.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import { keyPath } from "../store/state.js";
import { factsOf, type Sources } from "./facts.js";

const CURRENT = `symbol:${SYMBOL_SCHEME}:`;
/** The rest is read at the next question: one question must not wait for all of a large store. */
const MOST_ROWS = 500;

/** Whether an anchor was hashed by the scheme of today, and so can be compared with today's hashes. */
export function isCurrentAnchor(fingerprint: string): boolean {
  return fingerprint.startsWith(CURRENT);
}

interface AnchorRow {
  id: number;
  path: string;
  symbol: string;
  blob: string;
}

/**
 * Anchors of symbols that an older scheme hashed are hashed anew from the blobs that they were written for. Where a blob is
 * gone, the old anchor stays. Each is tried once.
 */
export async function rehashAnchors(sources: Sources): Promise<void> {
  const { db } = sources;
  const { rehashedAnchor } = SETTINGS;
  const done = readSetting(db, rehashedAnchor, SYMBOL_SCHEME) ?? 0;
  const sql = `SELECT rowid AS id, path, symbol, blob FROM record_subjects
    WHERE kind = 'symbol' AND blob IS NOT NULL AND fingerprint IS NOT NULL AND fingerprint NOT LIKE ? AND rowid > ?
    ORDER BY rowid LIMIT ?`;
  const rows = db.all<AnchorRow>(sql, `${CURRENT}%`, done, MOST_ROWS);
  const last = rows.at(-1);
  if (last === undefined) return;
  const wanted = rows.map(({ path, blob }) => ({ path: keyPath(path), oid: blob }));
  const facts = await factsOf(sources, wanted, null);
  db.write(() => {
    rows.forEach(({ id, path, symbol, blob }, at) => {
      const one = wanted[at];
      const fact = one === undefined ? undefined : facts.get(factKey(one));
      const found = fact === undefined ? undefined : findSymbol(fact, symbol);
      if (one === undefined || found === undefined) return;
      // Another process may have anchored the record anew meanwhile.
      const change = `UPDATE record_subjects SET fingerprint = ?, extractor = ?
        WHERE rowid = ? AND path = ? AND symbol = ? AND blob = ? AND fingerprint NOT LIKE ?`;
      db.run(change, `symbol:${found.hash}`, extractorOf(one.path), ...[id, path, symbol, blob, `${CURRENT}%`]);
    });
    writeSetting(db, rehashedAnchor, last.id, SYMBOL_SCHEME);
  });
}
