import type { LogEntry } from "../store/log.js";
import type { LoggedRun, Spread, Times } from "./types.js";

/** The log for the report: newest first, with the subject of each commit. */
export function toRuns(
  log: readonly LogEntry[],
  subjects: ReadonlyMap<string, string>,
  clean: (text: string) => string,
): LoggedRun[] {
  return log.filter(isEntry).map(toRun).reverse();

  function toRun({ at, view: worktree, events, head, outcome, action, reason, parses, ms }: LogEntry): LoggedRun {
    const subject = head === null ? null : (subjects.get(head) ?? null);
    return {
      at,
      view: worktree,
      events,
      head,
      subject,
      outcome,
      action: action ?? null,
      reason: clean(reason),
      parses,
      ms,
    };
  }
}

/** Users can edit the log: a line of JSON without our fields is skipped like an invalid one. */
function isEntry(value: LogEntry): boolean {
  const { at, view: worktree, events, outcome, reason, ms } = (value ?? {}) as Partial<LogEntry>;
  return (
    [at, worktree, outcome, reason].every((one) => typeof one === "string") &&
    typeof ms === "number" &&
    Array.isArray(events)
  );
}

/** How long the runs took. git's own time is not in the log. */
export function toTimes(
  runs: readonly Pick<LoggedRun, "ms" | "parses">[],
  execution: Times["execution"],
  gitStatusMs: number | null,
): Times {
  const spread = (some: readonly Pick<LoggedRun, "ms">[]) => spreadOf(some.map(({ ms }) => ms));
  return {
    execution,
    all: spread(runs),
    known: spread(runs.filter(({ parses }) => parses === 0)),
    parsed: spread(runs.filter(({ parses }) => parses > 0)),
    gitStatusMs,
  };
}

/** null for an empty list. The nearest rank: always a time that was measured. */
export function spreadOf(ms: readonly number[]): Spread | null {
  const sorted = [...ms].sort((a, b) => a - b);
  const rank = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return sorted.length === 0 ? null : { runs: sorted.length, median: rank(0.5), p90: rank(0.9), max: rank(1) };
}

/**
 * A report may be sent to others: paths of this machine are removed. Longest first: one place may be inside another.
 */
export function withoutPlaces(places: readonly (string | null)[]): (text: string) => string {
  const known = places
    .filter((place) => place !== null && place.length > 1)
    .sort((a, b) => (b ?? "").length - (a ?? "").length);
  return (text) =>
    known.reduce<string>((rest, place) => rest.replaceAll(`${place}/`, "").replaceAll(`${place}`, "."), text);
}
