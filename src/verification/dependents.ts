import type { FileFingerprint, ImportFingerprint } from "../fingerprint/types.js";
import type { Facts } from "../knowledge/facts.js";
import type { Decision } from "./decide.js";
import type { Rename } from "./renames.js";
import type { PathVerdict } from "./verdicts.js";

/** Files that use a name that changed, with the names; `*` where all of a file is imported. */
export type DependentUses = Record<string, string[]>;

/** Of a file with more importers, all are listed. */
const MOST_READ = 500;

/** Which files import another, at which contents. */
export interface ImportIndex {
  importersOf(path: string): string[];
  contentOf(importer: string): string | null;
}

const EVERYTHING = "*";

/**
 * Files that import something whose interface changed, and are not listed themselves. A body change affects only its file, and a
 * changed function only those that name it.
 */
export async function dependentUses(
  changes: readonly PathVerdict[],
  renames: readonly Rename[],
  { importersOf, contentOf, facts }: ImportIndex & { facts: Pick<Facts, "known" | "of"> },
  listed: Pick<Decision, "filesToReanalyze" | "deletedFiles">,
): Promise<DependentUses> {
  const known = new Set([...listed.filesToReanalyze, ...listed.deletedFiles, ...renames.map(({ from }) => from)]);
  const moved = [
    ...changes
      .filter(isSeenFromOutside)
      .map((change) => ({ path: change.filePath, names: changedNames(change, facts) })),
    ...renames.map(({ from }) => ({ path: from, names: null })),
  ];
  const uses = new Map<string, Set<string>>();
  for (const { path, names } of moved) {
    const importers = importersOf(path).filter((importer) => !known.has(importer));
    const read = importers.length > MOST_READ ? [] : importers;
    const wanted = read.flatMap((importer) => {
      const oid = contentOf(importer);
      return oid === null ? [] : [{ path: importer, oid }];
    });
    // Parsed if need be: what is listed must not depend on what was parsed before.
    const found = new Map([...(await facts.of(wanted)).values()].map((fact) => [fact.filePath, fact]));
    for (const importer of importers) {
      const fact = found.get(importer);
      for (const name of fact === undefined ? [EVERYTHING] : usedNames(fact, path, names))
        uses.set(importer, (uses.get(importer) ?? new Set()).add(name));
    }
  }
  const sorted = [...uses].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([path, names]) => [path, spelled(names)]));
}

const spelled = (names: ReadonlySet<string>) => (names.has(EVERYTHING) ? [EVERYTHING] : [...names].sort());

/** The size of a function and the imports of a file are structural for the graph, but do not affect importers. */
function isSeenFromOutside({ changeLevel, details }: PathVerdict): boolean {
  const inner = (detail: string) => detail.startsWith("significant size change") || detail === "imports changed";
  return changeLevel === "STRUCTURAL" && !details.every(inner);
}

/** null: all of them, or it is not known which. */
function changedNames(verdict: PathVerdict, facts: Pick<Facts, "known">): ReadonlySet<string> | null {
  const { filePath: path, oid, analysedOid, symbols, details } = verdict;
  if (symbols === undefined || oid === null || analysedOid === null) return null;
  const [now, then] = [oid, analysedOid].map((one) => facts.known({ path, oid: one }));
  if (now === undefined || now === null || then === undefined || then === null) return null;
  if (now.unreadable !== then.unreadable) return null;
  const left = then.exports.filter((name) => !now.exports.includes(name));
  const seen = symbols.filter(({ type, change }) => type !== "file" && SEEN.has(change));
  const values = details.flatMap((detail) => /^type changed: (.+)$/.exec(detail)?.[1] ?? []);
  const top = seen.flatMap(({ name, from }) => [name, ...(from === undefined ? [] : [from])]).map(topName);
  return new Set([...left, ...top, ...values]);
}

const SEEN: ReadonlySet<string> = new Set(["interface", "gone", "renamed", "moved"]);
const topName = (name: string): string => name.split(".", 1)[0] ?? name;

/** Which of the names a file names in its imports of another; none: it uses others only. */
function usedNames({ imports }: FileFingerprint, path: string, names: ReadonlySet<string> | null): string[] {
  const own = imports.filter(({ source }) => mayMean(source, path));
  if (own.length === 0 || own.some((one) => isWhole(one, path))) return [EVERYTHING];
  const imported = own.flatMap(({ specifiers }) => specifiers.map((one) => one.split(" as ", 1)[0] ?? one));
  return names === null ? imported : imported.filter((name) => names.has(name));
}

/** What is imported by default has another name where it is declared; Python's `from . import file` names the file. */
function isWhole({ source, specifiers }: ImportFingerprint, path: string): boolean {
  if (specifiers.length === 0 || specifiers.some((one) => /^(\*|default\b)/.test(one))) return true;
  return lastPart(source) !== fileName(path) && specifiers.includes(fileName(path));
}

/** Without what follows the first dot. */
const fileName = (path: string): string => path.slice(path.lastIndexOf("/") + 1).split(".", 1)[0] ?? "";

const lastPart = (source: string): string | undefined =>
  source
    .replace(/\.[cm]?[jt]sx?$/, "")
    .split(/[/.:\\]+/)
    .filter(Boolean)
    .at(-1);

/** Whether the last part of a source is the file's name, or the name of its folder: which files it means depends on config. */
function mayMean(source: string, path: string): boolean {
  const last = lastPart(source);
  return last === fileName(path) || last === path.split("/").at(-2) || last === undefined;
}
