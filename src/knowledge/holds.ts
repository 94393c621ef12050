/**
 * In one line, whether a sentence about code still holds: whose it is, and what changed since. `since`: the change of what it is about; null
 * if there is none.
 */
export function holdsText(source: string, since: string | null): string {
  if (since === null) return `${source}; it still holds`;
  return isDoubtful(since) ? doubtText(source, since) : `${source}; ${HARMLESS.get(since)}`;
}

/** For a sentence that does not count any more, whatever changed. */
export function doubtText(source: string, since: string): string {
  return `${source}; it may be false: ${CHANGES.get(since) ?? since} since`;
}

/** Whether the sentence may be false after such a change. */
export const isDoubtful = (since: string | null): since is string => since !== null && !HARMLESS.has(since);

const HARMLESS: ReadonlyMap<string, string> = new Map([
  ["body", "it probably holds: details of its body changed since"],
  ["imports", "it still holds, but its imports changed since"],
  ["moved", "it still holds, but it was moved since"],
  ["renamed", "it still holds, but it was renamed since"],
]);

const CHANGES: ReadonlyMap<string, string> = new Map([
  ["interface", "its interface changed"],
  ["behaviour", "its behaviour changed"],
  ["body", "its body changed"],
  ["new", "its code was replaced"],
  ["gone", "its code was removed"],
]);
