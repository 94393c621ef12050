/**
 * Anchored records (src/records/). Records are stored; whether they are still valid is computed for a worktree when
 * they are read. Tables with a `view` column store the last verdict in that worktree, for the history, and caches: all
 * of their rows, except signals, could be deleted without changing an answer.
 */
export const RECORDS_SCHEMA = `
  -- normal: the statement as compared for duplicates. created_at_commit: null if the record has no anchor.
  -- source_key: the id of the ingesting system, by which its next ingest finds the record.
  CREATE TABLE records (
    id TEXT PRIMARY KEY, type TEXT NOT NULL, statement TEXT NOT NULL, normal TEXT NOT NULL, status TEXT NOT NULL,
    confidence REAL NOT NULL, origin TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    created_at_commit TEXT, approved_by TEXT, approved_at TEXT, source_key TEXT
  );
  CREATE INDEX records_by_normal ON records(normal);
  CREATE INDEX records_by_status ON records(status);
  CREATE INDEX records_by_commit ON records(created_at_commit);
  CREATE INDEX records_by_source ON records(source_key) WHERE source_key IS NOT NULL;

  -- kind: path, symbol (of the file at path) or directory (path without the slash, '' is the root).
  -- fingerprint: blob:<oid>, symbol:<hash> or tree:<oid>; blob: the file's content when the record was written, for
  -- renames and grades; extractor: which one hashed the symbol.
  CREATE TABLE record_subjects (
    record TEXT NOT NULL REFERENCES records(id) ON DELETE CASCADE, position INTEGER NOT NULL,
    kind TEXT NOT NULL, path TEXT NOT NULL, symbol TEXT NOT NULL DEFAULT '',
    fingerprint TEXT, blob TEXT, extractor TEXT,
    PRIMARY KEY (record, position)
  );
  CREATE INDEX record_subjects_by_path ON record_subjects(path);
  CREATE INDEX record_subjects_by_blob ON record_subjects(blob) WHERE blob IS NOT NULL;

  CREATE TABLE record_evidence (
    record TEXT NOT NULL REFERENCES records(id) ON DELETE CASCADE, position INTEGER NOT NULL,
    kind TEXT NOT NULL, ref TEXT NOT NULL, locator TEXT, quote TEXT, digest TEXT,
    PRIMARY KEY (record, position)
  );

  CREATE TABLE record_links (
    record TEXT NOT NULL REFERENCES records(id) ON DELETE CASCADE, type TEXT NOT NULL, target TEXT NOT NULL,
    PRIMARY KEY (record, type, target)
  );

  -- The earlier versions of a record.
  CREATE TABLE record_revisions (
    record TEXT NOT NULL REFERENCES records(id) ON DELETE CASCADE, revision INTEGER NOT NULL,
    at TEXT NOT NULL, by TEXT NOT NULL, before TEXT NOT NULL,
    PRIMARY KEY (record, revision)
  );

  -- The history: changes of a record, and its verdicts by worktree.
  CREATE TABLE record_events (
    id INTEGER PRIMARY KEY, record TEXT NOT NULL REFERENCES records(id) ON DELETE CASCADE, at TEXT NOT NULL,
    view TEXT, head TEXT, event TEXT NOT NULL, was TEXT, became TEXT, reason TEXT, detail TEXT
  );
  CREATE INDEX record_events_by_record ON record_events(record);

  -- Signals against a record from a refresh or an accepted task. head: the commit at that time.
  CREATE TABLE record_signals (
    record TEXT NOT NULL REFERENCES records(id) ON DELETE CASCADE, view TEXT NOT NULL, reason TEXT NOT NULL,
    at TEXT NOT NULL, head TEXT, detail TEXT,
    PRIMARY KEY (record, view, reason)
  );

  -- The last verdict in a worktree; sparse: no row means active.
  CREATE TABLE record_seen (
    view TEXT NOT NULL, record TEXT NOT NULL REFERENCES records(id) ON DELETE CASCADE,
    status TEXT NOT NULL, reason TEXT, grade TEXT,
    PRIMARY KEY (view, record)
  );

  -- The new path of a renamed subject in a worktree, so that a query by the new name finds the record.
  CREATE TABLE record_moves (
    view TEXT NOT NULL, record TEXT NOT NULL REFERENCES records(id) ON DELETE CASCADE, position INTEGER NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (view, record, position)
  );
  CREATE INDEX record_moves_by_path ON record_moves(view, path);

  -- The oid of a work tree file with this stamp: like git's index, but for subjects only.
  CREATE TABLE record_files (
    view TEXT NOT NULL, path TEXT NOT NULL, stamp TEXT NOT NULL, oid TEXT NOT NULL,
    PRIMARY KEY (view, path)
  );

  -- The commit at which a hook last verified the records of a worktree.
  CREATE TABLE record_views (view TEXT PRIMARY KEY, head TEXT NOT NULL);
`;
