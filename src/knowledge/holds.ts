/**
 * In one line, whether a sentence about code still holds: whose it is, and what changed since. `since`: the change of what it is about; null
 * if there is none.
 */
export function holdsText(source: string, since: string | null): string {
  return `${source}; ${since === null ? "it still holds" : `it may be false: ${CHANGES.get(since) ?? since} since`}`;
}

const CHANGES = new Map([
  ["interface", "its interface changed"],
  ["behaviour", "its behaviour changed"],
  ["body", "its body changed"],
  ["new", "it is new"],
  ["gone", "it is gone"],
]);
