import { extractorOf } from "../fingerprint/languages.js";
import { readBlobs } from "../git/blobs.js";
import type { WantedFact } from "./facts.js";

/** A deleted file, and the new one that replaces it. */
interface MatchedPair {
  from: string;
  to: string;
  /** In percent; 100 is the same blob. */
  similarity: number;
}

/** The same threshold as in git. */
const SIMILAR = 50;
/** More pairs than this are a new tree, not renames. */
const MOST_PAIRS = 10_000;

/** Finds moved files among the deleted and the new ones, by equal or similar content. Each is used once. */
export async function matchMoves(
  left: readonly WantedFact[],
  arrived: readonly WantedFact[],
  cwd: string,
): Promise<MatchedPair[]> {
  const [gone, came] = [new Set(left), new Set(arrived)];
  const equal = takeEqual(gone, came);
  return [...equal, ...(await takeSimilar(gone, came, cwd))];
}

/**
 * By equal blob. Matched files are removed from both lists. Linear: a directory of thousands of files may have moved.
 */
function takeEqual(gone: Set<WantedFact>, came: Set<WantedFact>): MatchedPair[] {
  const sources = new Map<string, WantedFact[]>();
  for (const one of gone) {
    const same = sources.get(one.oid);
    if (same === undefined) sources.set(one.oid, [one]);
    else same.push(one);
  }
  const pairs: MatchedPair[] = [];
  for (const target of came) {
    const equal = sources.get(target.oid) ?? [];
    // Of several files with the same content, the one with the same name moved; the others were deleted.
    const source = equal.find((one) => nameOf(one.path) === nameOf(target.path)) ?? equal[0];
    if (source === undefined) continue;
    equal.splice(equal.indexOf(source), 1);
    pairs.push(take(source, target, 100, gone, came));
  }
  return pairs;
}

/** By shared lines, the most similar first; only within one language. */
async function takeSimilar(gone: Set<WantedFact>, came: Set<WantedFact>, cwd: string): Promise<MatchedPair[]> {
  if (gone.size === 0 || came.size === 0 || gone.size * came.size > MOST_PAIRS) return [];
  const blobs = await readBlobs(
    cwd,
    [...gone, ...came].map(({ oid }) => oid),
  );
  const close: [similarity: number, gone: WantedFact, came: WantedFact][] = [];
  for (const from of gone) {
    for (const to of came) {
      const [a, b] = [blobs.get(from.oid), blobs.get(to.oid)];
      if (a === undefined || b === undefined || extractorOf(from.path) !== extractorOf(to.path)) continue;
      const similarity = similarityOf(a, b);
      if (similarity >= SIMILAR) close.push([similarity, from, to]);
    }
  }
  close.sort((x, y) => y[0] - x[0] || (x[1].path + x[2].path < y[1].path + y[2].path ? -1 : 1));
  const pairs: MatchedPair[] = [];
  for (const [similarity, from, to] of close) {
    if (gone.has(from) && came.has(to)) pairs.push(take(from, to, similarity, gone, came));
  }
  return pairs;
}

function take(
  source: WantedFact,
  target: WantedFact,
  similarity: number,
  gone: Set<WantedFact>,
  came: Set<WantedFact>,
): MatchedPair {
  gone.delete(source);
  came.delete(target);
  return { from: source.path, to: target.path, similarity };
}

/** The bytes of lines that both have, divided by the larger size, in percent; below 100, because the blobs differ. */
export function similarityOf(a: Buffer, b: Buffer): number {
  const [small, large] = a.length < b.length ? [a, b] : [b, a];
  if (large.length === 0 || small.length / large.length < SIMILAR / 100) return 0;
  const lines = new Map<string, number>();
  for (const line of linesOf(small)) lines.set(line, (lines.get(line) ?? 0) + 1);
  let shared = 0;
  for (const line of linesOf(large)) {
    const left = lines.get(line) ?? 0;
    if (left === 0) continue;
    lines.set(line, left - 1);
    shared += line.length;
  }
  return Math.min(99, Math.floor((shared / large.length) * 100));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** With their line ends; the empty text after the last one is no line. */
function linesOf(text: Buffer): string[] {
  return text.toString("latin1").match(/[^\n]*\n|[^\n]+/g) ?? [];
}
