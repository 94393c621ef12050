/**
 * What git cannot tell: statements and slices. Rows are added and never changed, so that two writers never have to agree.
 *
 * statements: one row about one symbol at one content, or about one whole content (type `content`, hash = the blob). `type` is our kind
 * of symbol (knowledge/statements.ts), never a document's node type. An empty hash means absent. A row without a text is an answer: at
 * this content nothing more is needed. bare_hash, signature, behaviour and lines tell how far another content is after the blob is gone;
 * tokens and shape do the same for a whole content. words: for each content word of the text whether the symbol's tokens had it.
 *
 * batches: the operation that added rows. document_oid: the blob of the document that they came in; such rows count while HEAD has it, or
 * a later one. voids: a batch that does not count any more (`ack --undo`).
 *
 * slices: what another tool or an agent put into a document and our extractor does not compute, by document, key and the content that
 * it was put there for. data is deflated; null takes the slice back.
 *
 * renames: what is stated of from_path counts for to_path while HEAD has to_path and not from_path.
 *
 * documents: per document the hashes of the last bytes that we announced, the stamp of the file that we know, what its content was made
 * from and should be made from, and how long the last write took. imported_documents:
 * blobs of documents whose content is stored already.
 */
export const STATEMENTS_TABLES = `
  CREATE TABLE batches (
    id INTEGER PRIMARY KEY, scope TEXT NOT NULL, command TEXT NOT NULL, view TEXT NOT NULL, commit_oid TEXT, at TEXT NOT NULL,
    source TEXT NOT NULL, document_oid TEXT, document_at TEXT, voids INTEGER
  );
  CREATE INDEX batches_by_command ON batches(view, command);

  CREATE TABLE statements (
    id INTEGER PRIMARY KEY, batch INTEGER NOT NULL REFERENCES batches(id), scope TEXT NOT NULL,
    path TEXT NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL, hash TEXT NOT NULL, blob TEXT,
    bare_hash TEXT, signature TEXT, behaviour TEXT, lines INTEGER, tokens TEXT, shape TEXT,
    text TEXT, text_hash TEXT, words TEXT,
    source TEXT NOT NULL, author TEXT, at TEXT NOT NULL, language TEXT
  );
  CREATE INDEX statements_by_place ON statements(path, type, name);
  CREATE INDEX statements_by_hash ON statements(hash) WHERE hash != '';
  CREATE INDEX statements_by_body ON statements(bare_hash) WHERE bare_hash IS NOT NULL;
  CREATE INDEX statements_with_text ON statements(path) WHERE text IS NOT NULL;
  CREATE INDEX statements_by_batch ON statements(batch);

  CREATE TABLE slices (
    id INTEGER PRIMARY KEY, batch INTEGER NOT NULL REFERENCES batches(id), scope TEXT NOT NULL,
    document TEXT NOT NULL, key TEXT NOT NULL, blob TEXT NOT NULL, data BLOB, hash TEXT NOT NULL, source TEXT NOT NULL, at TEXT NOT NULL
  );
  CREATE INDEX slices_by_key ON slices(scope, document, key);

  CREATE TABLE renames (
    from_path TEXT NOT NULL, to_path TEXT NOT NULL, similarity INTEGER NOT NULL, PRIMARY KEY (from_path, to_path)
  ) WITHOUT ROWID;
  CREATE INDEX renames_by_target ON renames(to_path);

  CREATE TABLE documents (
    scope TEXT NOT NULL, name TEXT NOT NULL, announced TEXT NOT NULL, stamp TEXT, content TEXT, wanted TEXT, written_at TEXT, took_ms INTEGER,
    PRIMARY KEY (scope, name)
  );
  CREATE TABLE imported_documents (scope TEXT NOT NULL, oid TEXT NOT NULL, PRIMARY KEY (scope, oid)) WITHOUT ROWID;

  -- The last commit that the renames of a worktree were followed to.
  ALTER TABLE views ADD COLUMN followed_sha TEXT;
`;

/**
 * Caches: they can be deleted at any moment, together with the tables of facts, pieces, links and drift.
 *
 * compared: the commit and rules that a worktree's rows in drift are about, and the tracked documents that HEAD had then. candidates:
 * paths that have to be compared again (owner: a worktree, or `graph:<scope>` for the pieces). graph_pieces: what the graph has of each
 * file at HEAD; shown: the nodes as they stand in the file, where those differ. graph_state: what the pieces were computed from.
 * symbol_hashes: which contents have a symbol with a hash, or with a body.
 */
export const STATEMENT_CACHES = `
  CREATE TABLE compared (
    view TEXT PRIMARY KEY, commit_oid TEXT NOT NULL, rules TEXT NOT NULL, documents TEXT NOT NULL, files INTEGER NOT NULL
  );
  CREATE TABLE candidates (owner TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY (owner, path)) WITHOUT ROWID;
  CREATE TABLE graph_pieces (
    scope TEXT NOT NULL, path TEXT NOT NULL, blob TEXT, nodes BLOB NOT NULL, edges BLOB NOT NULL, shown BLOB,
    entry_blob TEXT, newest INTEGER, PRIMARY KEY (scope, path)
  );
  CREATE INDEX graph_pieces_by_blob ON graph_pieces(blob);
  CREATE TABLE graph_state (
    scope TEXT PRIMARY KEY, commit_oid TEXT NOT NULL, data TEXT NOT NULL, version INTEGER NOT NULL, entries INTEGER NOT NULL
  );
  CREATE TABLE symbol_hashes (hash INTEGER NOT NULL, blob TEXT NOT NULL, PRIMARY KEY (hash, blob)) WITHOUT ROWID;
`;
