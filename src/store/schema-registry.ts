/**
 * The file registry. What follows from a path or a blob alone is kept by content and shared by all views
 * (invariant "keyed by content"); per view there is only which blob each path had at the verified commit, and that commit.
 */
export const REGISTRY_TABLES = `
  -- What the rows of a view describe: exactly the tree of last_verified_sha, both written in one transaction; null where
  -- rows exist for some files only. asked_sha: HEAD when verdicts were last told, which is what the next are told
  -- against; hooks move the rows, not this. upstream_sha: the upstream commit that the view was last verified behind of.
  CREATE TABLE registry_views (
    view TEXT PRIMARY KEY, last_verified_sha TEXT, asked_sha TEXT, upstream_sha TEXT, verified_at TEXT,
    generation INTEGER NOT NULL
  );

  -- Committed content only: what is uncommitted is laid over at each read and never stored. Language, md5, fingerprint
  -- and summary follow from path and content_oid.
  CREATE TABLE file_registry (
    view TEXT NOT NULL, path TEXT NOT NULL, content_oid TEXT NOT NULL, type TEXT NOT NULL, size_bytes INTEGER,
    PRIMARY KEY (view, path)
  );

  -- What somebody wrote about a file's content. A row that goes leaves its summary: it returns with the content.
  CREATE TABLE summaries (
    path TEXT NOT NULL, content_oid TEXT NOT NULL, summary TEXT NOT NULL, updated_at TEXT NOT NULL,
    PRIMARY KEY (path, content_oid)
  );

  -- How far one content is from another, as one extractor sees it.
  CREATE TABLE summary_drift (
    from_oid TEXT NOT NULL, to_oid TEXT NOT NULL, extractor TEXT NOT NULL, drift TEXT NOT NULL, details TEXT NOT NULL,
    PRIMARY KEY (from_oid, to_oid, extractor)
  );

  CREATE TABLE content_md5 (oid TEXT PRIMARY KEY, md5 TEXT NOT NULL);

  -- Conversations that have asked: inside one the registry is trusted as long as HEAD stands.
  CREATE TABLE registry_runs (view TEXT NOT NULL, id TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (view, id));
`;
