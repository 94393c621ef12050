import { RECORDS_SCHEMA } from "./schema-records.js";
import { REGISTRY_TABLES } from "./schema-registry.js";
import { SETTINGS_VERSIONS } from "./schema-settings.js";

/**
 * The state database's first tables.
 *
 * Facts are keyed by content and shared by all worktrees (invariant "keyed by content"); verdicts by view (invariant "verdicts belong to a worktree"). `scope` is whose graph a
 * row speaks of: `.`, or the id of a worktree that keeps its data to itself.
 */
const CORE_TABLES = `
  CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL);

  -- What a blob looks like to one extractor. Path-independent: a renamed file is the same fact.
  CREATE TABLE fingerprints (
    oid TEXT NOT NULL, extractor TEXT NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (oid, extractor)
  );

  -- The blob that the knowledge describes, per path. content_hash stands alone where the blob is not known
  -- (another tool's entry without an oid). in_graph: the path has nodes, so it counts even without a grammar.
  CREATE TABLE baseline (
    scope TEXT NOT NULL, path TEXT NOT NULL, analysed_oid TEXT, content_hash TEXT, in_graph INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (scope, path)
  );

  -- What one linked view acknowledged for itself; it overrides the baseline there and nowhere else.
  CREATE TABLE view_baseline (
    view TEXT NOT NULL, path TEXT NOT NULL, analysed_oid TEXT,
    PRIMARY KEY (view, path)
  );

  -- Everything that was ever delivered for a file's content: paid for once, known for ever. data: a FileAnalysis
  -- (graph/analyses.ts). An oid of '' is a tombstone: that the path is absent is known as well.
  CREATE TABLE analyses (
    path TEXT NOT NULL, oid TEXT NOT NULL, data TEXT NOT NULL, source TEXT NOT NULL, delivered_at TEXT NOT NULL,
    PRIMARY KEY (path, oid)
  );
  CREATE INDEX analyses_by_oid ON analyses(oid) WHERE oid != '';

  -- Whole graphs as they were written, deflated, by the set of (path, analysed blob) that they describe: a state that
  -- comes back comes back byte for byte, and a graph that was deleted is here.
  CREATE TABLE snapshots (
    scope TEXT NOT NULL, digest TEXT NOT NULL, data BLOB NOT NULL, size INTEGER NOT NULL, at TEXT NOT NULL,
    PRIMARY KEY (scope, digest)
  );

  -- Who imports whom in the analysed state, for the dependents of an interface change.
  CREATE TABLE imports (
    scope TEXT NOT NULL, importer TEXT NOT NULL, imported TEXT NOT NULL,
    PRIMARY KEY (scope, importer, imported)
  );
  CREATE INDEX imports_by_imported ON imports(scope, imported);

  -- One worktree. verified_sha: the commit whose tree was judged last. base_sha: the last one with nothing pending.
  -- rules: hash of extractor, ignore files and config; another value means that every path is a candidate again.
  CREATE TABLE views (
    id TEXT PRIMARY KEY, token TEXT NOT NULL, scope TEXT NOT NULL, path TEXT NOT NULL,
    verified_sha TEXT, base_sha TEXT, rules TEXT, verified_at TEXT
  );

  -- The paths of a view whose verified blob is not the analysed one, with the verdict. Sparse: all others are equal.
  CREATE TABLE drift (
    view TEXT NOT NULL, path TEXT NOT NULL, oid TEXT, analysed_oid TEXT, extractor TEXT NOT NULL,
    drift TEXT NOT NULL, change_level TEXT NOT NULL, details TEXT NOT NULL,
    PRIMARY KEY (view, path)
  );

  -- The life of each view's marker; its content is computed, and kept here only to see when it changes.
  CREATE TABLE markers (
    view TEXT PRIMARY KEY, generation INTEGER NOT NULL, state TEXT NOT NULL, content TEXT,
    events TEXT NOT NULL, created_at TEXT, updated_at TEXT,
    lease_id TEXT, lease_holder TEXT, lease_expires_at TEXT, lease_generation INTEGER, last_lease TEXT,
    attempts INTEGER NOT NULL DEFAULT 0, last_error TEXT
  );

  -- What each generation listed, so that an ack of an old one covers just that.
  CREATE TABLE generations (
    view TEXT NOT NULL, generation INTEGER NOT NULL, paths TEXT NOT NULL,
    PRIMARY KEY (view, generation)
  );

  -- post-rewrite's pairs, for those who hold on to a commit.
  CREATE TABLE rewrites (old TEXT NOT NULL UNIQUE, new TEXT NOT NULL, at TEXT NOT NULL);

  -- Failed tries at the same content.
  CREATE TABLE attempts (
    view TEXT NOT NULL, path TEXT NOT NULL, oid TEXT NOT NULL, count INTEGER NOT NULL, last_error TEXT,
    PRIMARY KEY (view, path, oid)
  );
`;

/**
 * One migration per element; never edit one that was released, add another. A list, not one text: made of parts, it
 * would be carried into every program that only looks at a proof.
 */
export const MIGRATIONS: readonly (readonly string[])[] = [
  [CORE_TABLES, REGISTRY_TABLES, RECORDS_SCHEMA],
  [SETTINGS_VERSIONS],
];
