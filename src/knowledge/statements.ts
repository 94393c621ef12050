import { hashOf } from "../fingerprint/hash.js";
import type { Behaviour } from "../fingerprint/types.js";
import { moveId } from "../graph/rename.js";
import { isObject, parseStored } from "../store/check.js";
import type { Db } from "../store/sqlite.js";
import { keyPath, pathKey } from "../store/state.js";
import type { DescriptionSource } from "./choose.js";
import type { DescriptionText } from "./descriptions.js";
import { timeAfter } from "./times.js";

/**
 * What a statement is about. `beside`: what a file imports and passes on. `node`: a node that we do not compute, by its id. `content`: a
 * whole blob.
 */
export type StatedType = "file" | "function" | "class" | "beside" | "node" | "content";

/** The hash of a path or a symbol that is not there. */
export const ABSENT = "";

/** One content of a symbol, and what tells how far another content is from it. */
export interface SymbolContent {
  hash: string;
  /** The hash without its name; absent for fewer than 20 tokens. */
  bareHash?: string;
  /** Absent where only whole blobs can be compared: any other content is then another interface. */
  signature?: string;
  behaviour?: Behaviour;
  /** True in a test or a generated file. */
  isAside?: boolean;
  /** Of a function, for the rule about its size. */
  lines?: number;
}

/** Something that can be stated about: a symbol (an empty name for the file itself), or a whole content. */
export interface StatedPlace {
  path: string;
  type: StatedType;
  name: string;
}

export interface Statement extends StatedPlace, SymbolContent {
  id: number;
  batch: number;
  /** The content that the symbol was part of. */
  blob: string | null;
  /** Of a whole content: digests of all its tokens, and of what is visible of it. */
  tokens?: string;
  shape?: string;
  /** null: an answer. At this content nothing more is needed. */
  text: DescriptionText | null;
  source: DescriptionSource;
  author: string | null;
  at: string;
  language: string | null;
}

export type StatementWithText = Statement & { text: DescriptionText };
export const hasText = (statement: Statement): statement is StatementWithText => statement.text !== null;

export interface NewStatement extends Omit<Statement, "id" | "batch" | "author" | "at" | "language" | "source"> {
  author?: string | null;
  language?: string | null;
  /** By default the batch's; for one that followed its symbol, that of the statement that it repeats. */
  at?: string;
  source?: DescriptionSource;
}

/** The operation that adds statements. */
export interface NewBatch {
  scope: string;
  /** `install`, `apply`, `ack`, `inline`, `run`, `import`, `share`, `undo`. */
  command: string;
  /** The worktree. */
  view: string;
  commit: string | null;
  at: string;
  source: DescriptionSource;
  /** The blob of the document that the rows came in, and the time that the document names. */
  document?: { oid: string; at: string };
  voids?: number;
}

/** Which rows count. */
export interface Counting {
  scope: string;
  /** Batches that were voided, or came in a document that HEAD does not have. */
  excluded: ReadonlySet<number>;
  /** Whether HEAD has a path: what is stated of a renamed one counts for its new name while HEAD has only that. */
  isAtHead(path: string): boolean;
}

/** How many former names of a path are followed. */
const MOST_NAMES = 20;
/** Others may share any number of texts for one path. */
const MOST_SHARED = 5000;

/** Reads the statements that count at one commit. */
export class Statements {
  readonly #db: Db;
  readonly #counting: Counting;
  readonly #paths = new Map<string, Statement[]>();
  /** Statements that a path has under a former name. */
  readonly #isFormer = new Set<string>();

  constructor(db: Db, counting: Counting) {
    this.#db = db;
    this.#counting = counting;
  }

  /** Functions and classes of a path that rows are about. */
  rowsAbout(path: string): Statement[] {
    return this.#rowsOf(path).filter(({ type, hash }) => (type === "function" || type === "class") && hash !== ABSENT);
  }

  /** Renames were added since. */
  forget(): void {
    this.#paths.clear();
  }

  /** Of a path, also under its former names. */
  ofPath(path: string): readonly Statement[] {
    const known = this.#paths.get(path);
    if (known !== undefined) return known;
    const former = this.formerNames(path).flatMap((from) => this.#renamed(from, path));
    for (const { id } of former) this.#isFormer.add(`${id} ${path}`);
    const found = [...this.#rowsOf(path), ...former];
    this.#paths.set(path, found);
    return found;
  }

  /** Under its own name only. */
  ownOf(path: string): readonly Statement[] {
    return this.ofPath(path).filter(({ id }) => !this.#isFormer.has(`${id} ${path}`));
  }

  /** Names that a path had, as far as HEAD does not have them any more. */
  formerNames(path: string): string[] {
    const found = new Set<string>();
    const open = [path];
    for (let to = open.pop(); to !== undefined && found.size < MOST_NAMES; to = open.pop()) {
      for (const from of renamedTo(this.#db, to)) {
        if (from === path || found.has(from) || this.#counting.isAtHead(from)) continue;
        found.add(from);
        open.push(from);
      }
    }
    return [...found];
  }

  /** Names that a path had one step before or has one step later, whether HEAD has them or not. */
  namesAround(path: string): string[] {
    return [...renamedTo(this.#db, path), ...renamedFrom(this.#db, path)];
  }

  /**
   * Whether a path was renamed to one that HEAD does not have either: then the later name is the one that is gone. Of names that were
   * given in a circle the first one is.
   */
  isSuperseded(path: string): boolean {
    const seen = new Set<string>();
    const open = [path];
    for (let from = open.pop(); from !== undefined && seen.size <= MOST_NAMES; from = open.pop()) {
      const later = renamedFrom(this.#db, from);
      if (later.length === 0) return from !== path;
      for (const to of later) if (!seen.has(to)) open.push(to);
      for (const to of later) seen.add(to);
    }
    return [...seen].some((name) => name < path);
  }

  /** Whether a path that HEAD does not have lives on under another name. */
  isRenamed(path: string): boolean {
    const seen = new Set([path]);
    const open = [path];
    for (let from = open.pop(); from !== undefined && seen.size <= MOST_NAMES; from = open.pop()) {
      for (const to of renamedFrom(this.#db, from)) {
        if (seen.has(to)) continue;
        if (this.#counting.isAtHead(to)) return true;
        seen.add(to);
        open.push(to);
      }
    }
    return false;
  }

  #renamed(from: string, to: string): Statement[] {
    return this.#rowsOf(from)
      .filter(({ type, hash }) => type !== "content" || hash !== ABSENT)
      .map((one) => ({ ...one, path: to, name: one.type === "node" ? moveId(one.name, from, to) : one.name }));
  }

  #rowsOf(path: string): Statement[] {
    const columns = "SELECT * FROM statements WHERE path = ?";
    const key = pathKey(path);
    const own = this.#db.all<StatementRow>(`${columns} AND source != 'shared'`, key);
    const shared = this.#db.all<StatementRow>(`${columns} AND source = 'shared' LIMIT ${MOST_SHARED}`, key);
    return [...own, ...shared].filter((row) => this.#counts(row)).map(statementOf);
  }

  /** Texts count in every graph of this clone; answers, and what came in a document, in their own. */
  #counts({ batch, scope, text, source }: StatementRow): boolean {
    if (this.#counting.excluded.has(batch)) return false;
    return scope === this.#counting.scope || (text !== null && source !== "tracked");
  }

  /** About a symbol with this hash, or with this body under another name, at any path. */
  like({ hash, bareHash }: SymbolContent): Statement[] {
    const exact = "SELECT * FROM statements WHERE hash = ? ORDER BY source = 'shared', id LIMIT 20";
    const body =
      "SELECT * FROM statements WHERE bare_hash = ? AND hash != ? AND source != 'shared' ORDER BY id LIMIT 20";
    const renamed = bareHash === undefined ? [] : this.#db.all<StatementRow>(body, bareHash, hash);
    return [...this.#db.all<StatementRow>(exact, hash), ...renamed].filter((row) => this.#counts(row)).map(statementOf);
  }

  /** Answers about whole contents that have a symbol with this hash, or with this body. */
  contentsLike(content: SymbolContent): Statement[] {
    const blobs = blobsWith(this.#db, content);
    const sql =
      "SELECT * FROM statements WHERE hash = ? AND type = 'content' AND source != 'shared' ORDER BY id LIMIT 20";
    return blobs
      .flatMap((blob) => this.#db.all<StatementRow>(sql, blob))
      .filter((row) => this.#counts(row))
      .map(statementOf);
  }

  /** Every path with an answered content, with those contents. For a comparison of the whole tree. */
  answeredContents(): Map<string, Set<string>> {
    const sql =
      "SELECT path, hash, batch FROM statements WHERE type = 'content' AND source != 'shared' AND scope = ? ORDER BY path";
    const found = new Map<string, Set<string>>();
    for (const row of this.#db.all<Pick<StatementRow, "path" | "hash" | "batch">>(sql, this.#counting.scope)) {
      if (this.#counting.excluded.has(row.batch)) continue;
      const path = keyPath(row.path);
      const known = found.get(path);
      if (known === undefined) found.set(path, new Set([row.hash]));
      else known.add(row.hash);
    }
    return found;
  }

  /** Every path of which anything is stated. */
  statedPaths(): string[] {
    const sql = "SELECT DISTINCT path FROM statements WHERE path != '' AND source != 'shared'";
    return this.#db.all<{ path: string }>(sql).map(({ path }) => keyPath(path));
  }
}

/** Whether a row says the same already: with a text, in the same words; without one, any answer. A voided row says nothing. */
export function isStatedAt(
  db: Db,
  { path, type, name, hash }: StatedPlace & { hash: string },
  text: DescriptionText | null,
  source: DescriptionSource,
): boolean {
  const sql = `SELECT 1 AS one FROM statements WHERE path = ? AND type = ? AND name = ? AND hash = ? AND source IN (?, 'here')
    AND (? IS NULL OR text_hash = ?) AND batch NOT IN (SELECT voids FROM batches WHERE voids IS NOT NULL) LIMIT 1`;
  const words = text === null ? null : hashOf(JSON.stringify(text));
  return db.get(sql, pathKey(path), type, name, hash, source, words, words) !== undefined;
}

/** What rows say about one content of a symbol; null where none is about it. */
export function statedContent(
  db: Db,
  { path, type, name, hash }: StatedPlace & { hash: string },
): (SymbolContent & { blob: string | null }) | null {
  const sql = "SELECT * FROM statements WHERE path = ? AND type = ? AND name = ? AND hash = ? ORDER BY id LIMIT 1";
  const row = db.get<StatementRow>(sql, pathKey(path), type, name, hash);
  if (row === undefined) return null;
  const { blob, bareHash, signature, behaviour, isAside, lines } = statementOf(row);
  const found: SymbolContent & { blob: string | null } = { hash, blob };
  if (bareHash !== undefined) found.bareHash = bareHash;
  if (signature !== undefined) found.signature = signature;
  if (behaviour !== undefined) found.behaviour = behaviour;
  if (isAside !== undefined) found.isAside = isAside;
  if (lines !== undefined) found.lines = lines;
  return found;
}

/** When a content of the path was answered last; null for never. */
export function latestAnswer(db: Db, scope: string, path: string): string | null {
  const sql = "SELECT MAX(at) AS at FROM statements WHERE path = ? AND type = 'content' AND scope = ?";
  return db.get<{ at: string | null }>(sql, pathKey(path), scope)?.at ?? null;
}

/** Whether somebody took the same answer back after a document was made: the document only repeats it. */
export function isClaimVoided(
  db: Db,
  { path, type, name, hash }: StatedPlace & { hash: string },
  madeAt: string,
): boolean {
  const sql = `SELECT 1 AS one FROM statements s JOIN batches b ON b.voids = s.batch
    WHERE s.path = ? AND s.type = ? AND s.name = ? AND s.hash = ? AND b.at >= ? LIMIT 1`;
  return db.get(sql, pathKey(path), type, name, hash, madeAt) !== undefined;
}

/** Adds the batch and its rows; their paths become candidates everywhere. Call it in a transaction, after the stamps were dropped. */
export function addStatements(db: Db, batch: NewBatch, statements: readonly NewStatement[]): number {
  const id = addBatch(db, batch);
  // What install or a first import finds was there before; everything later came to a path that was absent once.
  const isFirst = batch.command === "install" || db.get("SELECT 1 AS one FROM statements LIMIT 1") === undefined;
  const isNew = new Map<string, boolean>();
  for (const one of statements) {
    if (!isNew.has(one.path)) isNew.set(one.path, !isFirst && batch.source !== "shared" && !isStated(db, one.path));
  }
  for (const [path, isAdded] of isNew) {
    if (isAdded && path !== "")
      insert(db, id, batch, { path, type: "content", name: "", hash: ABSENT, blob: null, text: null });
  }
  for (const one of statements) insert(db, id, batch, one);
  addCandidates(db, isNew.keys());
  return id;
}

/** The same statements at another place: what they are about, and which operation brought them, stay as they were. */
export function repeatStatements(db: Db, scope: string, statements: readonly Statement[]): void {
  for (const one of statements) insert(db, one.batch, { scope, source: one.source, at: one.at }, one);
}

export function addBatch(db: Db, { scope, command, view, commit, at, source, document, voids }: NewBatch): number {
  db.run(
    `INSERT INTO batches(scope, command, view, commit_oid, at, source, document_oid, document_at, voids)
     VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[scope, command, view, commit, at, source, document?.oid ?? null, document?.at ?? null, voids ?? null],
  );
  return db.get<{ id: number }>("SELECT last_insert_rowid() AS id")?.id ?? 0;
}

function isStated(db: Db, path: string): boolean {
  const sql = "SELECT 1 AS one FROM statements WHERE path = ? AND source != 'shared' LIMIT 1";
  return db.get(sql, pathKey(path)) !== undefined;
}

/** Paths that every worktree has to compare again, and every graph has to show anew. */
export function addCandidates(db: Db, paths: Iterable<string>): void {
  const owners = [
    ...db.all<{ owner: string }>("SELECT id AS owner FROM views"),
    ...db.all<{ owner: string }>("SELECT 'graph:' || scope AS owner FROM graph_state"),
  ];
  const sql = "INSERT OR IGNORE INTO candidates(owner, path) VALUES(?, ?)";
  for (const path of paths) for (const { owner } of owners) db.run(sql, owner, pathKey(path));
}

export function candidatesOf(db: Db, owner: string): string[] {
  const rows = db.all<{ path: string }>("SELECT path FROM candidates WHERE owner = ?", owner);
  return rows.map(({ path }) => keyPath(path));
}

function renamedTo(db: Db, path: string): string[] {
  const rows = db.all<{ path: string }>("SELECT from_path AS path FROM renames WHERE to_path = ?", pathKey(path));
  return rows.map((row) => keyPath(row.path));
}

function renamedFrom(db: Db, path: string): string[] {
  const rows = db.all<{ path: string }>("SELECT to_path AS path FROM renames WHERE from_path = ?", pathKey(path));
  return rows.map((row) => keyPath(row.path));
}

/** How much of a path's content its new name has, in percent; null where nothing was renamed so. */
export function similarityOfRename(db: Db, from: string, to: string): number | null {
  const sql = "SELECT similarity FROM renames WHERE from_path = ? AND to_path = ?";
  return db.get<{ similarity: number }>(sql, pathKey(from), pathKey(to))?.similarity ?? null;
}

/** What is stated of `from` counts for `to` from now on, while HEAD has only that. */
export function addRename(db: Db, { from, to, similarity }: { from: string; to: string; similarity: number }): void {
  const sql = "INSERT OR IGNORE INTO renames(from_path, to_path, similarity) VALUES(?, ?, ?)";
  db.run(sql, pathKey(from), pathKey(to), similarity);
  addCandidates(db, [from, to]);
}

function insert(
  db: Db,
  batch: number,
  { scope, source, at }: Pick<NewBatch, "scope" | "source" | "at">,
  one: NewStatement,
): void {
  const { path, type, name, hash, blob, bareHash, signature, behaviour, isAside, lines, tokens, shape, text } = one;
  const data = text === null ? null : JSON.stringify(text);
  const from = one.source ?? source;
  // The newest counts, also where the clock was set back since. What came from elsewhere has a time of its own.
  const time = one.at ?? (from === "here" ? timeAfter(newestAt(db, one), at) : at);
  db.run(
    `INSERT INTO statements(batch, scope, path, type, name, hash, blob, bare_hash, signature, behaviour, lines, tokens, shape,
     text, text_hash, source, author, at, language) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[batch, scope, pathKey(path), type, name, hash, blob, bareHash ?? null, signature ?? null],
    behaviour === undefined && isAside !== true ? null : JSON.stringify([behaviour ?? null, isAside === true]),
    ...[lines ?? null, tokens ?? null, shape ?? null, data, data === null ? null : hashOf(data)],
    ...[from, one.author ?? null, time, one.language ?? null],
  );
}

function newestAt(db: Db, { path, type, name }: StatedPlace): string | null {
  const sql = "SELECT MAX(at) AS at FROM statements WHERE path = ? AND type = ? AND name = ?";
  return db.get<{ at: string | null }>(sql, pathKey(path), type, name)?.at ?? null;
}

interface StatementRow {
  id: number;
  batch: number;
  scope: string;
  path: string;
  type: StatedType;
  name: string;
  hash: string;
  blob: string | null;
  bare_hash: string | null;
  signature: string | null;
  behaviour: string | null;
  lines: number | null;
  tokens: string | null;
  shape: string | null;
  text: string | null;
  source: DescriptionSource;
  author: string | null;
  at: string;
  language: string | null;
}

function statementOf(row: StatementRow): Statement {
  const { id, batch, type, name, hash, blob, source, author, at, language } = row;
  const what = `the statement about ${name === "" ? row.path : name}`;
  const found: Statement = {
    id,
    batch,
    path: keyPath(row.path),
    type,
    name,
    hash,
    blob,
    text: row.text === null ? null : parseStored(row.text, isObject, what),
    source,
    author,
    at,
    language,
  };
  if (row.bare_hash !== null) found.bareHash = row.bare_hash;
  if (row.signature !== null) found.signature = row.signature;
  if (row.lines !== null) found.lines = row.lines;
  if (row.tokens !== null) found.tokens = row.tokens;
  if (row.shape !== null) found.shape = row.shape;
  if (row.behaviour !== null) {
    const [behaviour, isAside] = parseStored(row.behaviour, isCounts, what);
    if (behaviour !== null) found.behaviour = behaviour;
    if (isAside) found.isAside = true;
  }
  return found;
}

const isCounts = (value: unknown): value is [Behaviour | null, boolean] =>
  Array.isArray(value) &&
  value.length === 2 &&
  (value[0] === null || (Array.isArray(value[0]) && value[0].length === 4));

/** Which contents have a symbol with a hash, or with a body: a cache, so a number that two share only means a look at more of them. */
export function indexSymbols(db: Db, blob: string, symbols: Iterable<SymbolContent>): void {
  const sql = "INSERT OR IGNORE INTO symbol_hashes(hash, blob) VALUES(?, ?)";
  for (const { hash, bareHash } of symbols) {
    db.run(sql, hashNumber(hash), blob);
    if (bareHash !== undefined) db.run(sql, hashNumber(bareHash), blob);
  }
}

const MOST_BLOBS = 100;

export function blobsWith(db: Db, { hash, bareHash }: SymbolContent): string[] {
  const sql = `SELECT blob FROM symbol_hashes WHERE hash = ? LIMIT ${MOST_BLOBS}`;
  const numbers = [hash, ...(bareHash === undefined ? [] : [bareHash])].map(hashNumber);
  return [...new Set(numbers.flatMap((one) => db.all<{ blob: string }>(sql, one).map(({ blob }) => blob)))];
}

/** The first 48 bits of a hash, which is hexadecimal after its scheme. */
const hashNumber = (hash: string): number => Number.parseInt(hash.slice(hash.indexOf(":") + 1).slice(0, 12), 16);
