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
  /** What refreshes and accepted tasks have found against the record, in the view that is asked about. */
  signals: ReadonlySet<Signal>;
}

/**
 * The whole state machine; docs/records.md has it as a table. Pure, and without a memory: that the content
 * came back reactivates a record by itself. The anchor is looked at first. Only where it has nothing to say, because it
 * is equal or there is none, do the signals count, the first one in their order.
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

/** Not to be in an ingest says something only of what an ingest made, and nothing where the content itself is known. */
function counts(signal: Signal, origin: Origin, anchor: Anchor): boolean {
  return signal !== "missing_from_refresh" || (origin === "system" && anchor === "none");
}

/** Of several subjects: history only where all are gone; one that changed, or one of several that went, is drift. */
export function anchorOf(subjects: readonly SubjectState[]): Anchor {
  const states = new Set(subjects.map(({ anchor }) => anchor));
  if (states.size === 0 || states.has("none")) return "none";
  if (states.size > 1) return "differs";
  return states.has("gone") ? "gone" : states.has("differs") ? "differs" : "equal";
}

const WORST: readonly Drift[] = ["gone", "interface", "body", "cosmetic"];

/** The worst of the subjects' grades; null where nothing differs, or no grade was asked for. */
export function gradeOf(subjects: readonly SubjectState[]): Drift | null {
  const grades = subjects.map(({ anchor, grade }) => (anchor === "gone" ? "gone" : grade));
  return WORST.find((grade) => grades.includes(grade)) ?? null;
}
