import { CITATION_TABLES } from "./schema-citations.js";
import { DESCRIPTIONS_BY_BODY, DESCRIPTIONS_TABLE } from "./schema-descriptions.js";
import { PIECES_TABLES } from "./schema-pieces.js";
import { UNREACHABLE_CONTENTS } from "./schema-reach.js";
import { RECORDS_SCHEMA } from "./schema-records.js";
import { REGISTRY_TABLES } from "./schema-registry.js";
import { SETTINGS_VERSIONS } from "./schema-settings.js";
import { SHARED_INDEXES, SHARING_TABLES } from "./schema-sharing.js";
import { STATEMENT_CACHES, STATEMENTS_TABLES } from "./schema-statements.js";
import { PARTLY_ANALYSED, SYMBOL_BASELINE } from "./schema-symbols.js";

/**
 * The first tables of the state database.
 *
 * Facts are keyed by content and shared by all worktrees (invariant "keyed by content"); verdicts by worktree
 * (invariant "verdicts belong to a worktree"). `scope` is the graph that a row belongs to: `.`, or the id of a worktree
 * with its own data.
 */
const CORE_TABLES = `
  CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL);

  -- The fingerprint of a blob by one extractor. Independent of the path: a renamed file has the same row.
  CREATE TABLE fingerprints (
    oid TEXT NOT NULL, extractor TEXT NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (oid, extractor)
  );

  -- The blob that the knowledge describes, per path. Only content_hash is set if the blob is unknown
  -- (another tool's entry without an oid). in_graph: the path has nodes, so it counts even without a grammar.
  CREATE TABLE baseline (
    scope TEXT NOT NULL, path TEXT NOT NULL, analysed_oid TEXT, content_hash TEXT, in_graph INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (scope, path)
  );

  -- What one linked worktree acknowledged; it overrides the baseline in that worktree only.
  CREATE TABLE view_baseline (
    view TEXT NOT NULL, path TEXT NOT NULL, analysed_oid TEXT,
    PRIMARY KEY (view, path)
  );

  -- Every analysis that was delivered for a file's content. data: a FileAnalysis
  -- (graph/analyses.ts). An oid of '' is a tombstone: the absence of the path is stored as well.
  CREATE TABLE analyses (
    path TEXT NOT NULL, oid TEXT NOT NULL, data TEXT NOT NULL, source TEXT NOT NULL, delivered_at TEXT NOT NULL,
    PRIMARY KEY (path, oid)
  );
  CREATE INDEX analyses_by_oid ON analyses(oid) WHERE oid != '';

  -- Whole graphs as they were written, compressed, by the set of (path, analysed blob) that they describe: an earlier
  -- state is restored byte for byte, and so is a deleted graph.
  CREATE TABLE snapshots (
    scope TEXT NOT NULL, digest TEXT NOT NULL, data BLOB NOT NULL, size INTEGER NOT NULL, at TEXT NOT NULL,
    PRIMARY KEY (scope, digest)
  );

  -- The imports in the analysed state, to find the dependents of an interface change.
  CREATE TABLE imports (
    scope TEXT NOT NULL, importer TEXT NOT NULL, imported TEXT NOT NULL,
    PRIMARY KEY (scope, importer, imported)
  );
  CREATE INDEX imports_by_imported ON imports(scope, imported);

  -- One worktree. verified_sha: the commit that was verified last. base_sha: the last one with nothing pending.
  -- rules: hash of extractor, ignore files and config; with another value every path is compared again.
  CREATE TABLE views (
    id TEXT PRIMARY KEY, token TEXT NOT NULL, scope TEXT NOT NULL, path TEXT NOT NULL,
    verified_sha TEXT, base_sha TEXT, rules TEXT, verified_at TEXT
  );

  -- The paths of a worktree whose verified blob is not the analysed one, with the verdict. Sparse: all others are equal.
  CREATE TABLE drift (
    view TEXT NOT NULL, path TEXT NOT NULL, oid TEXT, analysed_oid TEXT, extractor TEXT NOT NULL,
    drift TEXT NOT NULL, change_level TEXT NOT NULL, details TEXT NOT NULL,
    PRIMARY KEY (view, path)
  );

  -- State and lease of each worktree's marker; its content is computed, and stored here only to detect changes.
  CREATE TABLE markers (
    view TEXT PRIMARY KEY, generation INTEGER NOT NULL, state TEXT NOT NULL, content TEXT,
    events TEXT NOT NULL, created_at TEXT, updated_at TEXT,
    lease_id TEXT, lease_holder TEXT, lease_expires_at TEXT, lease_generation INTEGER, last_lease TEXT,
    attempts INTEGER NOT NULL DEFAULT 0, last_error TEXT
  );

  -- The paths of each generation, so that an ack of an old one covers only those.
  CREATE TABLE generations (
    view TEXT NOT NULL, generation INTEGER NOT NULL, paths TEXT NOT NULL,
    PRIMARY KEY (view, generation)
  );

  -- post-rewrite's pairs, to update stored commits.
  CREATE TABLE rewrites (old TEXT NOT NULL UNIQUE, new TEXT NOT NULL, at TEXT NOT NULL);

  -- Failed attempts for the same content.
  CREATE TABLE attempts (
    view TEXT NOT NULL, path TEXT NOT NULL, oid TEXT NOT NULL, count INTEGER NOT NULL, last_error TEXT,
    PRIMARY KEY (view, path, oid)
  );
`;

/**
 * One migration per element; never edit a released one, add another. A list, not one concatenated text: that would be
 * bundled into every program that only checks a stamp.
 */
export const MIGRATIONS: readonly (readonly string[])[] = [
  [CORE_TABLES, REGISTRY_TABLES, RECORDS_SCHEMA],
  [SETTINGS_VERSIONS],
  [DESCRIPTIONS_TABLE],
  [UNREACHABLE_CONTENTS],
  [PIECES_TABLES],
  [SYMBOL_BASELINE],
  [SHARING_TABLES],
  [SHARED_INDEXES],
  [PARTLY_ANALYSED],
  [DESCRIPTIONS_BY_BODY],
  [STATEMENTS_TABLES, STATEMENT_CACHES],
  [CITATION_TABLES],
  ...(LATER_MIGRATIONS ?? []),
];
