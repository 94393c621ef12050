import type { Drift } from "../fingerprint/types.js";

export const TYPES = ["decision", "invariant", "gotcha", "requirement", "discovery", "convention"] as const;
export type RecordType = (typeof TYPES)[number];

export const ORIGINS = ["system", "agent", "human"] as const;
export type Origin = (typeof ORIGINS)[number];

/** The stored status. Whether an active record is still valid depends on the worktree. */
export const STORED = ["draft", "active", "rejected", "archived", "superseded"] as const;
export type StoredStatus = (typeof STORED)[number];
export type RecordStatus = StoredStatus | "stale" | "historical";

/** Signals against a record, from a refresh or an accepted task; in the order in which they are checked. */
export const SIGNALS = [
  "missing_from_refresh",
  "refresh_content_contradiction",
  "evidence_digest_mismatch",
  "report_digest_shift",
  "scope_files_changed",
] as const;
export type Signal = (typeof SIGNALS)[number];
export type StaleReason = "subject_fingerprint_drift" | Signal;

export const MOST_CHARACTERS = 1000;

export type SubjectKind = "path" | "symbol" | "directory";

/** The subject of a record at the time of writing. All null if it was not found. */
export interface Subject {
  kind: SubjectKind;
  /** From the repository's root; without a final slash; "" for the root itself. */
  path: string;
  symbol: string;
  /** `blob:<oid>`, `symbol:<hash>`, `tree:<oid>`. */
  fingerprint: string | null;
  /** The content of the file of a path or symbol subject. */
  blob: string | null;
  /** The extractor of the symbol hash: hashes of two extractors cannot be compared. */
  extractor: string | null;
}

export const EVIDENCE_KINDS = ["file", "report", "commit", "url", "test", "conversation"] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

export interface Evidence {
  kind: EvidenceKind;
  ref: string;
  /** Lines of a file (`L3-L9`), or another position. */
  locator: string | null;
  quote: string | null;
  /** sha256 of the content there; for files and reports only. */
  digest: string | null;
}

export interface Link {
  type: "supersedes";
  target: string;
}

/** A record as it is stored. */
export interface StoredRecord {
  id: string;
  type: RecordType;
  statement: string;
  status: StoredStatus;
  confidence: number;
  origin: Origin;
  createdAt: string;
  updatedAt: string;
  /** The commit of the anchor; null if there is none, and then no subject has a fingerprint. */
  commit: string | null;
  approvedBy: string | null;
  approvedAt: string | null;
  sourceKey: string | null;
  subjects: Subject[];
  evidence: Evidence[];
  links: Link[];
}

/** The comparison of a record's subjects with its anchor in one state of the code. */
export type Anchor = "none" | "equal" | "differs" | "gone";

export interface SubjectState {
  anchor: Anchor;
  /** The current path of the subject, which may have been renamed. */
  path: string;
  /** The drift from its anchor; null if it is equal or was not requested. */
  grade: Drift | null;
  details: string[];
}

/** A record with its verdict in one worktree. */
export interface RecordVerdict {
  record: StoredRecord;
  status: RecordStatus;
  reason: StaleReason | null;
  anchor: Anchor;
  grade: Drift | null;
  details: string[];
  subjects: SubjectState[];
}
