import { spell } from "./subject.js";
import type { RecordVerdict, StoredRecord } from "./types.js";

/** A record as --json and the MCP tools return it: the names of docs/records.md. */
export function toDocument({ record, status, reason, grade, details, subjects, anchor }: RecordVerdict) {
  return {
    id: record.id,
    type: record.type,
    statement: record.statement,
    status,
    stale_reason: reason,
    drift: status === "stale" || status === "historical" ? grade : null,
    drift_details: status === "stale" || status === "historical" ? details : [],
    confidence: record.confidence,
    origin: record.origin,
    anchored: isAnchored(record),
    anchor,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    created_at_commit: record.commit,
    code_fingerprint: record.subjects[0]?.fingerprint ?? null,
    approved_by: record.approvedBy,
    approved_at: record.approvedAt,
    subjects: record.subjects.map((subject, at) => {
      const now = subjects[at];
      const moved =
        now !== undefined && now.path !== subject.path ? { now: spell({ ...subject, path: now.path }) } : {};
      const state = now === undefined ? {} : { anchor: now.anchor, drift: now.grade };
      return { subject: spell(subject), kind: subject.kind, code_fingerprint: subject.fingerprint, ...state, ...moved };
    }),
    evidence: record.evidence,
    supersedes: record.links.map(({ target }) => target),
  };
}

export function isAnchored({ commit, subjects }: StoredRecord): boolean {
  return commit !== null && subjects.length > 0 && subjects.every(({ fingerprint }) => fingerprint !== null);
}
