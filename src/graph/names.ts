import type { FileFingerprint } from "../fingerprint/types.js";

/** The names that a file declares, re-exports or uses: enough to know that a change elsewhere does not affect it. */

/** Whether edges of the file, other than imports, depend on what a name means in other files. */
export function usesNames(fp: FileFingerprint | undefined): boolean {
  const hasBases = fp?.classes.some((cls) => cls.extends.length > 0 || cls.implements.length > 0);
  return hasBases === true || fp?.functions.some(({ calls }) => calls !== undefined) === true;
}

/** The parts of all names that were added or removed by these changes; "any" if a name can now resolve differently. */
export function movedNames(
  changes: readonly (readonly [FileFingerprint | undefined, FileFingerprint | undefined])[],
): ReadonlySet<string> | "any" {
  const moved = new Set<string>();
  for (const [before, after] of changes) {
    if (ways(before) !== ways(after)) return "any";
    const [old, now] = [declared(before), declared(after)];
    for (const name of [...old, ...now]) {
      if (old.has(name) && now.has(name)) continue;
      for (const part of name.split(".")) moved.add(part);
    }
  }
  return moved;
}

/** Whether the file uses one of these names, directly or through an alias. */
export function mentions(fp: FileFingerprint | undefined, names: ReadonlySet<string>): boolean {
  if (fp === undefined) return false;
  const has = (text: string) => text.split(/[^\p{L}\p{N}_$]+/u).some((part) => names.has(part));
  return (
    fp.functions.some(({ calls = [] }) => calls.some((name) => names.has(name) || has(name))) ||
    fp.classes.some((cls) => cls.extends.some(has) || cls.implements.some(has)) ||
    fp.imports.some(({ specifiers }) => specifiers.some(has))
  );
}

const passesOnAll = (name: string) => /^(?:\*|return )/.test(name);

/** The imports and re-exports of a file as a comparable text. */
function ways(fp: FileFingerprint | undefined): string {
  const bases = fp?.classes.map((cls) => [cls.name, cls.kind, cls.extends]);
  return JSON.stringify([
    bases?.filter(([, , above]) => above?.length !== 0),
    fp?.imports,
    fp?.exports.filter(passesOnAll),
  ]);
}

function declared(fp: FileFingerprint | undefined): Set<string> {
  return new Set([...(fp?.functions ?? []), ...(fp?.classes ?? [])].map(({ name }) => name).concat(fp?.exports ?? []));
}
