import { statSync } from "node:fs";
import { compareFingerprints } from "../fingerprint/compare.js";
import { withoutStructure } from "../fingerprint/content.js";
import type { PlainFingerprint } from "../fingerprint/plain.js";
import type { FileChange } from "../fingerprint/types.js";
import { encodePath } from "../git/paths.js";
import { MOST_DATA_BYTES, readRegularFile } from "../platform/read-file.js";
import { type Action, topDirectory } from "./decide.js";

/*
 * The calls of the systems that ua-hooks replaces, with the same names, shapes and rules, all synchronous, so that they
 * can switch. Our hooks use `decide`, which also handles renames, small projects and config.
 */

/** The result of an analyzer for one file. */
export interface StructuralAnalysis {
  functions: { name: string; lineRange: [number, number]; params: string[]; returnType?: string | undefined }[];
  classes: { name: string; lineRange: [number, number]; methods: string[]; properties: string[] }[];
  imports: { source: string; specifiers: string[]; lineNumber?: number }[];
  exports: { name: string; lineNumber?: number; isDefault?: boolean }[];
}

/**
 * A fingerprint from the result of the caller's own analyzer. `fingerprintText` needs none.
 *
 * @example extractFileFingerprint("a.ts", text, { functions: [], classes: [], imports: [], exports: [] })
 */
export function extractFileFingerprint(
  filePath: string,
  content: string,
  analysis: StructuralAnalysis,
): PlainFingerprint {
  const exports = analysis.exports.map(({ name }) => name);
  const shared = ({ name, lineRange: [first, last] }: { name: string; lineRange: [number, number] }) => ({
    name,
    exported: exports.includes(name),
    lineCount: last - first + 1,
  });
  return {
    ...contentOnly(filePath, content),
    functions: analysis.functions.map(({ params, returnType, ...one }) => ({
      ...shared(one),
      params: [...params],
      ...(returnType === undefined ? {} : { returnType }),
    })),
    classes: analysis.classes.map(({ methods, properties, ...one }) => ({
      ...shared(one),
      methods: [...methods],
      properties: [...properties],
    })),
    imports: analysis.imports.map(({ source, specifiers }) => ({ source, specifiers: [...specifiers] })),
    exports,
    hasStructuralAnalysis: true,
  };
}

function contentOnly(filePath: string, content: string): PlainFingerprint {
  return withoutStructure(filePath, content, content.split("\n").length);
}

/** Any analyzer for a file; null if it does not support the language. */
export interface Analyzer {
  analyzeFile(filePath: string, content: string): StructuralAnalysis | null;
}

export interface FingerprintStore {
  version: "1.0.0";
  gitCommitHash: string;
  generatedAt: string;
  files: Record<string, PlainFingerprint>;
}

/**
 * The fingerprints of files on disk; one that is not there is left out, one that the analyzer does not know is kept by
 * its content alone.
 *
 * @example buildFingerprintStore(dir, ["src/a.ts"], registry, commit).files["src/a.ts"]?.exports // ["a"]
 */
export function buildFingerprintStore(
  projectDir: string,
  filePaths: readonly string[],
  registry: Analyzer,
  gitCommitHash: string,
): FingerprintStore {
  const files = new Map<string, PlainFingerprint>();
  for (const filePath of filePaths) {
    const content = readIfFile(projectDir, filePath);
    if (content !== undefined) files.set(filePath, fingerprint(filePath, content, registry));
  }
  const generatedAt = new Date().toISOString();
  return { version: "1.0.0", gitCommitHash, generatedAt, files: Object.fromEntries(files) };
}

function fingerprint(filePath: string, content: string, registry: Analyzer): PlainFingerprint {
  const found = registry.analyzeFile(filePath, content);
  return found ? extractFileFingerprint(filePath, content, found) : contentOnly(filePath, content);
}

export type FileChangeResult = Pick<FileChange, "filePath" | "changeLevel" | "details">;

export interface ChangeAnalysis {
  fileChanges: FileChangeResult[];
  newFiles: string[];
  deletedFiles: string[];
  structurallyChangedFiles: string[];
  cosmeticOnlyFiles: string[];
  unchangedFiles: string[];
}

/**
 * Compares files on disk with a fingerprint store.
 *
 * @example analyzeChanges(dir, getChangedFiles(dir, commit), JSON.parse(readFileSync(storeFile, "utf8")), registry)
 */
export function analyzeChanges(
  projectDir: string,
  changedFiles: readonly string[],
  existingStore: { files: Readonly<Record<string, PlainFingerprint>> },
  registry: Analyzer,
): ChangeAnalysis {
  const analysis: ChangeAnalysis = {
    fileChanges: [],
    newFiles: [],
    deletedFiles: [],
    structurallyChangedFiles: [],
    cosmeticOnlyFiles: [],
    unchangedFiles: [],
  };
  for (const filePath of changedFiles) {
    const before = Object.hasOwn(existingStore.files, filePath) ? existingStore.files[filePath] : undefined;
    const content = readIfFile(projectDir, filePath);
    if (content === undefined && before === undefined) continue;
    const whole = (detail: string) => ({ filePath, changeLevel: "STRUCTURAL" as const, details: [detail] });
    if (content === undefined) {
      analysis.deletedFiles.push(filePath);
      analysis.fileChanges.push(whole("file deleted"));
    } else if (before === undefined) {
      analysis.newFiles.push(filePath);
      analysis.fileChanges.push(whole("new file"));
    } else {
      const change = compareFingerprints(before, fingerprint(filePath, content, registry));
      analysis.fileChanges.push(change);
      analysis[LISTS[change.changeLevel]].push(filePath);
    }
  }
  return analysis;
}

const LISTS = {
  NONE: "unchangedFiles",
  COSMETIC: "cosmeticOnlyFiles",
  STRUCTURAL: "structurallyChangedFiles",
} as const;

/** undefined if it is not a file: git also lists submodules, which are directories on disk. */
function readIfFile(projectDir: string, filePath: string): string | undefined {
  const path = Buffer.concat([Buffer.from(`${projectDir}/`), encodePath(filePath)]);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  return readRegularFile(path, { most: MOST_DATA_BYTES })?.toString("utf8");
}

export interface UpdateDecision {
  action: Action;
  filesToReanalyze: string[];
  rerunArchitecture: boolean;
  rerunTour: boolean;
  reason: string;
}

/**
 * Exactly the rule of the other systems: more than 30 structural files or more than half of the graph is FULL; more
 * than 10, or a top-level directory without a known file, ARCHITECTURE; any other structural change PARTIAL.
 *
 * @example classifyUpdate(analyzeChanges(dir, changed, store, registry), 120, Object.keys(store.files)).action //
 * "SKIP"
 */
export function classifyUpdate(
  analysis: ChangeAnalysis,
  totalFilesInGraph: number,
  allKnownFiles: readonly string[] = [],
): UpdateDecision {
  const { newFiles, deletedFiles, structurallyChangedFiles, cosmeticOnlyFiles } = analysis;
  const count = newFiles.length + deletedFiles.length + structurallyChangedFiles.length;
  const decision = (action: Action, rerun: boolean, reason: string): UpdateDecision => ({
    action,
    filesToReanalyze: [...structurallyChangedFiles, ...newFiles],
    rerunArchitecture: rerun,
    rerunTour: rerun,
    reason,
  });
  if (count === 0) {
    const cosmetic = `${files(cosmeticOnlyFiles.length)} with cosmetic-only changes`;
    return decision("SKIP", false, cosmeticOnlyFiles.length === 0 ? "No changes detected" : cosmetic);
  }
  const tooMany = count > 30;
  if (tooMany || (totalFilesInGraph > 0 && count / totalFilesInGraph > 0.5)) {
    const limit = tooMany ? "more than 30" : "more than half of the graph";
    return decision("FULL_UPDATE", true, `${files(count)} changed in structure (${limit}): build the graph again`);
  }
  const directories = new Set(allKnownFiles.map(topDirectory));
  const unknown = [...newFiles, ...deletedFiles].map(topDirectory).find((dir) => dir !== null && !directories.has(dir));
  if (unknown !== undefined) return decision("ARCHITECTURE_UPDATE", true, `directory ${unknown}/ was added or removed`);
  const mix = `${newFiles.length} new, ${deletedFiles.length} deleted, ${structurallyChangedFiles.length} modified`;
  const what = `${files(count)} changed in structure: ${mix}`;
  return count > 10 ? decision("ARCHITECTURE_UPDATE", true, what) : decision("PARTIAL_UPDATE", false, what);
}

const files = (count: number) => `${count} ${count === 1 ? "file" : "files"}`;
