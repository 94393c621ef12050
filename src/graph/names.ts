import type { FileFingerprint } from "../fingerprint/types.js";

/** The names that a file declares, passes on or uses: enough to know that a change elsewhere does not affect it. */

/** Whether edges of the file, other than imports, depend on what a name means in other files. */
export function usesNames(fp: FileFingerprint | undefined): boolean {
  const hasBases = fp?.classes.some((cls) => cls.extends.length > 0 || cls.implements.length > 0);
  return hasBases === true || fp?.functions.some(({ calls }) => calls !== undefined) === true;
}

/**
 * The identifiers in all names that the file uses: in calls, as base classes, in imports, also behind an alias. An edge to a symbol needs the
 * last part of its name to be among them.
 */
export function usedIdentifiers(fp: FileFingerprint): Set<string> {
  const identifiers = new Set<string>();
  const add = (text: string) => {
    identifiers.add(text);
    for (const part of text.split(/[^\p{L}\p{N}_$]+/u)) identifiers.add(part);
  };
  for (const { calls } of fp.functions) calls?.forEach(add);
  for (const cls of fp.classes) for (const base of [...cls.extends, ...cls.implements]) add(base);
  for (const { specifiers } of fp.imports) specifiers.forEach(add);
  identifiers.delete("");
  return identifiers;
}

/** Names as identifiers. */
export function identifiersIn(names: Iterable<string>): Set<string> {
  return new Set([...names].flatMap((name) => name.split(".")));
}

/** The names of functions and classes, and those that are exported. */
export function declared(fp: FileFingerprint | undefined): Set<string> {
  return new Set([...(fp?.functions ?? []), ...(fp?.classes ?? [])].map(({ name }) => name).concat(fp?.exports ?? []));
}

/** Those that only one of the two versions of a file declares. */
export function movedNames(before: FileFingerprint | undefined, after: FileFingerprint | undefined): string[] {
  const [old, now] = [declared(before), declared(after)];
  return [...new Set([...old, ...now])].filter((name) => !(old.has(name) && now.has(name)));
}

/** Classes that have other bases in the two versions. */
export function rebasedClasses(before: FileFingerprint | undefined, after: FileFingerprint | undefined): string[] {
  const bases = (fp: FileFingerprint | undefined) =>
    new Map(fp?.classes.map((cls) => [cls.name, JSON.stringify([cls.kind, cls.extends])]));
  const [old, now] = [bases(before), bases(after)];
  return [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name));
}

/** Names that the file exports and does not declare. */
export function reExports(fp: FileFingerprint | undefined): string[] {
  const own = new Set([...(fp?.functions ?? []), ...(fp?.classes ?? [])].map(({ name }) => name));
  return (fp?.exports ?? []).filter((name) => !own.has(name));
}

/** `export * from`, or the table that a Lua file returns. */
export function passesOnAll(fp: FileFingerprint | undefined): boolean {
  return fp?.exports.some((name) => /^(?:\*|return )/.test(name)) === true;
}
