import type { ImportFingerprint } from "../fingerprint/types.js";

/** A name that an import lists: `a`, `a as b`, `type a`, `* as b`. */
interface Specifier {
  original: string;
  alias: string | undefined;
}

const read = new WeakMap<ImportFingerprint, readonly Specifier[]>();

/** The parsed list of an import. Cached: each name that a file uses is searched in all of its imports. */
export function specifiersOf(imported: ImportFingerprint): readonly Specifier[] {
  const known = read.get(imported) ?? imported.specifiers.flatMap(parse);
  read.set(imported, known);
  return known;
}

function parse(specifier: string): Specifier[] {
  const [, original, alias] = /^\s*(?:type(?:of)?\s+)?(\S+)(?:\s+as\s+(\S+))?\s*$/.exec(specifier) ?? [];
  return original === undefined ? [] : [{ original, alias }];
}
