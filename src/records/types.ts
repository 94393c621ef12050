import type { Drift } from "../fingerprint/types.js";

export const TYPES = ["decision", "invariant", "gotcha", "requirement", "discovery", "convention"] as const;
export type RecordType = (typeof TYPES)[number];

export const ORIGINS = ["system", "agent", "human"] as const;
export type Origin = (typeof ORIGINS)[number];

/** What people and agents make of a record. Whether an active one still holds is a question to a view. */
export const STORED = ["draft", "active", "rejected", "archived", "superseded"] as const;
export type StoredStatus = (typeof STORED)[number];
export type RecordStatus = StoredStatus | "stale" | "historical";

/** What a refresh, or an accepted task, may find against a record; in the order in which they are looked at. */
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

/** What a record is about, as it was when the record was written. All null where that did not resolve. */
export interface Subject {
  kind: SubjectKind;
  /** From the repository's root; of a directory without the slash, "" for the root itself. */
  path: string;
  symbol: string;
  /** `blob:<oid>`, `symbol:<hash>`, `tree:<oid>`. */
  fingerprint: string | null;
  /** The content of the file that a path or symbol subject was in. */
  blob: string | null;
  /** Who hashed the symbol: hashes of two extractors say nothing about each other. */
  extractor: string | null;
}

export const EVIDENCE_KINDS = ["file", "report", "commit", "url", "test", "conversation"] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

export interface Evidence {
  kind: EvidenceKind;
  ref: string;
  /** Lines of a file (`L3-L9`), or whatever finds the place elsewhere. */
  locator: string | null;
  quote: string | null;
  /** sha256 of what was found there; of files and reports only. */
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
  /** Where it is anchored; null where it is not, and then no subject has a fingerprint. */
  commit: string | null;
  approvedBy: string | null;
  approvedAt: string | null;
  sourceKey: string | null;
  subjects: Subject[];
  evidence: Evidence[];
  links: Link[];
}

/** How a record's subjects stand to its anchor in one state of the code. */
export type Anchor = "none" | "equal" | "differs" | "gone";

export interface SubjectState {
  anchor: Anchor;
  /** Where the subject is now: another path than it had, where it was renamed. */
  path: string;
  /** How far it is from its anchor; null where it is equal or nobody asked. */
  grade: Drift | null;
  details: string[];
}

/** A record as it stands in one view. */
export interface RecordVerdict {
  record: StoredRecord;
  status: RecordStatus;
  reason: StaleReason | null;
  anchor: Anchor;
  grade: Drift | null;
  details: string[];
  subjects: SubjectState[];
}
