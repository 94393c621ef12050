/**
 * Descriptions through git refs (src/sharing/).
 *
 * sharing_tips: how far each author's ref was taken in. sharing_segments: the files of descriptions that were read, by blob.
 * sharing_sent: the descriptions of this clone that are in its own ref. sharing_unshown: paths with descriptions that came, and that
 * the graph does not show yet.
 */
export const SHARING_TABLES = `
  CREATE TABLE sharing_tips (
    remote TEXT NOT NULL, author TEXT NOT NULL, tip TEXT NOT NULL, PRIMARY KEY (remote, author)
  );
  CREATE TABLE sharing_segments (author TEXT NOT NULL, oid TEXT NOT NULL, PRIMARY KEY (author, oid)) WITHOUT ROWID;
  CREATE TABLE sharing_sent (description INTEGER PRIMARY KEY REFERENCES descriptions(id) ON DELETE CASCADE);
  CREATE TABLE sharing_unshown (path TEXT PRIMARY KEY);
  CREATE INDEX descriptions_shared ON descriptions(author) WHERE source = 'shared';
`;

/**
 * With many descriptions of others: no statement looks for a blob, and an index that each of them changes is expensive; what this clone
 * described itself is found without reading the others.
 */
export const SHARED_INDEXES = `
  DROP INDEX descriptions_by_oid;
  CREATE INDEX descriptions_own ON descriptions(id) WHERE source = 'here';
`;
