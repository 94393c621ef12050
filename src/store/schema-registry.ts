/**
 * The file registry. What depends only on a path or a blob is stored by content and shared by all worktrees (invariant
 * "keyed by content"); per worktree only the blob of each path at the verified commit, and that commit.
 */
export const REGISTRY_TABLES = `
  -- The rows of a worktree are exactly the tree of last_verified_sha, written in one transaction; null if
  -- rows exist for some files only. asked_sha: HEAD when verdicts were last reported; the next ones are reported
  -- against it. Hooks update the rows, not this. upstream_sha: the upstream commit at the last verification behind it.
  CREATE TABLE registry_views (
    view TEXT PRIMARY KEY, last_verified_sha TEXT, asked_sha TEXT, upstream_sha TEXT, verified_at TEXT,
    generation INTEGER NOT NULL
  );

  -- Committed content only: uncommitted changes are added at each read and never stored. Language, md5, fingerprint
  -- and summary follow from path and content_oid.
  CREATE TABLE file_registry (
    view TEXT NOT NULL, path TEXT NOT NULL, content_oid TEXT NOT NULL, type TEXT NOT NULL, size_bytes INTEGER,
    PRIMARY KEY (view, path)
  );

  -- Summaries of a file's content. They stay when a file is removed, and apply again when the content returns.
  CREATE TABLE summaries (
    path TEXT NOT NULL, content_oid TEXT NOT NULL, summary TEXT NOT NULL, updated_at TEXT NOT NULL,
    PRIMARY KEY (path, content_oid)
  );

  -- The drift from one content to another, for one extractor.
  CREATE TABLE summary_drift (
    from_oid TEXT NOT NULL, to_oid TEXT NOT NULL, extractor TEXT NOT NULL, drift TEXT NOT NULL, details TEXT NOT NULL,
    PRIMARY KEY (from_oid, to_oid, extractor)
  );

  CREATE TABLE content_md5 (oid TEXT PRIMARY KEY, md5 TEXT NOT NULL);

  -- Conversations that have asked: within one the registry is trusted as long as HEAD does not move.
  CREATE TABLE registry_runs (view TEXT NOT NULL, id TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (view, id));
`;
