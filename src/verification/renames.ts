import type { Drift } from "../fingerprint/types.js";
import { type Facts, factKey } from "../knowledge/facts.js";
import { matchMoves } from "../knowledge/matching.js";
import { compareFacts } from "./file-symbols.js";
import type { PathVerdict } from "./verdicts.js";

export interface Rename {
  from: string;
  to: string;
  /** In percent; 100 is the same blob. */
  similarity: number;
}

/** A moved file with its analysis, made for `oid`. */
export interface Move {
  from: string;
  to: string;
  oid: string;
}

export interface Renamed {
  /** Renames with more than body changes: they need an analysis. */
  renames: Rename[];
  moves: Move[];
  /** The verdicts, with each rename as one. */
  verdicts: PathVerdict[];
}

interface Match extends Rename {
  gone: PathVerdict;
  came: PathVerdict;
}

/** A deleted file and a new one with equal or similar content are one renamed file. */
export async function foldRenames(verdicts: readonly PathVerdict[], facts: Facts, cwd: string): Promise<Renamed> {
  const matches = await findMatches(verdicts, cwd);
  const folded = new Map<string, PathVerdict>();
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

async function findMatches(verdicts: readonly PathVerdict[], cwd: string): Promise<Match[]> {
  const by = new Map(verdicts.map((verdict) => [verdict.filePath, verdict]));
  const side = (drift: Drift, oidOf: (verdict: PathVerdict) => string | null) =>
    verdicts.flatMap((verdict) => {
      const oid = verdict.drift === drift ? oidOf(verdict) : null;
      return oid === null ? [] : [{ path: verdict.filePath, oid }];
    });
  const pairs = await matchMoves(
    side("gone", ({ analysedOid }) => analysedOid),
    side("new", ({ oid }) => oid),
    cwd,
  );
  return pairs.flatMap(({ from, to, similarity }) => {
    const [gone, came] = [by.get(from), by.get(to)];
    return gone === undefined || came === undefined ? [] : [{ from, to, similarity, gone, came }];
  });
}

async function movedVerdict({ gone, came, from, similarity }: Match, facts: Facts): Promise<PathVerdict> {
  const renamed = `renamed from ${from}`;
  const moved = { ...came, analysedOid: gone.analysedOid };
  if (similarity === 100) return { ...moved, changeLevel: "NONE", drift: "none", details: [renamed] };
  // The old content under the new name: the name itself must not count as a change.
  const wanted = [came.oid, gone.analysedOid].map((oid) => ({ path: came.filePath, oid: oid ?? "" }));
  const found = await facts.of(wanted);
  const [now, then] = wanted.map((one) => found.get(factKey(one)));
  if (now === undefined || then === undefined) return { ...moved, details: [renamed, ...came.details] };
  const change = compareFacts(then, now);
  return { ...moved, ...change, details: [renamed, ...change.details] };
}
