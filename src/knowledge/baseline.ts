import { SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { keyPath, pathKey } from "../store/state.js";
import { isKnown, knownOids, knownPaths } from "./known.js";
import { analysedApart, dropAnalysedApart } from "./symbol-baseline.js";

export interface BaselineRow {
  /** null: the content is known by its hash only, or the path was acknowledged as absent. */
  oid: string | null;
  contentHash: string | null;
  inGraph: boolean;
}

/** The analysed blob of each path in one worktree: its own acknowledgements first, then its graph's. */
export class Baseline {
  readonly #db: Db;
  readonly scope: string;
  readonly view: string;

  constructor(db: Db, scope: string, worktree: string) {
    this.#db = db;
    this.scope = scope;
    this.view = worktree;
  }

  get(path: string): BaselineRow | null {
    const shared = this.ofGraph(path);
    const own = this.#db.get<{ analysed_oid: string | null }>(
      "SELECT analysed_oid FROM view_baseline WHERE view = ? AND path = ?",
      this.view,
      pathKey(path),
    );
    if (own === undefined) return shared;
    const { analysed_oid: oid } = own;
    return oid === null ? null : { oid, contentHash: null, inGraph: shared?.inGraph === true };
  }

  /** Without what the worktree acknowledged for itself. */
  ofGraph(path: string): BaselineRow | null {
    const row = this.#db.get<{ analysed_oid: string | null; content_hash: string | null; in_graph: number }>(
      "SELECT analysed_oid, content_hash, in_graph FROM baseline WHERE scope = ? AND path = ?",
      this.scope,
      pathKey(path),
    );
    return row === undefined
      ? null
      : { oid: row.analysed_oid, contentHash: row.content_hash, inGraph: row.in_graph === 1 };
  }

  /** Whether the knowledge describes this content (null: none). Content in the graph needs no acknowledgement. */
  describes(path: string, oid: string | null): boolean {
    return isAsAnalysed(this.get(path), oid) || isAsAnalysed(this.ofGraph(path), oid);
  }

  isInGraph(path: string): boolean {
    return this.get(path)?.inGraph === true;
  }

  /** Whether an analysis was delivered for exactly this content. */
  isKnown(path: string, oid: string): boolean {
    return isKnown(this.#db, path, oid);
  }

  knownOids(path: string): string[] {
    return knownOids(this.#db, path);
  }

  /** A deleted path that had exactly this content when it was analysed. */
  formerPath(path: string, oid: string): string | null {
    const former = knownPaths(this.#db, oid).filter((other) => other !== path && this.get(other) === null);
    const name = (one: string) => one.slice(one.lastIndexOf("/") + 1);
    return former.find((other) => name(other) === name(path)) ?? former[0] ?? null;
  }

  allOids(): Map<string, string | null> {
    const oids = new Map<string, string | null>();
    for (const row of this.#db.all<{ path: string; analysed_oid: string | null }>(
      "SELECT path, analysed_oid FROM baseline WHERE scope = ?",
      this.scope,
    )) {
      oids.set(keyPath(row.path), row.analysed_oid);
    }
    for (const row of this.#db.all<{ path: string; analysed_oid: string | null }>(
      "SELECT path, analysed_oid FROM view_baseline WHERE view = ?",
      this.view,
    )) {
      if (row.analysed_oid === null) oids.delete(keyPath(row.path));
      else oids.set(keyPath(row.path), row.analysed_oid);
    }
    return oids;
  }

  /** Whether the knowledge covers any file of a top-level directory, except those in `except`. */
  hasDirectory(directory: string, except: ReadonlySet<string>): boolean {
    // "/" is 0x2f and "0" is 0x30: everything that starts with "<directory>/" sorts between the two. A path with
    // unusual characters is stored as JSON (pathKey), so a directory can have entries of both kinds.
    const plain = pathKey(directory) === directory ? directory : null;
    const quoted = JSON.stringify(directory).slice(0, -1);
    const rows = [plain, quoted].flatMap((prefix) =>
      prefix === null
        ? []
        : this.#db.all<{ path: string }>(
            "SELECT path FROM baseline WHERE scope = ? AND path >= ? AND path < ? LIMIT ?",
            this.scope,
            `${prefix}/`,
            `${prefix}0`,
            except.size + 1,
          ),
    );
    return rows.some((row) => !except.has(keyPath(row.path)));
  }

  readonly imports = {
    importersOf: (path: string): string[] => this.importersOf(path),
    contentOf: (path: string): string | null => this.get(path)?.oid ?? null,
  };

  importersOf(path: string): string[] {
    const rows = this.#db.all<{ importer: string }>(
      "SELECT importer FROM imports WHERE scope = ? AND imported = ? ORDER BY importer",
      this.scope,
      pathKey(path),
    );
    return rows.map((row) => keyPath(row.importer));
  }

  /** All imports, for reports. */
  allImports(): [importer: string, imported: string][] {
    const sql = "SELECT importer, imported FROM imports WHERE scope = ? ORDER BY imported, importer";
    const rows = this.#db.all<{ importer: string; imported: string }>(sql, this.scope);
    return rows.map((row) => [keyPath(row.importer), keyPath(row.imported)]);
  }
}

/** A path that was never in git and is not in HEAD (a graph may name such paths) is not deleted. */
function isAsAnalysed(analysed: BaselineRow | null, oid: string | null): boolean {
  if (analysed === null) return oid === null;
  return analysed.oid === oid && (oid !== null || analysed.contentHash === null);
}

export interface NewBaseline {
  scope: string;
  rows: Iterable<[path: string, row: BaselineRow]>;
  graphFiles: number;
}

/** Replaces the whole baseline of a scope. */
export function saveBaseline(db: Db, { scope, rows, graphFiles }: NewBaseline): void {
  db.write(() => {
    const apart = analysedApart(db, scope);
    db.run("DELETE FROM baseline WHERE scope = ?", scope);
    const insertRow = "INSERT INTO baseline(scope, path, analysed_oid, content_hash, in_graph) VALUES(?, ?, ?, ?, ?)";
    for (const [path, row] of rows) {
      db.run(insertRow, scope, pathKey(path), row.oid, row.contentHash, row.inGraph ? 1 : 0);
    }
    writeSetting(db, SETTINGS.graphFiles, graphFiles, scope);
    dropAnalysedApart(db, scope, apart);
  });
}

/** Sets the blobs of entries that were known by their hash only, so that verdicts can be graded. */
export function recogniseBlobs(db: Db, scope: string, blobs: ReadonlyMap<string, string>): void {
  const sql = "UPDATE baseline SET analysed_oid = ? WHERE scope = ? AND path = ? AND analysed_oid IS NULL";
  for (const [path, oid] of blobs) db.run(sql, oid, scope, pathKey(path));
}

/** Every path that a scope's graph describes. */
export function sharedRows(db: Db, scope: string): Map<string, BaselineRow> {
  const rows = db.all<{ path: string; analysed_oid: string | null; content_hash: string | null; in_graph: number }>(
    "SELECT path, analysed_oid, content_hash, in_graph FROM baseline WHERE scope = ?",
    scope,
  );
  return new Map(
    rows.map((row) => [
      keyPath(row.path),
      { oid: row.analysed_oid, contentHash: row.content_hash, inGraph: row.in_graph === 1 },
    ]),
  );
}

/** Identifies a state of the knowledge: two graphs with one digest describe the same contents. */
export function digestOf(rows: ReadonlyMap<string, Pick<BaselineRow, "oid" | "contentHash">>, configs: string): string {
  const lines = [...rows].map(([path, { oid, contentHash }]) => JSON.stringify([path, oid ?? contentHash]));
  return process
    .getBuiltinModule("node:crypto")
    .createHash("sha256")
    .update(lines.sort().join("\n"))
    .update(`\n${configs}`)
    .digest("hex");
}

/**
 * The graph now describes other content at some paths (null: removed). Worktrees that had the previously described
 * content, and so no row of their own, now differ.
 */
export function moveBaseline(db: Db, scope: string, changes: ReadonlyMap<string, BaselineRow | null>): void {
  const worktrees = db.all<{ id: string }>("SELECT id FROM views WHERE scope = ?", scope);
  const read = "SELECT analysed_oid AS oid, content_hash AS hash FROM baseline WHERE scope = ? AND path = ?";
  for (const [path, row] of changes) {
    const key = pathKey(path);
    const before = db.get<{ oid: string | null; hash: string | null }>(read, scope, key);
    if (before !== undefined && before.oid === null) db.run("UPDATE views SET rules = NULL WHERE scope = ?", scope);
    for (const { id } of worktrees) {
      db.run(
        `INSERT OR IGNORE INTO drift(view, path, oid, analysed_oid, extractor, drift, change_level, details)
         VALUES(?, ?, ?, NULL, '', 'none', 'NONE', '[]')`,
        ...[id, key, before?.oid ?? null],
      );
    }
    db.run("DELETE FROM baseline WHERE scope = ? AND path = ?", scope, key);
    if (row === null) continue;
    db.run(
      "INSERT INTO baseline(scope, path, analysed_oid, content_hash, in_graph) VALUES(?, ?, ?, ?, ?)",
      ...[scope, key, row.oid, row.contentHash, row.inGraph ? 1 : 0],
    );
  }
}
