import type { Saving } from "../verification/saving.js";

/**
 * What the report says, as data: `--json` prints it, the page draws it. The page's program knows this file and nothing
 * else of ours.
 */
export interface Report {
  schema: "ua-hooks.report/1";
  generatedAt: string;
  /** Of ua-hooks. */
  version: string;
  project: ProjectPart;
  status: ReportStatus;
  reason: string;
  pending: PendingPart | null;
  hooks: { installed: number; missing: number; warning: string | null };
  /** How many of `files` are in which state. */
  drift: Record<Shade, number>;
  files: ReportFile[];
  /** Files of HEAD that nobody keeps knowledge of: other languages, ignored. */
  uncovered: number;
  history: HistoryPart | null;
  /** Newest first. */
  runs: LoggedRun[];
  times: Times;
  worktrees: ReportWorktree[];
  records: RecordsPart;
}

export type ReportStatus = "fresh" | "pending" | "dirty" | "stale" | "unknown" | "uninitialized";

/** Drift as everywhere, and `unknown` where nothing could be judged: that is not fresh. */
export const SHADES = ["none", "cosmetic", "body", "interface", "new", "gone", "unknown"] as const;
export type Shade = (typeof SHADES)[number];

export interface ProjectPart {
  name: string;
  /** The worktree that the report is about; `.` is the main one. */
  worktree: string;
  head: { commit: string | null; branch?: string };
  baseline: { commit: string | null };
  relation: string;
  commitsBehind: number;
  commitsAhead: number;
  dirtyFiles: number;
}

export interface PendingPart {
  action: string;
  reason: string;
  state: string;
  generation: number;
  filesToReanalyze: number;
  deletedFiles: number;
  dependents: number;
  estimatedTokens: number;
}

/** What is left out has its plain value: nothing to tell, nobody, no. */
export interface ReportFile {
  path: string;
  /** null: not known, or the file is gone. */
  bytes: number | null;
  drift: Shade;
  /** HEAD's blob; null where the file is gone. */
  oid: string | null;
  /** The blob that the knowledge describes; left out where it is `oid`, null where there is none. */
  analysed?: string | null;
  details?: string[];
  /** Positions in `files`. */
  importedBy?: number[];
  /** In the pending update. */
  pending?: true;
  /** Imports something whose interface changed. */
  dependent?: true;
  /** Has uncommitted changes. */
  dirty?: true;
}

/** `ua-hooks replay` over the last commits. */
export interface HistoryPart extends Saving {
  tokensPerFile: number;
  /** Oldest first. */
  each: { commit: string; subject: string; action: string; changed: number; structural: number }[];
}

/** One line of the log. */
export interface LoggedRun {
  at: string;
  view: string;
  events: string[];
  head: string | null;
  /** Of the commit at `head`; null where it is gone. */
  subject: string | null;
  outcome: string;
  action: string | null;
  reason: string;
  parses: number;
  ms: number;
}

export interface Times {
  /** Whether git waits for a run. */
  execution: "detached" | "foreground";
  all: Spread | null;
  /** Runs that found all content known, and those that had to parse. */
  known: Spread | null;
  parsed: Spread | null;
  /** One `git status` on this machine, when the report was made: a yardstick, not what a hook costs. */
  gitStatusMs: number | null;
}

export interface Spread {
  runs: number;
  median: number;
  p90: number;
  max: number;
}

export interface ReportWorktree {
  id: string;
  folder: string;
  /** The one that the report is about. */
  current: boolean;
  head: string | null;
  branch: string | null;
  status: ReportStatus;
  reason: string;
  pendingFiles: number;
  dirtyFiles: number;
}

export interface RecordsPart {
  /** How many hold, drifted, or lost their subject in this worktree. */
  counts: { active: number; stale: number; historical: number };
  /** The stale ones. */
  stale: StaleRecord[];
}

export interface StaleRecord {
  id: string;
  type: string;
  statement: string;
  reason: string | null;
  /** The drift of what it is about. */
  grade: string | null;
  /** Where that is now. */
  paths: string[];
}
