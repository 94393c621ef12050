import { extractorOf } from "../fingerprint/languages.js";
import type { LineOrigin } from "../git/blame.js";
import { type Facts, factKey, type WantedFact } from "../knowledge/facts.js";
import { isNumber, isObject, isText, listOf, objectOf, oneOf, orNull, parseJson } from "../store/check.js";
import type { Db } from "../store/sqlite.js";
import { keyPath, pathKey } from "../store/state.js";
import { type DeclaredNames, declaredNames } from "./names.js";
import { type Blame, type DocumentText, type Finding, plainBlame } from "./present.js";
import { touchedBetween } from "./touched.js";

const isOrigins = listOf(objectOf<LineOrigin>({ line: isNumber, commit: orNull(isText), path: isText }));

/**
 * Blames each line of a document's blob once. What was found at another commit holds as long as no commit between the two touches the
 * document.
 */
export function cachedBlame(db: Db, cwd: string, head: string): Blame {
  const ask = plainBlame(cwd, head);
  const touched = new Map<string, Promise<ReadonlySet<string> | null>>();
  const touchedSince = (at: string) => {
    const known =
      touched.get(at) ?? touchedBetween(cwd, at, head).then((found) => found && new Set(found.map(({ path }) => path)));
    touched.set(at, known);
    return known;
  };
  const stored = async ({ path, blob }: DocumentText): Promise<LineOrigin[]> => {
    const sql = "SELECT at, lines FROM document_blames WHERE path = ? AND blob = ?";
    const row = db.get<{ at: string; lines: string }>(sql, pathKey(path), blob);
    const lines = row === undefined ? null : parseJson(row.lines, isOrigins);
    if (row === undefined || lines === null) return [];
    if (row.at === head) return lines;
    return (await touchedSince(row.at))?.has(path) === false ? lines : [];
  };
  return async (document, lines) => {
    if (document.blob === null) return ask(document, lines);
    const known = new Map((await stored(document)).map((origin) => [origin.line, origin]));
    const missing = lines.filter((line) => !known.has(line));
    if (missing.length > 0) for (const origin of await ask(document, missing)) known.set(origin.line, origin);
    db.write(() => {
      db.run("DELETE FROM document_blames WHERE path = ?", pathKey(document.path));
      const sql = "INSERT INTO document_blames(path, blob, at, lines) VALUES(?, ?, ?, ?)";
      db.run(sql, pathKey(document.path), document.blob, head, JSON.stringify([...known.values()]));
    });
    return [...known.values()];
  };
}

const isNames = objectOf<DeclaredNames>({ symbols: listOf(isText), others: listOf(isText), heirs: listOf(isText) });

/** The names of contents, from what is stored; the others from their facts. */
export function cachedNames(
  db: Db,
  facts: Pick<Facts, "of">,
): (files: readonly WantedFact[]) => Promise<Map<string, DeclaredNames>> {
  return async (files) => {
    const found = new Map<string, DeclaredNames>();
    const missing: WantedFact[] = [];
    for (const file of files) {
      const sql = "SELECT names FROM declared_names WHERE oid = ? AND extractor = ?";
      const row = db.get<{ names: string }>(sql, file.oid, extractorOf(file.path));
      const names = row === undefined ? null : parseJson(row.names, isNames);
      if (names === null) missing.push(file);
      else found.set(factKey(file), names);
    }
    if (missing.length === 0) return found;
    const made = new Map(
      [...(await facts.of(missing))].map(([key, fact]) => [key, { fact, names: declaredNames(fact) }]),
    );
    db.write(() => {
      for (const [key, { fact, names }] of made) {
        found.set(key, names);
        const sql = "INSERT OR REPLACE INTO declared_names(oid, extractor, names) VALUES(?, ?, ?)";
        if (fact.blobOid !== undefined) db.run(sql, fact.blobOid, fact.extractor, JSON.stringify(names));
      }
    });
    return found;
  };
}

/** The same without a place to keep them. */
export function plainNames(
  facts: Pick<Facts, "of">,
): (files: readonly WantedFact[]) => Promise<Map<string, DeclaredNames>> {
  return async (files) => new Map([...(await facts.of(files))].map(([key, fact]) => [key, declaredNames(fact)]));
}

/** What is known of one document at the indexed commit. */
export interface IndexedDocument {
  citations: number;
  unknown: number;
  broken: IndexedFinding[];
}

/** `brokenAt`: the commit at which the index saw it first, if it was true at the indexed commit before. */
export type IndexedFinding = Finding & { brokenAt?: string };

const isFinding = objectOf<IndexedFinding>(
  {
    file: isText,
    line: isNumber,
    target: isText,
    kind: oneOf("path", "script", "symbol"),
    verdict: oneOf("gone", "moved", "changed"),
    since: isText,
    cited: (value): value is Finding["cited"] =>
      isObject(value) && isNumber(value.column) && isText(value.written) && listOf(isText)(value.via),
  },
  { to: isText, detail: isText, brokenAt: isText },
);
const isIndexed = objectOf<IndexedDocument>({ citations: isNumber, unknown: isNumber, broken: listOf(isFinding) });

/** The documents of a worktree as they were judged at one commit. */
export class DocumentIndex {
  readonly #db: Db;
  readonly #view: string;

  constructor(db: Db, view: string) {
    this.#db = db;
    this.#view = view;
  }

  /** The commit it is of; null if there is none, or `rules` are others. */
  head(rules: string | null): string | null {
    const sql = "SELECT head, rules FROM document_index WHERE view = ?";
    const row = this.#db.get<{ head: string; rules: string }>(sql, this.#view);
    return row === undefined || (rules !== null && row.rules !== rules) ? null : row.head;
  }

  documents(): Map<string, IndexedDocument> {
    const sql = "SELECT path, found FROM document_findings WHERE view = ?";
    const rows = this.#db.all<{ path: string; found: string }>(sql, this.#view);
    return new Map(
      rows.flatMap(({ path, found }) => {
        const indexed = parseJson(found, isIndexed);
        return indexed === null ? [] : [[keyPath(path), indexed] as const];
      }),
    );
  }

  /** The documents that name any of these targets. */
  citing(targets: Iterable<string>): Set<string> {
    const sql = "SELECT path FROM cited_targets WHERE view = ? AND target = ?";
    const found = new Set<string>();
    for (const target of targets)
      for (const { path } of this.#db.all<{ path: string }>(sql, this.#view, target)) found.add(keyPath(path));
    return found;
  }

  /** Keeps what was judged at a commit. `documents`: null for one that is gone; with `isWhole` all others go. */
  save(
    { head, rules, isWhole }: { head: string; rules: string; isWhole: boolean },
    documents: ReadonlyMap<string, (IndexedDocument & { targets: ReadonlySet<string> }) | null>,
  ): void {
    const db = this.#db;
    db.write(() => {
      if (isWhole) this.clear();
      for (const [path, found] of documents) {
        db.run("DELETE FROM document_findings WHERE view = ? AND path = ?", this.#view, pathKey(path));
        db.run("DELETE FROM cited_targets WHERE view = ? AND path = ?", this.#view, pathKey(path));
        if (found === null) continue;
        const { targets, ...indexed } = found;
        const sql = "INSERT INTO document_findings(view, path, found) VALUES(?, ?, ?)";
        db.run(sql, this.#view, pathKey(path), JSON.stringify(indexed));
        for (const target of targets)
          db.run(
            "INSERT OR IGNORE INTO cited_targets(view, target, path) VALUES(?, ?, ?)",
            this.#view,
            target,
            pathKey(path),
          );
      }
      db.run("INSERT OR REPLACE INTO document_index(view, head, rules) VALUES(?, ?, ?)", this.#view, head, rules);
    });
  }

  clear(): void {
    for (const table of ["document_index", "document_findings", "cited_targets"])
      this.#db.run(`DELETE FROM ${table} WHERE view = ?`, this.#view);
  }
}
