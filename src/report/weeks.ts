import type { LogEntry } from "../store/log.js";
import type { Week } from "./types.js";

const DAY_MS = 86_400_000;
const MOST_WEEKS = 26;

/** What the hooks decided and what was described, week by week. Weeks without a run are listed too, between those that have one. */
export function toWeeks(log: readonly LogEntry[], described: readonly { day: string; count: number }[]): Week[] {
  const weeks = new Map<string, Week>();
  const decided = log.flatMap(({ at, action }) =>
    typeof action === "string" ? [{ monday: mondayOf(at), action }] : [],
  );
  const mondays = decided.flatMap(({ monday }) => monday ?? []).sort((a, b) => a - b);
  const [first, last] = [mondays[0], mondays.at(-1)];
  if (first === undefined || last === undefined) return [];
  for (let at = last; at >= first && weeks.size < MOST_WEEKS; at -= 7 * DAY_MS)
    weeks.set(dayOf(at), { from: dayOf(at), runs: 0, free: 0, described: 0 });
  const weekOf = (monday: number | null) => (monday === null ? undefined : weeks.get(dayOf(monday)));
  for (const { monday, action } of decided) {
    const week = weekOf(monday);
    if (week === undefined) continue;
    week.runs++;
    if (action === "SKIP") week.free++;
  }
  for (const { day, count } of described) {
    const week = weekOf(mondayOf(day));
    if (week !== undefined) week.described += count;
  }
  return [...weeks.values()].reverse();
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** null where it is no time: users can edit the log. */
function mondayOf(at: string): number | null {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return null;
  const midnight = time - (time % DAY_MS);
  return midnight - ((new Date(midnight).getUTCDay() + 6) % 7) * DAY_MS;
}
