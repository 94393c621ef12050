/** Times are compared as text. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

export const isTime = (text: string): boolean => TIME.test(text);

/** What others wrote cannot be of a time to come: it would stay the newest for ever. */
export const notAfter = (now: string, at: string): string => (at < now ? at : now);

/**
 * The time of a text that is written now: later than `newest`, which stands at the same place, also where the clock was set back since. The
 * newest text counts.
 */
export function timeAfter(newest: string | null | undefined, now: string): string {
  if (newest === null || newest === undefined || newest < now || !isTime(newest)) return now;
  const next = new Date(Date.parse(newest) + 1).toISOString();
  return isTime(next) ? next : now;
}
