import { plainFile } from "../git/blobs.js";
import { writeFileAtomic } from "../store/files.js";
import type { Finding } from "./present.js";

/** A finding whose target moved, and the file that names it. */
export interface Correction {
  finding: Finding;
  file: string;
}

/**
 * Writes what moved into the documents: only the cited text changes, every other byte stays. A line that is not as it was judged is left alone.
 * Returns what was corrected.
 */
export function correct(root: string, corrections: readonly Correction[]): Finding[] {
  const files = new Map<string, Correction[]>();
  for (const one of corrections) files.set(one.finding.file, [...(files.get(one.finding.file) ?? []), one]);
  return [...files].flatMap(([path, own]) => {
    const bytes = plainFile(root, path);
    const content = bytes?.toString("utf8");
    const file = own[0]?.file;
    // Bytes that are no UTF-8 would not come back.
    if (bytes === null || content === undefined || file === undefined || !Buffer.from(content).equals(bytes)) return [];
    const lines = content.split("\n");
    const done: Finding[] = [];
    // From the end of each line: what stands before keeps its place.
    for (const { finding } of own.toSorted((a, b) => b.finding.cited.column - a.finding.cited.column)) {
      const { column, written, correction } = finding.cited;
      const line = lines[finding.line - 1];
      if (line === undefined || correction === null || !line.startsWith(written, column)) continue;
      lines[finding.line - 1] = line.slice(0, column) + correction + line.slice(column + written.length);
      done.push(finding);
    }
    if (done.length > 0) writeFileAtomic(file, lines.join("\n"));
    return done;
  });
}
