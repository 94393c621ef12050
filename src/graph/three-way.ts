import { byText } from "./order.js";

/** Three-way merge of any values: pure, deterministic, independent of their meaning. */

export interface Three<T> {
  base: T | undefined;
  ours: T | undefined;
  theirs: T | undefined;
}

export type Side = "ours" | "theirs";

/** JSON equality; the order of keys does not matter, the order of lists does. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, at) => same(item, b[at]));
  }
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return keys.every((key) => Object.hasOwn(right, key) && same(left[key], right[key]));
}

/** The side that changed the value; `same` if both are equal, `both` if they differ. */
export function changedBy<T>({ base, ours, theirs }: Three<T>): Side | "same" | "both" {
  if (same(ours, theirs)) return "same";
  if (same(base, ours)) return "theirs";
  return same(base, theirs) ? "ours" : "both";
}

/** Deleted on one side and unchanged on the other: gone. Deleted and changed: kept. Both changed: `resolve` decides. */
export function pick<T>(three: Three<T>, resolve: (ours: T, theirs: T) => T): T | undefined {
  const { ours, theirs } = three;
  const by = changedBy(three);
  if (by !== "both") return by === "theirs" ? theirs : ours;
  return ours === undefined || theirs === undefined ? (ours ?? theirs) : resolve(ours, theirs);
}

type Fields = { readonly [field: string]: unknown };

/** Field by field, in the order of ours; `decide` returns the side if both changed a field. */
export function mergeFields<T extends Fields>({ base, ours, theirs }: Three<T>, decide: (field: string) => Side): T {
  const merged: Record<string, unknown> = {};
  for (const field of Object.keys({ ...ours, ...theirs })) {
    const three = { base: base?.[field], ours: ours?.[field], theirs: theirs?.[field] };
    const value = pick<unknown>(three, (left, right) => (decide(field) === "ours" ? left : right));
    if (value !== undefined) merged[field] = value;
  }
  return merged as T;
}

/** What both have and what either added, without what either removed. In the order of `weave`. */
export function mergeSets({ base, ours, theirs }: Three<readonly string[]>): string[] {
  const was = new Set(base);
  const [left, right] = [new Set(ours), new Set(theirs)];
  const stays = (key: string) => (left.has(key) && right.has(key)) || !was.has(key);
  return weave({ base: [...was], ours: [...left], theirs: [...right] }, stays);
}

interface MergeLists<T> {
  base: readonly T[];
  ours: readonly T[];
  theirs: readonly T[];
}

/** Each key once, with its value in each version, in an order that fits both sides. */
export function mergeKeyed<T, K>(
  { base, ours, theirs }: MergeLists<T>,
  keyOf: (item: T) => K,
  resolve: (three: Three<T>) => T | undefined,
): T[] {
  const [was, left, right] = [indexed(base, keyOf), indexed(ours, keyOf), indexed(theirs, keyOf)];
  const merged = new Map<K, T>();
  const settle = (key: K) => {
    const item = resolve({ base: was.get(key), ours: left.get(key), theirs: right.get(key) });
    if (item !== undefined) merged.set(key, item);
  };
  for (const key of left.keys()) settle(key);
  for (const key of right.keys()) if (!left.has(key)) settle(key);
  const keys = { base: [...was.keys()], ours: [...left.keys()], theirs: [...right.keys()] };
  return weave(keys, (key) => merged.has(key)).flatMap((key) => merged.get(key) ?? []);
}

/** Of two items with one key, the first: the same one that readers of the list find first. */
function indexed<T, K>(list: readonly T[], keyOf: (item: T) => K): Map<K, T> {
  const byKey = new Map<K, T>();
  for (const item of list) {
    const key = keyOf(item);
    if (!byKey.has(key)) byKey.set(key, item);
  }
  return byKey;
}

/**
 * One order for the keys of both sides: the side that reordered or added keys leads (ours if both did), and a key of
 * the other side follows the key that it follows there.
 */
function weave<K>({ base, ours, theirs }: MergeLists<K>, stays: (key: K) => boolean): K[] {
  const [spine, other] = isSameList(base, ours) ? [theirs, ours] : [ours, theirs];
  const known = new Set(spine);
  const following = new Map<K | undefined, K[]>();
  let before: K | undefined;
  for (const key of other) {
    if (known.has(key)) before = key;
    else if (stays(key)) {
      const group = following.get(before);
      if (group) group.push(key);
      else following.set(before, [key]);
    }
  }
  const woven = following.get(undefined) ?? [];
  for (const key of spine) {
    if (stays(key)) woven.push(key);
    for (const follower of following.get(key) ?? []) woven.push(follower);
  }
  return woven;
}

const isSameList = <K>(a: readonly K[], b: readonly K[]) =>
  a.length === b.length && a.every((key, at) => key === b[at]);

/** The later of two times; an invalid time is older than any. Independent of which side runs the merge. */
export function newerSide(ours: Stamp, theirs: Stamp): Side {
  const [left, right] = [timeOf(ours.at), timeOf(theirs.at)];
  if (left !== right) return left > right ? "ours" : "theirs";
  const byCommit = byText(ours.commit, theirs.commit) || byText(ours.text(), theirs.text());
  return byCommit >= 0 ? "ours" : "theirs";
}

export interface Stamp {
  at: unknown;
  commit: string;
  /** Needed only if time and commit are equal. */
  text: () => string;
}

function timeOf(text: unknown): number {
  const time = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}
