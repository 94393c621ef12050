/**
 * What documents cite (citations/): caches that can be deleted at any moment. document_blames: who wrote lines of a document's blob, as of the
 * commit `at`. declared_names: the names of a content (citations/names.ts). document_index: the commit whose documents were judged last in a worktree;
 * document_findings: each document of it; cited_targets: which of them name a path (`p:src/a.ts`) or a symbol (`n:createServer`), there or not.
 */
export const CITATION_TABLES = `
  CREATE TABLE document_blames (
    path TEXT NOT NULL, blob TEXT NOT NULL, at TEXT NOT NULL, lines TEXT NOT NULL, PRIMARY KEY (path, blob)
  );
  CREATE TABLE declared_names (
    oid TEXT NOT NULL, extractor TEXT NOT NULL, names TEXT NOT NULL, PRIMARY KEY (oid, extractor)
  ) WITHOUT ROWID;
  CREATE TABLE document_index (view TEXT PRIMARY KEY, head TEXT NOT NULL, rules TEXT NOT NULL);
  CREATE TABLE document_findings (
    view TEXT NOT NULL, path TEXT NOT NULL, found TEXT NOT NULL, PRIMARY KEY (view, path)
  );
  CREATE TABLE cited_targets (
    view TEXT NOT NULL, target TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY (view, target, path)
  ) WITHOUT ROWID;
  CREATE INDEX cited_targets_by_path ON cited_targets(view, path);
`;
