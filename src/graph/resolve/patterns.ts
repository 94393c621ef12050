/**
 * Keys with at most one `*`, as in tsconfig `paths` and package.json `imports` and `exports`. A checkout can bring thousands of them, and is asked
 * for every import: so they are looked up by the text before the star, and not tried one after the other (invariant "everything has a bound").
 */
export interface StarPatterns<T> {
  exact: Map<string, T>;
  /** By the text before the star, then by the text after it. */
  starred: Map<string, Map<string, T>>;
  /** Of the texts before a star, the longest first. */
  lengths: readonly number[];
}

/** No file system that git knows takes a longer path. */
const MOST_PATH = 4_096;
/** What stands for one key in these files is a few paths. */
export const MOST_TARGETS = 100;

export function starPatterns<T>(entries: Iterable<readonly [key: string, value: T]>): StarPatterns<T> {
  const exact = new Map<string, T>();
  const starred = new Map<string, Map<string, T>>();
  for (const [key, value] of entries) {
    const star = key.indexOf("*");
    if (star < 0) exact.set(key, value);
    else {
      const before = key.slice(0, star);
      const same = starred.get(before) ?? new Map<string, T>();
      starred.set(before, same.set(key.slice(star + 1), value));
    }
  }
  const lengths = [...new Set([...starred.keys()].map(({ length }) => length))].sort((a, b) => b - a);
  return { exact, starred, lengths };
}

/** The best match: an exact key, then the longest text before the star, then the longest after it. `rest` is what the star matched. */
export function matchStar<T>(
  { exact, starred, lengths }: StarPatterns<T>,
  text: string,
): { value: T; rest: string } | undefined {
  if (text.length > MOST_PATH) return undefined;
  const equal = exact.get(text);
  if (equal !== undefined) return { value: equal, rest: "" };
  for (const length of lengths) {
    const found = length > text.length ? undefined : starred.get(text.slice(0, length));
    for (let end = length; found !== undefined && end <= text.length; end++) {
      const value = found.get(text.slice(end));
      if (value !== undefined) return { value, rest: text.slice(length, end) };
    }
  }
  return undefined;
}

/** None where that is no path any more: a target may have a star for each of its characters. */
export function fillStar(target: string, rest: string): string[] {
  const stars = target.length > MOST_PATH ? MOST_PATH : target.split("*").length - 1;
  return target.length + stars * rest.length > MOST_PATH ? [] : [target.replaceAll("*", () => rest)];
}
