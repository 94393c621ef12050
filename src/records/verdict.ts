import type { Drift } from "../fingerprint/types.js";
import {
  type Anchor,
  type Origin,
  type RecordStatus,
  SIGNALS,
  type Signal,
  type StaleReason,
  type StoredStatus,
  type SubjectState,
} from "./types.js";

export interface AnchorState {
  stored: StoredStatus;
  origin: Origin;
  anchor: Anchor;
  /** The signals against the record in this worktree. */
  signals: ReadonlySet<Signal>;
}

/**
 * The whole state machine; docs/records.md has it as a table. Pure and stateless: if the content returns, the record is
 * active again. The anchor is checked first. Only if it is equal or missing, the signals count, the first one in their
 * order.
 */
export function decide({ stored, origin, anchor, signals }: AnchorState): {
  status: RecordStatus;
  reason: StaleReason | null;
} {
  if (stored !== "active") return { status: stored, reason: null };
  if (anchor === "differs") return { status: "stale", reason: "subject_fingerprint_drift" };
  if (anchor === "gone") return { status: "historical", reason: null };
  const reason = SIGNALS.find((signal) => signals.has(signal) && counts(signal, origin, anchor));
  return reason === undefined ? { status: "active", reason: null } : { status: "stale", reason };
}

/** Missing from an ingest only counts for a record made by one, and not if its content is unchanged. */
function counts(signal: Signal, origin: Origin, anchor: Anchor): boolean {
  return signal !== "missing_from_refresh" || (origin === "system" && anchor === "none");
}

/** Of several subjects: historical only if all are gone; if some changed or are gone, it is drift. */
export function anchorOf(subjects: readonly SubjectState[]): Anchor {
  const states = new Set(subjects.map(({ anchor }) => anchor));
  if (states.size === 0 || states.has("none")) return "none";
  if (states.size > 1) return "differs";
  return states.has("gone") ? "gone" : states.has("differs") ? "differs" : "equal";
}

const WORST: readonly Drift[] = ["gone", "interface", "behaviour", "body", "cosmetic"];

/** The worst grade of the subjects; null if nothing differs, or no grade was requested. */
export function gradeOf(subjects: readonly SubjectState[]): Drift | null {
  const grades = subjects.map(({ anchor, grade }) => (anchor === "gone" ? "gone" : grade));
  return WORST.find((grade) => grades.includes(grade)) ?? null;
}
