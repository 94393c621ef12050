import type { Verdict } from "./verdicts.js";

export interface Rename {
  from: string;
  to: string;
  /** In percent; 100 is the same blob. */
  similarity: number;
}

export interface Renamed {
  renames: Rename[];
  /** The verdicts with each loss and gain that is a rename folded into one. */
  verdicts: Verdict[];
}

/** A file that went and one that came with the analysed blob of the first are one file that moved. */
export function foldRenames(verdicts: readonly Verdict[]): Renamed {
  const gone = new Map<string, Verdict[]>();
  for (const verdict of verdicts) {
    if (verdict.drift !== "gone" || verdict.analysedOid === null) continue;
    gone.set(verdict.analysedOid, [...(gone.get(verdict.analysedOid) ?? []), verdict]);
  }
  const renames: Rename[] = [];
  const moved = new Map<string, Verdict>();
  for (const verdict of verdicts) {
    if (verdict.drift !== "new" || verdict.oid === null) continue;
    const source = takeNearest(gone.get(verdict.oid), verdict.filePath);
    if (source === undefined) continue;
    renames.push({ from: source.filePath, to: verdict.filePath, similarity: 100 });
    moved.set(source.filePath, source);
    moved.set(verdict.filePath, {
      ...verdict,
      changeLevel: "NONE",
      drift: "none",
      details: [`renamed from ${source.filePath}`],
      analysedOid: source.analysedOid,
    });
  }
  const folded = verdicts.filter((verdict) => moved.get(verdict.filePath) !== verdict);
  return { renames, verdicts: folded.map((verdict) => moved.get(verdict.filePath) ?? verdict) };
}

/** Of several files with the same content, the one of the same name moved; the others went. */
function takeNearest(sources: Verdict[] | undefined, path: string): Verdict | undefined {
  if (sources === undefined) return undefined;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const same = sources.findIndex((source) => source.filePath.endsWith(name));
  return sources.splice(Math.max(same, 0), 1)[0];
}
