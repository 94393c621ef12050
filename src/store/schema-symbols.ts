/**
 * Symbols whose analysed content is not the one that they have in the analysed blob of their file: of a file that was described in part the
 * rest is behind it, and in a linked worktree what was described there is ahead of it. Sparse: all other symbols are as in that blob.
 * owner: the worktree, or the scope of the graph that all its worktrees see. state: a SymbolState (knowledge/symbol-states.ts); null: the
 * symbol was not there. drift.symbols: what changed in each symbol of a file, as JSON (verification/symbol-changes.ts). markers.tokens: what a model reads
 * for the update.
 */
export const SYMBOL_BASELINE = `
  CREATE TABLE symbol_baseline (
    owner TEXT NOT NULL, path TEXT NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL, state TEXT,
    PRIMARY KEY (owner, path, type, name)
  );
  ALTER TABLE drift ADD COLUMN symbols TEXT;
  ALTER TABLE markers ADD COLUMN tokens INTEGER;
`;

/** Contents that left the graph while symbols of them were analysed apart: their stored analyses do not answer for all of their symbols. */
export const PARTLY_ANALYSED = `
  CREATE TABLE partly_analysed (path TEXT NOT NULL, oid TEXT NOT NULL, PRIMARY KEY (path, oid));
`;
