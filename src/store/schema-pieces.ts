/**
 * The graph of a scope: its head (all but nodes and edges), and one piece per file (graph/pieces.ts), as text in the form of the file,
 * deflated. knowledge-graph.json is a copy of these, in the order of paths, and so is fingerprints.json of its entries. source: what made the
 * piece. used_names: which names a content uses, and what it imports (knowledge/name-index.ts). links: which file has an edge to which other. node_paths: the file of a node whose id does not tell it; '' where it has none.
 */
export const PIECES_TABLES = `
  DROP TABLE snapshots;
  DROP TABLE imports;
  CREATE TABLE heads (scope TEXT PRIMARY KEY, version INTEGER NOT NULL, data BLOB NOT NULL);
  CREATE TABLE pieces (
    scope TEXT NOT NULL, path TEXT NOT NULL, source TEXT NOT NULL, nodes BLOB NOT NULL, edges BLOB NOT NULL,
    PRIMARY KEY (scope, path)
  );
  CREATE TABLE links (
    scope TEXT NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL, imports INTEGER NOT NULL,
    PRIMARY KEY (scope, source, target)
  ) WITHOUT ROWID;
  CREATE INDEX links_by_target ON links(scope, target);
  CREATE VIEW imports AS SELECT scope, source AS importer, target AS imported FROM links WHERE imports = 1;
  CREATE TABLE node_paths (
    scope TEXT NOT NULL, id TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY (scope, id)
  ) WITHOUT ROWID;
  CREATE INDEX node_paths_by_path ON node_paths(scope, path);
  CREATE TABLE fingerprint_entries (scope TEXT NOT NULL, path TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (scope, path));
  CREATE TABLE used_names (oid TEXT PRIMARY KEY, identifiers BLOB NOT NULL, imports TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX baseline_by_oid ON baseline(analysed_oid);
`;
