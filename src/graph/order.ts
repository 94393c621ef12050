/** By code units, not by locale: the same order on every machine, and git's order for ASCII paths. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** For each wanted text, the greatest present text that is not greater; undefined if there is none. */
export function predecessors(present: Iterable<string>, wanted: Iterable<string>): Map<string, string | undefined> {
  const sorted = [...present].sort(byText);
  const found = new Map<string, string | undefined>();
  for (const text of wanted) found.set(text, lastNotAfter(sorted, text));
  return found;
}

function lastNotAfter(sorted: readonly string[], text: string): string | undefined {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (byText(sorted[middle] ?? "", text) <= 0) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? undefined : sorted[low - 1];
}

/** Inserts each new item after the greatest one before it: a sorted list stays sorted, any other keeps its order. */
export function insertSorted<T>(list: readonly T[], added: readonly T[], textOf: (item: T) => string): T[] {
  const sorted = [...added].sort((a, b) => byText(textOf(a), textOf(b)));
  const anchors = predecessors(list.map(textOf), sorted.map(textOf));
  const following = new Map<string | undefined, T[]>();
  for (const item of sorted) {
    const anchor = anchors.get(textOf(item));
    const group = following.get(anchor);
    if (group) group.push(item);
    else following.set(anchor, [item]);
  }
  const result = following.get(undefined) ?? [];
  for (const item of list) {
    result.push(item);
    const text = textOf(item);
    for (const follower of following.get(text) ?? []) result.push(follower);
    following.delete(text);
  }
  return result;
}
