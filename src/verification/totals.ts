import type { Config } from "../repository/config.js";
import { parsesSoFar, type Replayed } from "./replay.js";
import type { Saving } from "./saving.js";

/** The same, with the time it took. */
export interface Totals extends Saving {
  parses: number;
  seconds: number;
}

export function totalsOf(commits: readonly Replayed[], { tokensPerFile }: Config, ms: number): Totals {
  const count = (action: string) => commits.filter((one) => one.action === action).length;
  const sum = (pick: (one: Replayed) => number) => commits.reduce((total, one) => total + pick(one), 0);
  const [changedFiles, structuralFiles] = [sum((one) => one.changed), sum((one) => one.structural)];
  return {
    commits: commits.length,
    skip: count("SKIP"),
    partial: count("PARTIAL_UPDATE"),
    architecture: count("ARCHITECTURE_UPDATE"),
    full: count("FULL_UPDATE"),
    zeroTokenShare: commits.length === 0 ? 0 : Math.round((count("SKIP") / commits.length) * 100),
    changedFiles,
    structuralFiles,
    tokensNotSpent: (changedFiles - structuralFiles) * tokensPerFile,
    tokensNeeded: structuralFiles * tokensPerFile,
    parses: parsesSoFar(),
    seconds: Math.round(ms / 100) / 10,
  };
}
