import type { FileFingerprint } from "../fingerprint/types.js";
import { blobsAtPaths } from "../git/reach.js";
import type { LoadedContext } from "../repository/context.js";
import { parseJson } from "../store/check.js";
import type { Db } from "../store/sqlite.js";
import { keyPath, pathKey } from "../store/state.js";
import { choose } from "./choose.js";
import { type DescriptionKey, FileKeys } from "./description-keys.js";
import { type Description, descriptionsOf } from "./descriptions.js";
import { Facts, factKey, isFact, storedFacts } from "./facts.js";

/** A description of this clone whose blob was unreachable for the whole grace period. */
interface ExpiredDescription {
  id: number;
  at: string;
  oid: string;
  path: string;
  hash: string;
}

/** What is known of expired descriptions. Those in neither list are looked at another time. */
export interface ExpiredDescriptions {
  /** `at`: one that was delivered again since then is not meant. */
  needless: Pick<ExpiredDescription, "id" | "at">[];
  /** The blobs of those that are needed: their grace period begins anew. */
  neededOids: string[];
}

/** So many at a time: each path is a walk through history, and each of its blobs may have to be parsed. */
const MOST_EXPIRED = 5_000;
const MOST_PATHS = 100;
const MOST_BLOBS = 500;

/** What others shared is not among them: its contents may never have been in this clone. `share forget` removes it. */
export const PRUNED_SOURCES = "source != 'shared'";

/**
 * Descriptions are removed only if nothing can need them: no content that git leads to has their symbol, and for none of the contents of their file
 * would they be chosen as the nearest (invariant "nothing written is lost"). `before`: unreachable since then.
 */
export async function findNeedless(
  { db, project, config }: Pick<LoadedContext, "db" | "project" | "config">,
  reached: ReadonlySet<string>,
  before: string,
): Promise<ExpiredDescriptions> {
  const found: ExpiredDescriptions = { needless: [], neededOids: [] };
  const byPath = expired(db, before);
  const cwd = project.worktree.path;
  const blobs = await blobsAtPaths(cwd, [...byPath.keys()]);
  const elsewhere = storedHashes(db, reached, new Set([...byPath.values()].flat().map(({ hash }) => hash)));
  for (const [path, rows] of byPath) {
    const reachable = blobs.get(path);
    const oids = reachable && new Set([...reachable, ...oidsInGrace(db, path, before)]);
    const facts = new Facts(storedFacts(db, { keep: false }), cwd, config);
    const contents = oids === undefined || oids.size > MOST_BLOBS ? null : await readAll(facts, path, oids);
    const needed = contents === null ? null : neededRows(descriptionsOf(db, path), path, contents);
    for (const row of rows) {
      // What cannot be read may have it.
      const isNeeded = needed === null || needed.has(row.id) || elsewhere.has(row.hash);
      if (isNeeded) found.neededOids.push(row.oid);
      else found.needless.push({ id: row.id, at: row.at });
    }
  }
  return found;
}

function expired(db: Db, before: string): Map<string, ExpiredDescription[]> {
  const rows = db.all<ExpiredDescription>(
    `SELECT d.id, d.at, d.oid, d.path, d.hash FROM unreachable u JOIN descriptions d ON d.oid = u.oid
     WHERE u.since < ? AND ${PRUNED_SOURCES} ORDER BY u.since, d.path LIMIT ?`,
    ...[before, MOST_EXPIRED],
  );
  const byPath = new Map<string, ExpiredDescription[]>();
  for (const row of rows) {
    const path = keyPath(row.path);
    const known = byPath.get(path);
    if (known !== undefined) known.push(row);
    else if (byPath.size < MOST_PATHS) byPath.set(path, [row]);
  }
  return byPath;
}

/** Contents of a path that became unreachable lately: they can come back, and with them what is shown for them. */
function oidsInGrace(db: Db, path: string, before: string): string[] {
  const sql = `SELECT oid FROM unreachable WHERE since >= ? AND oid IN
    (SELECT oid FROM descriptions WHERE path = ? UNION SELECT oid FROM analyses WHERE path = ?)`;
  return db.all<{ oid: string }>(sql, before, pathKey(path), pathKey(path)).map(({ oid }) => oid);
}

/** null if one of them cannot be read. */
async function readAll(
  facts: Facts,
  path: string,
  oids: ReadonlySet<string>,
): Promise<Map<string, FileFingerprint> | null> {
  const wanted = [...oids].map((oid) => ({ path, oid }));
  const read = await facts.of(wanted);
  const contents = new Map<string, FileFingerprint>();
  for (const one of wanted) {
    const fact = read.get(factKey(one));
    if (fact === undefined) return null;
    contents.set(one.oid, fact);
  }
  return contents;
}

/** The rows that a content of their file has, or shows. Nodes that are no symbols are compared by blob. */
function neededRows(
  rows: readonly Description[],
  path: string,
  contents: ReadonlyMap<string, FileFingerprint>,
): Set<number> {
  const needed = new Set<number>();
  for (const [oid, fact] of contents) {
    const keys = new FileKeys(path, oid, fact);
    const isThere = ({ path: other, type, name }: Pick<DescriptionKey, "path" | "type" | "name">) =>
      other === path && keys.has(type, name);
    const others = rows.filter(({ key }) => key.hash.startsWith("blob:"));
    const byBlob = others.map(({ key: { type, name } }) => ({ type, path, name, hash: `blob:${oid}` }));
    for (const key of [...keys.all(), ...byBlob]) {
      for (const { id, key: own } of rows) {
        if (own.type === key.type && own.name === key.name && own.hash === key.hash) needed.add(id);
      }
      for (const trackedCounts of [true, false]) {
        const shown = choose(key, rows, { trackedCounts, isThere });
        if (shown !== null) needed.add(shown.description.id);
      }
    }
  }
  return needed;
}

const PAGE = 500;

/** Which of these hashes a symbol has in a content that git leads to, at any path, as far as it was ever parsed here. */
function storedHashes(db: Db, reached: ReadonlySet<string>, wanted: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  const sql = `SELECT rowid AS id, oid, data FROM fingerprints WHERE rowid > ? ORDER BY rowid LIMIT ${PAGE}`;
  for (let after = 0; wanted.size > 0; ) {
    const rows = db.all<{ id: number; oid: string; data: string }>(sql, after);
    for (const { oid, data } of rows) {
      const fact = reached.has(oid) ? parseJson(data, isFact) : null;
      for (const { hash } of fact === null ? [] : [...fact.functions, ...fact.classes]) {
        if (wanted.has(hash)) found.add(hash);
      }
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) break;
    after = last.id;
  }
  return found;
}
