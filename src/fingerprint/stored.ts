import type { PlainFingerprint } from "./plain.js";

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
