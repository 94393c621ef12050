import type { Asked } from "../verification/asked.js";
import type { Comparison } from "../verification/compare.js";
import type { SymbolVerdict } from "../verification/symbol-changes.js";

/** A path and the blob to be analysed; null if the file was deleted. */
export type Due = [path: string, oid: string | null];

export function duePaths({ filesToReanalyze, deletedFiles, fileChanges }: Comparison): Due[] {
  const oids = new Map(fileChanges.map((change) => [change.filePath, change.oid]));
  return [...filesToReanalyze, ...deletedFiles].map((path) => [path, oids.get(path) ?? null]);
}

/** A symbol that is asked about, and its content: what updates, attempts and refusals are counted by. */
export type Question = [id: string, hash: string];

/** Of a file that is asked about as a whole, or is deleted, its blob counts. */
export function questionsAt([path, oid]: Due, asked: Asked | undefined): Question[] {
  if (oid === null || asked === undefined || asked.isWhole) return [[`file:${path}`, oid ?? ""]];
  return asked.symbols.map((symbol) => questionOf(symbol, oid));
}

/** What a file imports is not in its hash. */
const questionOf = ({ id, hash, beside }: SymbolVerdict, oid: string): Question => [
  id,
  beside ? `${hash} ${oid}` : hash,
];

export function questionsOf(comparison: Comparison): Question[] {
  return duePaths(comparison).flatMap((due) => questionsAt(due, comparison.asked.get(due[0])));
}

/**
 * What makes an update: two with the same text are one. A change of comments makes no other update; a change of what goes along with
 * the questions does, since an answer can be about it.
 */
export function updateText(comparison: Comparison): string {
  const aging = comparison.filesToReanalyze.flatMap((path) => comparison.asked.get(path)?.aging ?? []);
  const along = aging.map(({ id, hash }): Question => [id, hash]);
  return JSON.stringify([comparison.action, questionsOf(comparison), along, comparison.renamedFiles]);
}
