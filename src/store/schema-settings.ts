/**
 * Settings say in which version their value is written, and every value is JSON: before, some were plain text. `lock.wanted`
 * and `graphFiles:` are numbers, which are JSON already.
 */
export const SETTINGS_VERSIONS = `
  ALTER TABLE settings ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
  UPDATE settings SET value = json_quote(value)
    WHERE key IN ('graphView', 'config.error') OR substr(key, 1, instr(key, ':')) IN ('baseCommit:', 'reviving:', 'team:');
`;
