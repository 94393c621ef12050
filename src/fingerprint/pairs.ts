/** What is asked of a symbol to find it again elsewhere. */
export interface Pairable {
  path?: string;
  kind: string;
  name: string;
  hash: string;
  bareHash?: string;
}

export interface SymbolPair<T> {
  before: T;
  after: T;
  /** `renamed` also if it is in another file now: that says more than `moved`. */
  change: "renamed" | "moved";
}

/**
 * Symbols that went and symbols that came, and are the same: an equal body under another name or in another file. Where two
 * could be meant, neither is. Members of a paired class are looked for in that class first, so that two classes with equal
 * members do not stand in each other's way. Pure.
 */
export function pairSymbols<T extends Pairable>(gone: readonly T[], came: readonly T[]): SymbolPair<T>[] {
  const pairs = new Map<T, SymbolPair<T>>();
  const taken = new Set<T>();
  const add = (before: T, after: T) => {
    if (taken.has(before) || taken.has(after)) return;
    taken.add(before).add(after);
    pairs.set(after, { before, after, change: before.name === after.name ? "moved" : "renamed" });
  };
  const open = (list: readonly T[]) => list.filter((symbol) => !taken.has(symbol));
  const pairBy = (keyOf: (symbol: T) => string | undefined) => {
    const now = uniqueBy(open(came), keyOf);
    for (const [key, before] of uniqueBy(open(gone), keyOf)) {
      const after = now.get(key);
      if (after !== undefined) add(before, after);
    }
  };
  const classesOnly = (keyOf: (symbol: T) => string | undefined) => (symbol: T) =>
    symbol.kind === "class" ? keyOf(symbol) : undefined;
  pairBy(classesOnly(sameName));
  pairBy(classesOnly(sameBody));
  pairBy(classesOnly(sameMembers([...gone, ...came])));
  for (const { before, after } of [...pairs.values()]) addMembers({ before, after }, { gone, came }, add);
  pairBy(sameName);
  pairBy(sameBody);
  return [...pairs.values()];
}

/** A symbol that moved as it is. */
const sameName = ({ kind, name, hash }: Pairable) => `${kind} ${hash} ${name}`;
/** One with another name; what has few tokens has no such hash, and is like others by chance. */
const sameBody = ({ kind, bareHash }: Pairable) => (bareHash === undefined ? undefined : `${kind} ${bareHash}`);

/** A class of few tokens is known by its members: Go's methods stand outside of their type. */
function sameMembers<T extends Pairable>(all: readonly T[]): (symbol: T) => string | undefined {
  const byOwner = new Map<string, string[]>();
  for (const { path, name, bareHash } of all) {
    const dot = name.lastIndexOf(".");
    const owner = `${path} ${name.slice(0, dot)}`;
    if (dot > 0 && bareHash !== undefined)
      byOwner.set(owner, [...(byOwner.get(owner) ?? []), `${name.slice(dot)} ${bareHash}`]);
  }
  return ({ path, name, bareHash }) =>
    bareHash === undefined ? byOwner.get(`${path} ${name}`)?.sort().join() : undefined;
}

/** Members of the same name in a class that has another name or place, if they are what they were. */
function addMembers<T extends Pairable>(
  { before, after }: { before: T; after: T },
  { gone, came }: { gone: readonly T[]; came: readonly T[] },
  add: (before: T, after: T) => void,
): void {
  const now = new Map(came.flatMap((one) => (isMember(one, after) ? [[one.name.slice(after.name.length), one]] : [])));
  for (const one of gone) {
    const found = isMember(one, before) ? now.get(one.name.slice(before.name.length)) : undefined;
    if (found?.kind === one.kind && isSame(one, found)) add(one, found);
  }
}

const isMember = (symbol: Pairable, owner: Pairable) =>
  symbol.path === owner.path && symbol.name.startsWith(`${owner.name}.`);

/** Equal but for the names of itself and of what it is in. */
export function isSame(before: Omit<Pairable, "kind" | "name">, after: Omit<Pairable, "kind" | "name">): boolean {
  return before.hash === after.hash || (before.bareHash !== undefined && before.bareHash === after.bareHash);
}

/** What has a key that nothing else of the list has. */
function uniqueBy<T>(list: readonly T[], keyOf: (one: T) => string | undefined): Map<string, T> {
  const found = new Map<string, T | undefined>();
  for (const one of list) {
    const key = keyOf(one);
    if (key !== undefined) found.set(key, found.has(key) ? undefined : one);
  }
  return new Map([...found].flatMap(([key, one]) => (one === undefined ? [] : [[key, one] as const])));
}
