import { isRefusal, isTimeout } from "../git/run.js";
import { isTooMuch, MOST_PACK_BYTES } from "../git/side-repository.js";
import { rankedAuthors } from "./tips.js";
import { fetchAuthors, fetchRefs, listAuthors, type Transport } from "./transport.js";

/** What one fetch is about: whose refs, and what is known of them. */
export interface Wanted {
  forgotten: readonly string[];
  /** null: everyone who can push is trusted. */
  signers: readonly string[] | null;
  /** Authors who come first where not all have a place. */
  first(): Promise<readonly string[]>;
  /** As they were fetched before. */
  before: Promise<ReadonlyMap<string, string>>;
  /** Refs that were too large, by their tip: they are not tried again. */
  tooLarge: Readonly<Record<string, string>>;
  /** All at once were too much the last time. */
  isCrowded: boolean;
}

export interface FetchedRefs {
  isChanged: boolean;
  isCrowded: boolean;
  /** Authors without a place. */
  ignored: string[];
  tooLarge: Record<string, string>;
}

/**
 * Fetches what others share. All at once, which costs one connection; where somebody has pushed more than one fetch may bring, in parts, those
 * first who were here before: so one pusher cannot keep the others out.
 */
export async function fetchShared(
  transport: Transport,
  wanted: Wanted,
  limits: FetchLimits = LIMITS,
): Promise<FetchedRefs> {
  const { forgotten, signers, isCrowded } = wanted;
  if (!isCrowded) {
    try {
      const which = signers === null ? { without: forgotten } : { only: signers };
      return { isChanged: await fetchAuthors(transport, which, limits.allBytes), isCrowded, ignored: [], tooLarge: {} };
    } catch (error) {
      if (!isTooMuch(error) && !isTimeout(error)) throw error;
    }
  }
  return fetchInParts(transport, wanted, limits);
}

interface FetchLimits {
  allBytes: number;
  /** Of one part; and so of one author. */
  partBytes: number;
}

const LIMITS: FetchLimits = { allBytes: MOST_PACK_BYTES, partBytes: MOST_PACK_BYTES / 4 };

async function fetchInParts(transport: Transport, wanted: Wanted, { partBytes }: FetchLimits): Promise<FetchedRefs> {
  const { forgotten, signers } = wanted;
  const tips = await listAuthors(transport);
  const names = [...tips.keys()].filter((name) => !forgotten.includes(name) && (signers?.includes(name) ?? true));
  const { chosen, ignored } = rankedAuthors(names, await wanted.first());
  const before = await wanted.before;
  const isNew = (author: string) => before.get(author) !== tips.get(author);
  const isTried = (author: string) => wanted.tooLarge[author] === tips.get(author);
  const left = await fetchApart(
    chosen.filter((author) => isNew(author) && !isTried(author)),
    (some) => fetchRefs(transport, some, partBytes),
  );
  const tooLarge = [...left, ...chosen.filter(isTried)].map((author) => [author, tips.get(author) ?? ""] as const);
  const isCrowded = ignored.length + tooLarge.length > 0;
  return { isChanged: true, isCrowded, ignored, tooLarge: Object.fromEntries(tooLarge) };
}

const AT_A_TIME = 50;
/** Each may have received as much as one fetch may bring. */
const MOST_FAILURES = 24;

/** Returns the authors whose refs cannot be fetched: a part that fails is halved until they are found. */
export async function fetchApart(
  authors: readonly string[],
  fetch: (authors: readonly string[]) => Promise<void>,
): Promise<string[]> {
  const left: string[] = [];
  const parts: (readonly string[])[] = [];
  for (let at = 0; at < authors.length; at += AT_A_TIME) parts.push(authors.slice(at, at + AT_A_TIME));
  let failures = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    try {
      await fetch(part);
    } catch (error) {
      if (!isTooMuch(error) && !isTimeout(error) && !isRefusal(error)) throw error;
      if (++failures > MOST_FAILURES) throw error;
      const half = Math.ceil(part.length / 2);
      if (part.length === 1) for (const author of part) left.push(author);
      else parts.unshift(part.slice(0, half), part.slice(half));
    }
  }
  return left;
}
