import { hashOf } from "../fingerprint/hash.js";
import type { Behaviour } from "../fingerprint/types.js";
import { UNKNOWN_CONTENT, withoutReview } from "../graph/descriptions.js";
import { kindsOf } from "../graph/ids.js";
import type { GraphNode } from "../graph/types.js";
import { isObject, parseStored } from "../store/check.js";
import type { Db } from "../store/sqlite.js";
import { keyPath, pathKey } from "../store/state.js";
import type { DescriptionCandidate, DescriptionSource } from "./choose.js";
import type { DescriptionKey } from "./description-keys.js";
import { timeAfter } from "./times.js";

/** The fields of a node that are written, not computed: `summary`, `tags`, `complexity`, and all that we do not know. */
export type DescriptionText = Readonly<Record<string, unknown>>;

export interface Description extends DescriptionCandidate {
  /** The blob at delivery. */
  oid: string;
  author: string | null;
  commit: string | null;
  language: string | null;
}

/** What is computed, or says something about the description. */
const STRUCTURE = new Set(["id", "type", "name", "filePath", "lineRange", "docComment"]);

/** With sorted names, so that equal texts are equal. */
export function textOf(node: GraphNode): DescriptionText {
  const fields = Object.entries(withoutReview(node)).filter(([name]) => !STRUCTURE.has(name));
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function withText(node: GraphNode, text: DescriptionText): GraphNode {
  const structure = Object.entries(node).filter(([name]) => STRUCTURE.has(name) && name !== "docComment");
  const { summary, tags, complexity, ...others } = text;
  return { ...Object.fromEntries(structure), summary, tags, complexity, ...others } as unknown as GraphNode;
}

export const isSameText = (a: DescriptionText, b: DescriptionText): boolean => JSON.stringify(a) === JSON.stringify(b);

export interface NewDescription extends Omit<Description, "id"> {}

/** A text that followed its symbol to another file or name: what it is about, who wrote it and when stay as they were. */
export function followed({ id: _id, ...description }: Description, { path, name }: DescriptionKey): NewDescription {
  return { ...description, key: { ...description.key, path, name } };
}

/**
 * What becomes of the time. `renewed`: it was delivered now, whether its text is stored already or not. `new`: it is written now; a text that is
 * stored for its key keeps its time and source, so that an old graph that comes back brings nothing new. `own`: the same, but it has a time
 * of its own: of a backup, of a commit.
 */
export type TextTime = "renewed" | "new" | "own";

export function putDescription(db: Db, { key, oid, text, ...origin }: NewDescription, time: TextTime): void {
  const data = JSON.stringify(text);
  const given = origin.source === "shared" ? origin : { ...origin, ...sharedOrigin(db, key, hashOf(data)) };
  const at = time === "own" ? given.at : timeAfter(newestAt(db, key), given.at);
  db.run(time === "renewed" ? INSERT_OR_RENEW : INSERT_NEW, ...valuesOf({ key, oid, text, ...given, at }));
}

/** Of all that was written at a place, for any content: where none is about the wanted one, the newest of the nearest counts. */
function newestAt(db: Db, { type, path, name }: DescriptionKey): string | null {
  // Of a file itself the name was another one before its language had a grammar.
  const sql = `SELECT MAX(at) AS at FROM descriptions WHERE path = ? AND type = ? AND (name = ? OR type = 'file')`;
  return db.get<{ at: string | null }>(sql, pathKey(path), type, name)?.at ?? null;
}

/**
 * Whether a graph that arrives only repeats what was written about an earlier content of a symbol, while another text was written for this
 * one: an old copy of the graph.
 */
export function isOldCopy(db: Db, { type, path, name, hash }: DescriptionKey, text: DescriptionText): boolean {
  const place = [pathKey(path), type, name];
  const [textHash, from] = [hashOf(JSON.stringify(text)), "SELECT 1 AS one FROM descriptions"];
  const isThere = (more: string) =>
    db.get(`${from} WHERE path = ? AND type = ? AND name = ? AND ${more}`, ...place, hash, textHash) !== undefined;
  return isThere("hash != ? AND text_hash = ?") && isThere("hash = ? AND text_hash != ? AND source != 'shared'");
}

const COLUMNS = `type, path, name, hash, bare_hash, signature, behaviour, oid, language, data, text_hash, source, author, at, commit_oid`;

/** In the order of COLUMNS. */
function valuesOf({ key, oid, text, language, source, author, at, commit }: NewDescription): (string | null)[] {
  const { type, path, name, hash, bareHash = null, signature = null, behaviour, isAside } = key;
  const data = JSON.stringify(text);
  const counts = behaviour === undefined ? null : JSON.stringify([behaviour, isAside === true]);
  // biome-ignore format: one line for each line of COLUMNS
  return [
    type, pathKey(path), name, hash, bareHash, signature, counts,
    oid, language, data, hashOf(data), source, author, at, commit,
  ];
}

const INSERT = `INSERT INTO descriptions(${COLUMNS}) VALUES(${COLUMNS.split(",").fill("?").join(", ")})
  ON CONFLICT(path, type, name, hash, text_hash) DO`;
const INSERT_NEW = `${INSERT} NOTHING`;
const INSERT_OR_RENEW = `${INSERT} UPDATE SET
  source = excluded.source, author = excluded.author, at = excluded.at, commit_oid = excluded.commit_oid,
  oid = excluded.oid`;

/** Many of other clones. What is stored already stays as it is. Returns how many were not. */
export function putSharedDescriptions(db: Db, descriptions: readonly NewDescription[]): number {
  const changes = () => db.get<{ n: number }>("SELECT total_changes() AS n")?.n ?? 0;
  const before = changes();
  for (const one of descriptions) db.run(INSERT_NEW, ...valuesOf(one));
  return changes() - before;
}

/**
 * A text that another clone shared for this place or this content stays that author's if it comes again: by a graph file that
 * showed it, or by an agent that repeats it.
 */
function sharedOrigin(
  db: Db,
  { path, type, name, hash }: DescriptionKey,
  textHash: string,
): Pick<Description, "source" | "author"> | null {
  const found = `source = 'shared' AND text_hash = ?`;
  const columns = "SELECT source, author FROM descriptions WHERE";
  const row =
    db.get<Pick<Description, "source" | "author">>(
      `${columns} path = ? AND type = ? AND name = ? AND ${found} LIMIT 1`,
      ...[pathKey(path), type, name, textHash],
    ) ?? db.get<Pick<Description, "source" | "author">>(`${columns} hash = ? AND ${found} LIMIT 1`, hash, textHash);
  return row ?? null;
}

/** Where the text that a node shows is from; null if it was made without a model, or that is not known. */
export function originOfText(db: Db, node: GraphNode): Pick<Description, "source" | "author" | "at"> | null {
  const columns = "SELECT source, author, at FROM descriptions WHERE";
  const order = "ORDER BY source = 'shared', at DESC LIMIT 1";
  const textHash = hashOf(JSON.stringify(textOf(node)));
  const kinds = kindsOf(node);
  const isOfKind = `type IN (${kinds.map(() => "?").join(", ")})`;
  type TextSource = Pick<Description, "source" | "author" | "at">;
  const here = `${columns} path = ? AND ${isOfKind} AND text_hash = ? ${order}`;
  return (
    db.get<TextSource>(here, pathKey(node.filePath ?? ""), ...kinds, textHash) ??
    db.get<TextSource>(`${columns} text_hash = ? AND ${isOfKind} ${order}`, textHash, ...kinds) ??
    null
  );
}

export function hasDescriptions(db: Db): boolean {
  return db.get("SELECT 1 AS one FROM descriptions LIMIT 1") !== undefined;
}

/** What was written for a path, at any content. Others may share any number of them (invariant "everything has a bound"). */
export function descriptionsOf(db: Db, path: string): Description[] {
  const columns = "SELECT * FROM descriptions WHERE path = ?";
  const key = pathKey(path);
  return [
    ...db.all<DescriptionRow>(`${columns} AND source != 'shared'`, key),
    ...db.all<DescriptionRow>(`${columns} AND source = 'shared' LIMIT 5000`, key),
  ].map(described);
}

/** What was written for a content, or for its body under another name, at any path. */
export function descriptionsWith(db: Db, { hash, bareHash }: DescriptionKey): Description[] {
  const exact = "SELECT * FROM descriptions WHERE hash = ? ORDER BY source = 'shared', id LIMIT 20";
  const body = `SELECT * FROM descriptions WHERE bare_hash = ? AND hash != ? AND source != 'shared' ORDER BY id LIMIT 20`;
  const renamed = bareHash === undefined ? [] : db.all<DescriptionRow>(body, bareHash, hash);
  return [...db.all<DescriptionRow>(exact, hash), ...renamed].map(described);
}

export function allDescriptions(db: Db): Description[] {
  return db.all<DescriptionRow>("SELECT * FROM descriptions").map(described);
}

/** Descriptions of this clone that its own ref does not have yet (src/sharing/); others can use none about an unknown content. */
export function unsentDescriptions(db: Db): Description[] {
  const sql = `SELECT * FROM descriptions d WHERE source = 'here' AND hash != '${UNKNOWN_CONTENT}'
    AND NOT EXISTS (SELECT 1 FROM sharing_sent s WHERE s.description = d.id) ORDER BY id`;
  return db.all<DescriptionRow>(sql).map(described);
}

interface DescriptionRow {
  id: number;
  type: string;
  path: string;
  name: string;
  hash: string;
  bare_hash: string | null;
  signature: string | null;
  behaviour: string | null;
  oid: string;
  language: string | null;
  data: string;
  source: DescriptionSource;
  author: string | null;
  at: string;
  commit_oid: string | null;
}

function described(row: DescriptionRow): Description {
  const what = `the description of ${row.name === "" ? row.path : row.name}`;
  const key: DescriptionKey = {
    ...{ type: row.type, path: keyPath(row.path), name: row.name, hash: row.hash },
    ...(row.bare_hash === null ? {} : { bareHash: row.bare_hash }),
    ...(row.signature === null ? {} : { signature: row.signature }),
    ...(row.behaviour === null ? {} : counts(row.behaviour, what)),
  };
  const { id, oid, source, author, at, language, commit_oid: commit } = row;
  return { id, key, oid, text: parseStored(row.data, isObject, what), source, author, at, commit, language };
}

function counts(text: string, what: string): Pick<DescriptionKey, "behaviour" | "isAside"> {
  const [behaviour, isAside] = parseStored(text, isCounts, what);
  return { behaviour, ...(isAside ? { isAside } : {}) };
}

const isCounts = (value: unknown): value is [Behaviour, boolean] =>
  Array.isArray(value) && Array.isArray(value[0]) && value[0].length === 4;
