import type { Saving } from "../verification/saving.js";

/** The report as data: `--json` prints it, the page draws it. The page's program imports only this file. */
export interface Report {
  schema: "ua-hooks.report/1";
  generatedAt: string;
  /** The version of ua-hooks. */
  version: string;
  project: ProjectPart;
  status: ReportStatus;
  reason: string;
  pending: PendingPart | null;
  hooks: { installed: number; missing: number; warning: string | null };
  /** How many of `files` have which shade. */
  drift: Record<Shade, number>;
  files: ReportFile[];
  /** Files of HEAD that are not analysed: other languages, ignored. */
  uncovered: number;
  history: HistoryPart | null;
  /** Newest first. */
  runs: LoggedRun[];
  /** Oldest first: by week, as far back as the log goes. */
  weeks: Week[];
  times: Times;
  worktrees: ReportWorktree[];
  records: RecordsPart;
  descriptions: DescriptionsPart;
}

export type ReportStatus = "fresh" | "pending" | "dirty" | "stale" | "unknown" | "uninitialized";

/** Drift, and `unknown` if nothing was compared: that does not mean fresh. */
export const SHADES = ["none", "cosmetic", "body", "behaviour", "interface", "new", "gone", "unknown"] as const;
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

/** A missing field has its default: false or an empty list. */
export interface ReportFile {
  path: string;
  /** null: not known, or the file is gone. */
  bytes: number | null;
  drift: Shade;
  /** HEAD's blob; null if the file was deleted. */
  oid: string | null;
  /** The blob that the knowledge describes; missing if it equals `oid`, null if there is none. */
  analysed?: string | null;
  details?: string[];
  /** What changed in it, by symbol. */
  symbols?: ReportSymbol[];
  /** Positions in `files`. */
  importedBy?: number[];
  /** In the pending update. */
  pending?: true;
  /** Imports something whose interface changed. */
  dependent?: true;
  /** Has uncommitted changes. */
  dirty?: true;
}

/** A function, class or file whose content is not the analysed one. */
export interface ReportSymbol {
  type: string;
  name: string;
  change: string;
  /** The author, or where the text came from; missing if no agent or person described it. */
  describedBy?: string;
  describedAt?: string;
}

/** The stored descriptions of agents and people. */
export interface DescriptionsPart {
  bySource: { source: string; count: number; newest: string }[];
  /** Oldest first. */
  byMonth: { month: string; count: number }[];
  /** Symbols whose description may be false: their behaviour changed. */
  review: number;
  tokensSavedBySharing: number;
  /** How many times a file came back to a content that was analysed before. */
  filesPutBack: number;
}

/** `ua-hooks replay` over the last commits. */
export interface HistoryPart extends Saving {
  /** Oldest first. */
  each: { commit: string; subject: string; action: string; changed: number; structural: number }[];
}

/** One line of the log. */
export interface LoggedRun {
  at: string;
  view: string;
  events: string[];
  head: string | null;
  /** Subject of the commit at `head`; null if the commit is gone. */
  subject: string | null;
  outcome: string;
  action: string | null;
  reason: string;
  parses: number;
  ms: number;
}

export interface Week {
  /** Its Monday, in UTC. */
  from: string;
  /** Runs with a decision, and those of them after which nothing was to be described. */
  runs: number;
  free: number;
  /** Stored descriptions that were written in this week, here or by others. */
  described: number;
}

export interface Times {
  /** Whether git waits for a run. */
  execution: "detached" | "foreground";
  all: Spread | null;
  /** Runs that needed no parsing, and those that did. */
  known: Spread | null;
  parsed: Spread | null;
  /** Time of one `git status` when the report was made, for comparison; not the cost of a hook. */
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
  /** Whether the report is about this one. */
  current: boolean;
  head: string | null;
  branch: string | null;
  status: ReportStatus;
  reason: string;
  pendingFiles: number;
  dirtyFiles: number;
}

export interface RecordsPart {
  /** How many are active, drifted, or without their subject in this worktree. */
  counts: { active: number; stale: number; historical: number };
  /** The stale ones. */
  stale: StaleRecord[];
}

export interface StaleRecord {
  id: string;
  type: string;
  statement: string;
  reason: string | null;
  /** The drift of its subject. */
  grade: string | null;
  /** The current paths of its subject. */
  paths: string[];
}
