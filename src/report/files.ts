import { isRegularFile, type SizedEntry } from "../git/trees.js";
import type { PathVerdict } from "../verification/verdicts.js";
import { type ReportFile, type ReportSymbol, SHADES, type Shade } from "./types.js";

/** The inputs of the file list of one worktree. */
export interface KnownFile {
  tree: readonly SizedEntry[];
  /** Whether a path is analysed at all. */
  covers(path: string): boolean;
  /** The blob that the knowledge describes. */
  analysed(path: string): string | null;
  /** null: nothing was compared, so no file counts as fresh (invariant "unknown is not fresh"). */
  changes: readonly PathVerdict[] | null;
  symbolsOf(change: PathVerdict): ReportSymbol[];
  imports: readonly (readonly [importer: string, imported: string])[];
  pending: ReadonlySet<string>;
  dependents: ReadonlySet<string>;
  dirty: ReadonlySet<string>;
}

/** All files with knowledge: those of HEAD, and deleted ones. Sorted by path. */
export function toFiles(known: KnownFile): { files: ReportFile[]; uncovered: number } {
  const changes = new Map(known.changes?.map((change) => [change.filePath, change]));
  const regular = known.tree.filter(({ mode }) => isRegularFile(mode));
  const covered = regular.filter(({ path }) => known.covers(path) || changes.has(path));
  const here = new Set(covered.map(({ path }) => path));
  const gone = [...changes.values()].filter(({ filePath }) => !here.has(filePath));
  const files = [
    ...covered.map((entry) => toFile(known, entry, changes.get(entry.path))),
    ...gone.map((change) => toFile(known, { path: change.filePath, oid: null, bytes: null }, change)),
  ];
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  addImporters(files, known.imports);
  return { files, uncovered: regular.length - covered.length };
}

type FileEntry = Pick<ReportFile, "path" | "oid" | "bytes">;

function toFile(known: KnownFile, { path, oid, bytes }: FileEntry, change: PathVerdict | undefined): ReportFile {
  const drift: Shade = known.changes === null ? "unknown" : (change?.drift ?? "none");
  const analysed = change === undefined ? known.analysed(path) : change.analysedOid;
  return {
    ...{ path, bytes, drift, oid },
    ...(analysed === oid ? {} : { analysed }),
    ...(change === undefined || change.details.length === 0 ? {} : { details: change.details }),
    ...symbolsPart(change === undefined ? [] : known.symbolsOf(change)),
    ...(known.pending.has(path) ? { pending: true } : {}),
    ...(known.dependents.has(path) ? { dependent: true } : {}),
    ...(known.dirty.has(path) ? { dirty: true } : {}),
  };
}

const symbolsPart = (symbols: ReportSymbol[]): Pick<ReportFile, "symbols"> => (symbols.length === 0 ? {} : { symbols });

function addImporters(files: ReportFile[], imports: KnownFile["imports"]): void {
  const positions = new Map(files.map(({ path }, at) => [path, at]));
  for (const [importer, imported] of imports) {
    const [from, to] = [positions.get(importer), files[positions.get(imported) ?? -1]];
    if (from === undefined || to === undefined) continue;
    to.importedBy ??= [];
    to.importedBy.push(from);
  }
}

export function countShades(files: readonly Pick<ReportFile, "drift">[]): Record<Shade, number> {
  const counts = Object.fromEntries(SHADES.map((shade) => [shade, 0])) as Record<Shade, number>;
  for (const { drift } of files) counts[drift]++;
  return counts;
}
