import { doubtText, holdsText } from "../knowledge/holds.js";
import { quoted } from "../printable.js";
import { isAnchored } from "./document.js";
import type { RecordVerdict, Signal, StoredRecord } from "./types.js";

/** In one line, whether a record holds in this worktree, whose it is, and what changed since. */
export function recordHolds({ record, status, reason, grade }: RecordVerdict): string {
  const source = sourceText(record);
  if (status === "stale") return doubtText(source, SIGNALS.get(reason ?? "") ?? grade ?? "its code changed");
  if (status === "historical") return `${source}; it was true of code that is gone`;
  if (status !== "active") return `${source}; it is ${status}, so it does not count`;
  return isAnchored(record)
    ? holdsText(source, null)
    : `${source}; not compared with any code, so changes are not noticed`;
}

function sourceText({ origin, approvedBy, createdAt }: StoredRecord): string {
  const approved = origin !== "agent" || approvedBy === null ? "" : `, approved by ${quoted(approvedBy)}`;
  return `${ORIGINS[origin]}, ${createdAt.slice(0, 10)}${approved}`;
}

const ORIGINS = { human: "written by a person", agent: "written by an agent", system: "from another system" } as const;

const SIGNALS: ReadonlyMap<string, string> = new Map<Signal, string>([
  ["missing_from_refresh", "the system that it is from left it out"],
  ["refresh_content_contradiction", "the system that it is from says something else"],
  ["evidence_digest_mismatch", "its evidence changed"],
  ["report_digest_shift", "the report that it is from changed"],
  ["scope_files_changed", "a task changed its files"],
]);
