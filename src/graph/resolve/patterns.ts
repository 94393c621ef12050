/** A key with at most one `*`, as in tsconfig `paths` and package.json `imports` and `exports`. */
export interface StarPattern<T> {
  before: string;
  /** Undefined if the key has no star. */
  after: string | undefined;
  value: T;
}

export function starPattern<T>(key: string, value: T): StarPattern<T> {
  const star = key.indexOf("*");
  return star < 0
    ? { before: key, after: undefined, value }
    : { before: key.slice(0, star), after: key.slice(star + 1), value };
}

/** The best match: an exact key, then the longest text before the star. `rest` is what the star matched. */
export function matchStar<T>(
  patterns: readonly StarPattern<T>[],
  text: string,
): { value: T; rest: string } | undefined {
  let best: StarPattern<T> | undefined;
  for (const pattern of patterns) {
    if (pattern.after === undefined) {
      if (pattern.before === text) return { value: pattern.value, rest: "" };
      continue;
    }
    const long = text.length >= pattern.before.length + pattern.after.length;
    if (!long || !text.startsWith(pattern.before) || !text.endsWith(pattern.after)) continue;
    if (best === undefined || pattern.before.length > best.before.length) best = pattern;
  }
  if (best?.after === undefined) return undefined;
  return { value: best.value, rest: text.slice(best.before.length, text.length - best.after.length) };
}

export function fillStar(target: string, rest: string): string {
  return target.replaceAll("*", () => rest);
}
