/**
 * How many analyses a range of commits needs, and how many it saves. Without imports: the report's page, in a browser,
 * uses it too.
 */
export interface Saving {
  commits: number;
  skip: number;
  partial: number;
  architecture: number;
  full: number;
  /** Commits that change source files. */
  sourceCommits: number;
  /** Those of them that need no tokens, in percent. */
  zeroTokenShare: number;
  changedFiles: number;
  structuralFiles: number;
  /** Compared with a system that gives every changed source file to a model. */
  tokensNotSpent: number;
  /** The size of the packets. */
  tokensNeeded: number;
  /** The size of the whole files that changed in structure. */
  tokensOfStructuralFiles: number;
}
