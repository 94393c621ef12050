import { isBehaviourDrift } from "../fingerprint/symbols.js";
import type { DescriptionKey } from "./description-keys.js";

/** Who brought a description. `here`: delivered or edited in this clone; `tracked`: it came in an artefact that git tracks. */
export const SOURCES = ["here", "shared", "tracked"] as const;
export type DescriptionSource = (typeof SOURCES)[number];

/** A stored description, as far as the choice depends on it. */
export interface DescriptionCandidate {
  id: number;
  key: DescriptionKey;
  source: DescriptionSource;
  at: string;
  text: Readonly<Record<string, unknown>>;
}

/** How far the described content is from the wanted one, nearest first. */
export const NEARNESS = ["exact", "moved", "renamed", "body", "behaviour", "interface"] as const;
export type Nearness = (typeof NEARNESS)[number];

export interface Choice<T> {
  description: T;
  nearness: Nearness;
}

export interface ChoiceOptions {
  /** Whether HEAD has the artefact: what came with it is left behind with the branch. */
  trackedCounts: boolean;
  /** Whether the place that a description was written for still has its symbol. */
  isThere(place: Pick<DescriptionKey, "type" | "path" | "name">): boolean;
}

/**
 * Which of the stored descriptions stands for a symbol: the nearest, then the one of the best rank, then the newest; null if
 * none counts. Pure.
 */
export function choose<T extends DescriptionCandidate>(
  wanted: DescriptionKey,
  candidates: readonly T[],
  options: ChoiceOptions,
): Choice<T> | null {
  const counted = candidates.filter(({ source }) => source !== "tracked" || options.trackedCounts);
  const near = counted.flatMap((description) => {
    const nearness = nearnessOf(wanted, description.key, options);
    return nearness === null ? [] : [{ description, nearness }];
  });
  const preferred = near.sort(byPreference);
  return preferred.find((one) => isOnly(one, preferred)) ?? null;
}

export function nearnessOf(
  wanted: DescriptionKey,
  key: DescriptionKey,
  { isThere }: Pick<ChoiceOptions, "isThere">,
): Nearness | null {
  if (key.type !== wanted.type) return null;
  if (key.path === wanted.path && key.name === wanted.name) return nearnessOfContent(wanted, key);
  // By the whole content, a node says nothing about another one.
  if (wanted.signature === undefined || isThere(key)) return null;
  if (key.hash === wanted.hash) return wanted.type === "file" ? null : "moved";
  return hasBodyOf(wanted, key) ? "renamed" : null;
}

const hasBodyOf = ({ bareHash }: DescriptionKey, key: DescriptionKey) =>
  bareHash !== undefined && key.bareHash === bareHash;

/** How far two contents of one place are from each other. */
export function nearnessOfContent(wanted: DescriptionKey, key: DescriptionKey): Nearness {
  if (key.hash === wanted.hash) return "exact";
  // It came along with its symbol, which had another name.
  if (hasBodyOf(wanted, key)) return "renamed";
  if (wanted.signature === undefined || key.signature !== wanted.signature) return "interface";
  return isBehaviourDrift(key, { ...wanted, isModule: wanted.type === "file" }) ? "behaviour" : "body";
}

/**
 * Two places that could be meant are none; but what another clone shares puts nothing of better rank in doubt, nor does a place whose text
 * this one has as well: it followed the symbol from there. `all`: the preferred first.
 */
function isOnly<T extends DescriptionCandidate>(
  { description, nearness }: Choice<T>,
  all: readonly Choice<T>[],
): boolean {
  if (nearness !== "moved" && nearness !== "renamed") return true;
  const rivals = all.filter((one) => one.nearness === nearness).map((one) => one.description);
  const textsAt = (place: DescriptionKey) =>
    rivals.filter(({ key }) => isSamePlace(key, place)).map(({ text }) => JSON.stringify(text));
  const own = new Set(textsAt(description.key));
  return rivals.every(({ key, source }) => RANKS[source] > RANKS[description.source] || own.has(textsAt(key)[0] ?? ""));
}

const isSamePlace = (a: DescriptionKey, b: DescriptionKey) => a.path === b.path && a.name === b.name;

/** What came with HEAD's artefact is worth as much as what was written here. */
const RANKS: Readonly<Record<DescriptionSource, number>> = { here: 1, tracked: 1, shared: 2 };

function byPreference<T extends DescriptionCandidate>(a: Choice<T>, b: Choice<T>): number {
  const rank = ({ description }: Choice<T>) => RANKS[description.source];
  const newer =
    a.description.at === b.description.at
      ? b.description.id - a.description.id
      : a.description.at < b.description.at
        ? 1
        : -1;
  return NEARNESS.indexOf(a.nearness) - NEARNESS.indexOf(b.nearness) || rank(a) - rank(b) || newer;
}
