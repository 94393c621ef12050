/**
 * Since when a content is needed by nothing: no branch, worktree, index or stash of git leads to it, and nothing that is stored refers to it.
 * A row is removed when the content is needed again. What is stored about a content is removed after the whole grace period
 * (knowledge/prune.ts).
 */
export const UNREACHABLE_CONTENTS = `
  CREATE TABLE unreachable (oid TEXT PRIMARY KEY, since TEXT NOT NULL);
`;
