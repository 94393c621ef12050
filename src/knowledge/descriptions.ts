import { hashOf } from "../fingerprint/hash.js";
import type { Behaviour, FileFingerprint } from "../fingerprint/types.js";
import { nodesOfFile } from "../graph/build.js";
import { hasDescription } from "../graph/descriptions.js";
import type { GraphNode } from "../graph/types.js";
import { isObject, parseStored } from "../store/check.js";
import type { Db } from "../store/sqlite.js";
import { keyPath, pathKey } from "../store/state.js";
import type { DescriptionCandidate, DescriptionSource } from "./choose.js";
import type { DescriptionKey } from "./description-keys.js";

/** The fields of a node that are written, not computed: `summary`, `tags`, `complexity`, and all that we do not know. */
export type DescriptionText = Readonly<Record<string, unknown>>;

export interface Description extends DescriptionCandidate {
  /** The blob at delivery. */
  oid: string;
  text: DescriptionText;
  author: string | null;
  commit: string | null;
  language: string | null;
}

/** What is computed, or says something about the description. */
const STRUCTURE = new Set(["id", "type", "name", "filePath", "lineRange", "docComment", "needsReview"]);

/** With sorted names, so that equal texts are equal. */
export function textOf(node: GraphNode): DescriptionText {
  const fields = Object.entries(node).filter(([name]) => !STRUCTURE.has(name));
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function withText(node: GraphNode, text: DescriptionText): GraphNode {
  const structure = Object.entries(node).filter(
    ([name]) => STRUCTURE.has(name) && name !== "docComment" && name !== "needsReview",
  );
  const { summary, tags, complexity, ...others } = text;
  return { ...Object.fromEntries(structure), summary, tags, complexity, ...others } as unknown as GraphNode;
}

export const isSameText = (a: DescriptionText, b: DescriptionText): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Written by an agent or a person: neither generated nor the authors' own doc comment, however it came here. */
export function isWritten(node: GraphNode, fact: FileFingerprint | undefined): boolean {
  if (!hasDescription(node)) return false;
  const { file, functions = {}, classes = {} } = fact?.docs ?? {};
  const sentences = [file, ...Object.values(functions), ...Object.values(classes)];
  return !sentences.includes(node.summary);
}

/** The structural analyzer's nodes of a file, by id: what stands where there is no description. */
export function plainNodes(path: string, fact: FileFingerprint | undefined): ReadonlyMap<string, GraphNode> {
  return new Map((fact === undefined ? [] : nodesOfFile(path, fact)).map((node) => [node.id, node]));
}

export interface NewDescription extends Omit<Description, "id"> {}

/**
 * `renew`: it was delivered, so its time is now, and it is ours; else a text that is stored for its key already keeps
 * time and source: an old graph that comes back brings nothing new.
 */
export function putDescription(
  db: Db,
  { key, oid, text, ...given }: NewDescription,
  { renew }: { renew: boolean },
): void {
  const data = JSON.stringify(text);
  db.run(
    `INSERT INTO descriptions(type, path, name, hash, bare_hash, signature, behaviour, oid, language, data, text_hash,
       source, author, at, commit_oid) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT(path, type, name, hash, text_hash) DO ${renew ? "UPDATE SET source = excluded.source, author = excluded.author, at = excluded.at, commit_oid = excluded.commit_oid" : "NOTHING"}`,
    ...[key.type, pathKey(key.path), key.name, key.hash, key.bareHash ?? null, key.signature ?? null],
    ...[key.behaviour === undefined ? null : JSON.stringify([key.behaviour, key.isAside === true])],
    ...[oid, given.language, data, hashOf(data), given.source, given.author, given.at, given.commit],
  );
}

export function hasDescriptions(db: Db): boolean {
  return db.get("SELECT 1 AS one FROM descriptions LIMIT 1") !== undefined;
}

/** Everything that may stand for some symbol of a file: what was written for its path, and for the same content elsewhere. */
export function candidatesFor(db: Db, path: string, hashes: Iterable<string>): Description[] {
  const rows = db.all<DescriptionRow>("SELECT * FROM descriptions WHERE path = ?", pathKey(path));
  const found = new Map(rows.map((row) => [row.id, row]));
  for (const hash of hashes) {
    for (const row of db.all<DescriptionRow>("SELECT * FROM descriptions WHERE hash = ? LIMIT 20", hash))
      found.set(row.id, row);
  }
  return [...found.values()].map(described);
}

export function allDescriptions(db: Db): Description[] {
  return db.all<DescriptionRow>("SELECT * FROM descriptions").map(described);
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
