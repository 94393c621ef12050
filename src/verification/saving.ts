/** What a stretch of history asked for, and what it did not. Stands alone: the report's page, for a browser, has it too. */
export interface Saving {
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
}
