/*
 * Understand-Anything's rule for incremental updates, as its document on staleness describes it: a second program, which shares nothing
 * with src/ and knows of no drift. What it takes from a fingerprint is what the document's FileFingerprint has.
 */

export interface SeedFingerprint {
  contentHash: string;
  functions: readonly { name: string; params: readonly string[]; returnType?: string; exported: boolean }[];
  classes: readonly {
    name: string;
    methods: readonly string[];
    properties: readonly string[];
    exported: boolean;
  }[];
  imports: readonly { source: string; specifiers: readonly string[] }[];
  exports: readonly string[];
  hasStructuralAnalysis: boolean;
}

export type SeedLevel = "NONE" | "COSMETIC" | "STRUCTURAL";

/** "NONE: content hash is identical. COSMETIC: all signatures match. STRUCTURAL: any difference, or no structural analysis." */
export function seedLevel(before: SeedFingerprint, after: SeedFingerprint): SeedLevel {
  if (before.contentHash === after.contentHash) return "NONE";
  if (!before.hasStructuralAnalysis || !after.hasStructuralAnalysis) return "STRUCTURAL";
  return signatures(before) === signatures(after) ? "COSMETIC" : "STRUCTURAL";
}

/** Lists are sets: in which order a file declares or imports things is no signature. */
function signatures({ functions, classes, imports, exports }: SeedFingerprint): string {
  const set = (list: readonly unknown[]) => [...new Set(list.map((one) => JSON.stringify(one)))].sort();
  return JSON.stringify([
    set(functions.map(({ name, params, returnType = "", exported }) => [name, params, returnType, exported])),
    set(classes.map(({ name, methods, properties, exported }) => [name, set(methods), set(properties), exported])),
    set(imports.flatMap(({ source, specifiers }) => [[source], ...specifiers.map((name) => [source, name])])),
    set(exports),
  ]);
}

/** What a commit did to the files that count, by path. */
export interface SeedChanges {
  added: readonly string[];
  deleted: readonly string[];
  structural: readonly string[];
}

export type SeedAction = "SKIP" | "PARTIAL_UPDATE" | "ARCHITECTURE_UPDATE" | "FULL_UPDATE";

/** `known`: the files of the graph, before the change; `total`: how many it has. */
export function seedAction({ added, deleted, structural }: SeedChanges, known: ReadonlySet<string>): SeedAction {
  const count = added.length + deleted.length + structural.length;
  if (count === 0) return "SKIP";
  if (count > 30 || count / known.size > 0.5) return "FULL_UPDATE";
  const now = new Set([...known, ...added].filter((path) => !deleted.includes(path)));
  const directories = (paths: Iterable<string>) =>
    [...new Set([...paths].flatMap((path) => (path.includes("/") ? [path.slice(0, path.indexOf("/"))] : [])))]
      .sort()
      .join();
  return count > 10 || directories(known) !== directories(now) ? "ARCHITECTURE_UPDATE" : "PARTIAL_UPDATE";
}
