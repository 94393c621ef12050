import type { FileFingerprint } from "../fingerprint/types.js";
import type { Resolver } from "./imports.js";

/** What is known of all files when the edges of one are made. Holds for one moment: it remembers what it resolved. */
export interface EdgeContext {
  readonly resolver: Resolver;
  paths(): Iterable<string>;
  fingerprintOf(path: string): FileFingerprint | undefined;
  /** For each import of a file, in its order, the files that it leads to. */
  targetsOf(path: string, fp: FileFingerprint): readonly (readonly string[])[];
  hasClass(path: string, name: string): boolean;
  samePackage(path: string): readonly string[];
}

export function edgeContext(fingerprints: ReadonlyMap<string, FileFingerprint>, resolver: Resolver): EdgeContext {
  const targets = new WeakMap<FileFingerprint, string[][]>();
  const classes = new WeakMap<FileFingerprint, Set<string>>();
  return {
    resolver,
    paths: () => fingerprints.keys(),
    fingerprintOf: (path) => fingerprints.get(path),
    targetsOf(path, fp) {
      const known = targets.get(fp);
      if (known !== undefined) return known;
      const made = fp.imports.map(({ source, specifiers }) => resolver.resolve(path, source, specifiers));
      targets.set(fp, made);
      return made;
    },
    hasClass(path, name) {
      const fp = fingerprints.get(path);
      if (fp === undefined) return false;
      const known = classes.get(fp) ?? new Set(fp.classes.map((cls) => cls.name));
      classes.set(fp, known);
      return known.has(name);
    },
    samePackage: (path) => resolver.samePackage(path),
  };
}
