import type { Config } from "../project/config.js";
import { parsesSoFar, type Replayed } from "./replay.js";

/** What a stretch of history comes to. */
export interface Totals {
  commits: number;
  skip: number;
  partial: number;
  architecture: number;
  full: number;
  /** Commits that would have cost no token, in percent. */
  zeroTokenShare: number;
  changedFiles: number;
  structuralFiles: number;
  /** Against a system that analyses every changed source file again. */
  tokensNotSpent: number;
  tokensNeeded: number;
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
