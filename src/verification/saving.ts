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
  /** Commits that need no tokens, in percent. */
  zeroTokenShare: number;
  changedFiles: number;
  structuralFiles: number;
  /** Compared with a system that analyses every changed source file again. */
  tokensNotSpent: number;
  tokensNeeded: number;
}
