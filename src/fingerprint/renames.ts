import { isSame, pairSymbols, type SymbolPair } from "./pairs.js";
import type { ClassFingerprint, FileFingerprint, FunctionFingerprint } from "./types.js";

type Declared = { kind: "function" | "class"; name: string; hash: string; bareHash?: string };
type Pair = SymbolPair<Declared>;

/**
 * What was renamed inside a file, a line each, and the older entry as it would be with today's names: what still differs
 * then was changed. The members of a renamed class are its own matter, and get no line.
 */
export function withCurrentNames(
  before: FileFingerprint,
  after: FileFingerprint,
): { details: string[]; old: FileFingerprint } {
  const [was, is] = [declaredIn(before), declaredIn(after)];
  const [gone, came] = [missing(was, is), missing(is, was)];
  const equal = pairSymbols(gone, came);
  const changed = changedClasses(equal, gone, came);
  const taken = new Set(changed.flatMap(({ before: one, after: other }) => [one, other]));
  const pairs = [...changed, ...equal.filter((pair) => !taken.has(pair.before) && !taken.has(pair.after))];
  if (pairs.length === 0) return { details: [], old: before };
  const own = pairs.filter((pair) => !pairs.some((other) => isMemberOf(pair, other)));
  const names = new Map(own.map((pair) => [pair.before.name, pair.after.name]));
  return { details: own.map((pair) => lineFor(pair, pairs)), old: renamed(before, after, names) };
}

function declaredIn({ functions, classes }: FileFingerprint): Declared[] {
  const as = (kind: Declared["kind"]) => (one: FunctionFingerprint | ClassFingerprint) => ({
    ...{ kind, name: one.name, hash: one.hash },
    ...(one.bareHash === undefined ? {} : { bareHash: one.bareHash }),
  });
  return [...classes.map(as("class")), ...functions.map(as("function"))];
}

function missing(from: readonly Declared[], other: readonly Declared[]): Declared[] {
  const names = new Set(other.map(({ kind, name }) => `${kind} ${name}`));
  return from.filter(({ kind, name }) => !names.has(`${kind} ${name}`));
}

/** Classes that changed, too, with their equal members: most of these are in one that came, under their own names. */
function changedClasses(equal: readonly Pair[], gone: readonly Declared[], came: readonly Declared[]): Pair[] {
  const taken = new Set(equal.flatMap(({ before, after }) => [before, after]));
  const isOpen = (one: Declared) => one.kind === "class" && !taken.has(one);
  const found = gone.filter(isOpen).flatMap((before) => {
    const members = membersOf(before, gone);
    const candidates = came.filter(isOpen).flatMap((after) => {
      const pairs = [...membersOf(after, came)].flatMap(([name, now]): Pair[] => {
        const was = members.get(name);
        return was !== undefined && isSame(was, now) ? [{ before: was, after: now, change: "renamed" }] : [];
      });
      return pairs.length * 2 > members.size ? [[{ before, after, change: "renamed" as const }, ...pairs]] : [];
    });
    return candidates.length === 1 ? candidates : [];
  });
  // Two that could have become the same class: neither did.
  const isOnly = ([one]: Pair[]) => found.filter(([other]) => other?.after === one?.after).length === 1;
  return found.filter(isOnly).flat();
}

/** By their names without the class's. */
function membersOf({ name: owner }: Declared, all: readonly Declared[]): Map<string, Declared> {
  const members = all.filter(({ name }) => name.startsWith(`${owner}.`));
  return new Map(members.map((one) => [one.name.slice(owner.length), one]));
}

const isMemberOf = (pair: Pair, owner: Pair) =>
  owner.before.kind === "class" &&
  pair.before.name.startsWith(`${owner.before.name}.`) &&
  pair.after.name.startsWith(`${owner.after.name}.`);

function lineFor(pair: Pair, pairs: readonly Pair[]): string {
  const line = `renamed ${pair.before.kind}: ${pair.before.name} → ${pair.after.name}`;
  if (pair.before.kind === "function") return line;
  const members = pairs.filter((other) => isMemberOf(other, pair)).length;
  return `${line} (${members} ${members === 1 ? "member" : "members"} unchanged)`;
}

function renamed(before: FileFingerprint, after: FileFingerprint, names: ReadonlyMap<string, string>): FileFingerprint {
  const current = (name: string) => currentName(name, names);
  return {
    ...before,
    functions: asCurrent(before.functions, after.functions, current),
    classes: asCurrent(before.classes, after.classes, current),
    exports: before.exports.map(current),
  };
}

/** By its own new name, or by that of the class around it. */
function currentName(name: string, names: ReadonlyMap<string, string>): string {
  for (let end = name.length; end > 0; end = name.lastIndexOf(".", end - 1)) {
    const now = names.get(name.slice(0, end));
    if (now !== undefined) return now + name.slice(end);
  }
  return name;
}

/** What is the same but for its name is given as it is now: its own name may be a part of its signature. */
function asCurrent<T extends FunctionFingerprint | ClassFingerprint>(
  before: readonly T[],
  after: readonly T[],
  current: (name: string) => string,
): T[] {
  const now = new Map(after.map((one) => [one.name, one]));
  return before.map((one) => {
    const name = current(one.name);
    const found = name === one.name ? undefined : now.get(name);
    return found !== undefined && isSame(one, found) ? { ...found, exported: one.exported } : { ...one, name };
  });
}
