/**
 * What an agent or a person wrote about a symbol, a file or another node, by the content that it describes (invariant "nothing written is
 * lost"). One row per key and text; several texts may stand for one key (knowledge/choose.ts). type, path, name and hash are the
 * key (knowledge/description-keys.ts); bare_hash, signature and behaviour tell how far other content is from it, after the blob is gone.
 * data: the text's fields as JSON. source: who brought it. language: its output language.
 */
export const DESCRIPTIONS_TABLE = `
  CREATE TABLE descriptions (
    id INTEGER PRIMARY KEY, type TEXT NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL, hash TEXT NOT NULL,
    bare_hash TEXT, signature TEXT, behaviour TEXT, oid TEXT NOT NULL, language TEXT,
    data TEXT NOT NULL, text_hash TEXT NOT NULL,
    source TEXT NOT NULL, author TEXT, at TEXT NOT NULL, commit_oid TEXT
  );
  CREATE UNIQUE INDEX descriptions_by_key ON descriptions(path, type, name, hash, text_hash);
  CREATE INDEX descriptions_by_hash ON descriptions(hash);
  CREATE INDEX descriptions_by_oid ON descriptions(oid);
`;

/** A symbol that was moved and renamed has the text of its former name, by its body. */
export const DESCRIPTIONS_BY_BODY = `
  CREATE INDEX descriptions_by_body ON descriptions(bare_hash) WHERE source != 'shared' AND bare_hash IS NOT NULL;
`;
