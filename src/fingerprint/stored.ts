import type { PlainFingerprint } from "./plain.js";
import type { PlainStructure } from "./plain-structure.js";

/**
 * A fingerprint as fingerprints.json has it: what Understand-Anything's core would write, and who made it of which blob. All else is in
 * the store. An entry that was read from such a file stays as it is.
 */
export function renderedEntry(entry: PlainFingerprint): PlainFingerprint {
  const { filePath, contentHash, tokenHash, totalLines, extractor, blobOid } = entry;
  const isFact = extractor?.startsWith("ua-hooks/") === true && tokenHash !== undefined;
  if (!isFact) return entry;
  const plain = hasNoParser(filePath) ? undefined : entry.plain;
  return {
    filePath,
    contentHash,
    ...structureOf(plain ?? { functions: [], classes: [], imports: [], exports: [], totalLines }),
    // Of such a file its core takes any change for one of the structure, which is never too little.
    hasStructuralAnalysis: plain !== undefined,
    extractor,
    ...(blobOid === undefined ? {} : { blobOid }),
  };
}

function structureOf({ functions, classes, imports, exports, totalLines }: PlainStructure) {
  const exported = new Set(exports);
  return {
    functions: functions.map(([name, lineCount, params, returnType]) => ({
      name,
      params,
      ...(returnType === undefined ? {} : { returnType }),
      exported: exported.has(name),
      lineCount,
    })),
    classes: classes.map(([name, lineCount, methods, properties]) => ({
      name,
      methods,
      properties,
      exported: exported.has(name),
      lineCount,
    })),
    imports: imports.map(([source, specifiers]) => ({ source, specifiers })),
    exports,
    totalLines,
  };
}

/** Endings of languages that Understand-Anything reads, under which it reads none: it goes by the path, our facts by the content. */
const NO_PARSER = /\.(?:mts|cts|hh|inl|phtml|gemspec|tofu|hcl|markdown)$/i;

function hasNoParser(path: string): boolean {
  return NO_PARSER.test(path);
}

export function isStoredEntry(value: unknown): value is PlainFingerprint {
  return typeof value === "object" && value !== null && typeof (value as PlainFingerprint).contentHash === "string";
}
