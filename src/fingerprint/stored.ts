import type { FileFingerprint } from "./types.js";

/**
 * The entries of a fingerprints.json. Three shapes exist in the wild: `{ files: { path: … } }`, a flat `{ path: … }`,
 * and both at once, where a patch was written beside `files` in place of inside it; there the one beside is the newer.
 */
export function storedEntries(raw: Readonly<Record<string, unknown>>): {
  files: Map<string, FileFingerprint>;
  /** There is something, and nothing of it can be used. */
  isDamaged: boolean;
} {
  const { version: _version, gitCommitHash: _commit, generatedAt: _at, files: nested, ...flat } = raw;
  const entries = { ...(typeof nested === "object" && nested !== null ? nested : {}), ...flat };
  const files = new Map<string, FileFingerprint>();
  for (const [path, entry] of Object.entries(entries)) {
    if (isEntry(entry)) files.set(path, { ...entry, filePath: path });
  }
  return { files, isDamaged: files.size === 0 && Object.keys(entries).length > 0 };
}

function isEntry(value: unknown): value is FileFingerprint {
  return typeof value === "object" && value !== null && typeof (value as FileFingerprint).contentHash === "string";
}
