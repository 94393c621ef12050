import { compareFingerprints } from "../fingerprint/compare.js";
import { extractorOf } from "../fingerprint/languages.js";
import { readBlobs } from "../git/blobs.js";
import { type Facts, factKey } from "./facts.js";
import type { Verdict } from "./verdicts.js";

export interface Rename {
  from: string;
  to: string;
  /** In percent; 100 is the same blob. */
  similarity: number;
}

/** A file that moved with all that is known about it: its analysis, of `oid`, goes along. */
export interface Move {
  from: string;
  to: string;
  oid: string;
}

export interface Renamed {
  /** Those that changed on the way beyond their bodies: somebody has to look. */
  renames: Rename[];
  moves: Move[];
  /** The verdicts with each loss and gain that is a rename folded into one. */
  verdicts: Verdict[];
}

interface Match extends Rename {
  gone: Verdict;
  came: Verdict;
}

/** git's own threshold. */
const SIMILAR = 50;
/** More pairs than this is a new tree, not a rename. */
const MOST_PAIRS = 10_000;

/** A file that went and one that came with its content, or most of it, are one file that moved: not a loss and a gain. */
export async function foldRenames(verdicts: readonly Verdict[], facts: Facts, cwd: string): Promise<Renamed> {
  const gone = new Set(verdicts.filter((verdict) => verdict.drift === "gone" && verdict.analysedOid !== null));
  const came = new Set(verdicts.filter((verdict) => verdict.drift === "new" && verdict.oid !== null));
  const matches = takeEqual(gone, came);
  matches.push(...(await takeSimilar(gone, came, cwd)));
  const folded = new Map<string, Verdict>();
  for (const match of matches) folded.set(match.to, await movedVerdict(match, facts));
  const left = new Set(matches.map(({ from }) => from));
  matches.sort((a, b) => (a.to < b.to ? -1 : 1));
  const isOpen = ({ to }: Match) => folded.get(to)?.changeLevel === "STRUCTURAL";
  return {
    renames: matches.filter(isOpen).map(({ from, to, similarity }) => ({ from, to, similarity })),
    moves: matches
      .filter((match) => !isOpen(match))
      .map(({ from, to, gone }) => ({ from, to, oid: gone.analysedOid ?? "" })),
    verdicts: verdicts
      .filter(({ filePath }) => !left.has(filePath))
      .map((verdict) => folded.get(verdict.filePath) ?? verdict),
  };
}

/** By equal blob. What is matched leaves both lists. Linear: a directory of thousands of files may have moved. */
function takeEqual(gone: Set<Verdict>, came: Set<Verdict>): Match[] {
  const sources = new Map<string, Verdict[]>();
  for (const one of gone) sources.set(one.analysedOid ?? "", [...(sources.get(one.analysedOid ?? "") ?? []), one]);
  const matches: Match[] = [];
  for (const verdict of came) {
    const equal = sources.get(verdict.oid ?? "") ?? [];
    // Of several files with the same content, the one of the same name moved; the others went.
    const source = equal.find((one) => nameOf(one.filePath) === nameOf(verdict.filePath)) ?? equal[0];
    if (source === undefined) continue;
    equal.splice(equal.indexOf(source), 1);
    matches.push(take(source, verdict, 100, gone, came));
  }
  return matches;
}

/** By shared lines, the most alike first; only within one language. */
async function takeSimilar(gone: Set<Verdict>, came: Set<Verdict>, cwd: string): Promise<Match[]> {
  if (gone.size === 0 || came.size === 0 || gone.size * came.size > MOST_PAIRS) return [];
  const blobs = await readBlobs(cwd, [
    ...Array.from(gone, (one) => one.analysedOid ?? ""),
    ...Array.from(came, (one) => one.oid ?? ""),
  ]);
  const pairs: [similarity: number, gone: Verdict, came: Verdict][] = [];
  for (const from of gone) {
    for (const to of came) {
      const [a, b] = [blobs.get(from.analysedOid ?? ""), blobs.get(to.oid ?? "")];
      if (a === undefined || b === undefined || extractorOf(from.filePath) !== extractorOf(to.filePath)) continue;
      const similarity = similarityOf(a, b);
      if (similarity >= SIMILAR) pairs.push([similarity, from, to]);
    }
  }
  pairs.sort((x, y) => y[0] - x[0] || (x[1].filePath + x[2].filePath < y[1].filePath + y[2].filePath ? -1 : 1));
  const matches: Match[] = [];
  for (const [similarity, from, to] of pairs) {
    if (gone.has(from) && came.has(to)) matches.push(take(from, to, similarity, gone, came));
  }
  return matches;
}

function take(source: Verdict, target: Verdict, similarity: number, gone: Set<Verdict>, came: Set<Verdict>): Match {
  gone.delete(source);
  came.delete(target);
  return { from: source.filePath, to: target.filePath, similarity, gone: source, came: target };
}

/** The bytes of lines that both have, over the larger of the two, in percent; below 100, since the blobs differ. */
export function similarityOf(a: Buffer, b: Buffer): number {
  const [small, large] = a.length < b.length ? [a, b] : [b, a];
  if (large.length === 0 || small.length / large.length < SIMILAR / 100) return 0;
  const lines = new Map<string, number>();
  for (const line of small.toString("latin1").split("\n")) lines.set(line, (lines.get(line) ?? 0) + 1);
  let shared = 0;
  for (const line of large.toString("latin1").split("\n")) {
    const left = lines.get(line) ?? 0;
    if (left === 0) continue;
    lines.set(line, left - 1);
    shared += line.length + 1;
  }
  return Math.min(99, Math.floor((shared / large.length) * 100));
}

async function movedVerdict({ gone, came, from, similarity }: Match, facts: Facts): Promise<Verdict> {
  const renamed = `renamed from ${from}`;
  const moved = { ...came, analysedOid: gone.analysedOid };
  if (similarity === 100) return { ...moved, changeLevel: "NONE", drift: "none", details: [renamed] };
  // The old content under the new name: what it is called must not count.
  const wanted = [came.oid, gone.analysedOid].map((oid) => ({ path: came.filePath, oid: oid ?? "" }));
  const found = await facts.of(wanted);
  const [now, then] = wanted.map((one) => found.get(factKey(one)));
  if (now === undefined || then === undefined) return { ...moved, details: [renamed, ...came.details] };
  const change = compareFingerprints(then, now);
  return { ...moved, ...change, details: [renamed, ...change.details] };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
