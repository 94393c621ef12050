import { type Config, REFRESH, type RefreshPolicy } from "../repository/config.js";
import { askedFiles, isAsked } from "./asked.js";
import { parsesSoFar, type Replayed } from "./replay.js";
import type { Saving } from "./saving.js";

/** The same, with the time it took. */
export interface Totals extends Saving {
  parses: number;
  seconds: number;
}

export function totalsOf(commits: readonly Replayed[], { refresh }: Pick<Config, "refresh">, ms: number): Totals {
  const count = (action: string) => commits.filter((one) => one.action === action).length;
  const sum = (pick: (one: Replayed) => number) => commits.reduce((total, one) => total + pick(one), 0);
  const [changedFiles, structuralFiles] = [sum((one) => one.changed), sum((one) => one.structural)];
  const needed = sum(({ tokens }) => tokens.packets[refresh] ?? 0);
  const touching = commits.filter(({ changed }) => changed > 0);
  const free = touching.filter(({ tokens }) => (tokens.packets[refresh] ?? 0) === 0).length;
  return {
    commits: commits.length,
    skip: count("SKIP"),
    partial: count("PARTIAL_UPDATE"),
    architecture: count("ARCHITECTURE_UPDATE"),
    full: count("FULL_UPDATE"),
    sourceCommits: touching.length,
    zeroTokenShare: touching.length === 0 ? 0 : Math.round((free / touching.length) * 100),
    changedFiles,
    structuralFiles,
    tokensNotSpent: Math.max(0, sum(({ tokens }) => tokens.changedFiles) - needed),
    tokensNeeded: needed,
    tokensOfStructuralFiles: sum(({ tokens }) => tokens.structuralFiles),
    parses: parsesSoFar(),
    seconds: Math.round(ms / 100) / 10,
  };
}

/** What one value of the config's `refresh` costs. */
export interface PolicyCost {
  refresh: RefreshPolicy;
  /** Commits that change source files and need no tokens, in percent. */
  zeroTokenShare: number;
  tokens: number;
  /** Divided by the size of the whole files that changed in structure; null if none did. */
  ofWholeFiles: number | null;
  /** Symbols whose behaviour changed in a file of which nothing is asked: their descriptions may be false, and are only flagged. */
  behaviourNotAsked: number;
  /** Symbols of which only the body changed, in such files: their descriptions are not flagged, and seldom false. */
  bodyNotAsked: number;
}

export function policyCosts(commits: readonly Replayed[]): PolicyCost[] {
  const touching = commits.filter(({ changed }) => changed > 0);
  const whole = touching.reduce((total, { tokens }) => total + tokens.structuralFiles, 0);
  return REFRESH.map((refresh) => {
    const spent = touching.map(({ tokens }) => tokens.packets[refresh] ?? 0);
    const tokens = spent.reduce((total, one) => total + one, 0);
    const free = spent.filter((one) => one === 0).length;
    return {
      refresh,
      zeroTokenShare: touching.length === 0 ? 0 : Math.round((free / touching.length) * 100),
      tokens,
      ofWholeFiles: whole === 0 ? null : Math.round((tokens / whole) * 1000) / 1000,
      behaviourNotAsked: notAsked(touching, refresh, "behaviour"),
      bodyNotAsked: notAsked(touching, refresh, "body"),
    };
  });
}

function notAsked(commits: readonly Replayed[], refresh: RefreshPolicy, drift: "behaviour" | "body"): number {
  const files = commits.flatMap(({ fileChanges }) => [...askedFiles(fileChanges, refresh, () => false).values()]);
  const left = files.filter((one) => !isAsked(one)).flatMap(({ aging }) => aging);
  return left.filter(({ change }) => change === drift).length;
}
