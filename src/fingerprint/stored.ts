import type { PlainFingerprint } from "./plain.js";

/**
 * The entries of a fingerprints.json. Three shapes exist in the wild: `{ files: { path: … } }`, a flat `{ path: … }`,
 * and both at once, where a patch was written beside `files` in place of inside it; there the one beside is the newer.
 */
export function storedEntries(raw: Readonly<Record<string, unknown>>): {
  files: Map<string, PlainFingerprint>;
  /** There is something, and nothing of it can be used. */
  isDamaged: boolean;
} {
  const { version: _version, gitCommitHash: _commit, generatedAt: _at, files: nested, ...flat } = raw;
  const entries = { ...(typeof nested === "object" && nested !== null ? nested : {}), ...flat };
  const files = new Map<string, PlainFingerprint>();
  for (const [path, entry] of Object.entries(entries)) {
    if (isStoredEntry(entry)) files.set(path, { ...entry, filePath: path });
  }
  return { files, isDamaged: files.size === 0 && Object.keys(entries).length > 0 };
}

/**
 * An entry as fingerprints.json has it: what other tools know, and who made it of which blob. All else is in the store.
 * An entry of another tool stays as it is.
 */
export function renderedEntry(entry: PlainFingerprint): PlainFingerprint {
  if (entry.extractor?.startsWith("ua-hooks/") !== true) return entry;
  const { filePath, contentHash, imports, exports, totalLines, hasStructuralAnalysis, extractor, blobOid } = entry;
  return {
    ...{ filePath, contentHash },
    functions: entry.functions.map(({ name, params, returnType, exported, lineCount }) => ({
      ...{ name, params },
      ...(returnType === undefined ? {} : { returnType }),
      ...{ exported, lineCount },
    })),
    classes: entry.classes.map(({ name, methods, properties, exported, lineCount }) => ({
      ...{ name, methods, properties, exported, lineCount },
    })),
    ...{ imports, exports, totalLines, hasStructuralAnalysis },
    extractor,
    ...(blobOid === undefined ? {} : { blobOid }),
  };
}

export function isStoredEntry(value: unknown): value is PlainFingerprint {
  return typeof value === "object" && value !== null && typeof (value as PlainFingerprint).contentHash === "string";
}
