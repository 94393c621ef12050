import { type Behaving, isBehaviourDrift, NOTHING } from "./symbols.js";
import type { Behaviour, Overload, Signs } from "./types.js";
import { contentWords, WordSet } from "./words.js";

/** How likely it is that a sentence about a symbol became false when its body changed. */
export const LIKELIHOODS = ["likely", "possible", "unlikely"] as const;
export type Likelihood = (typeof LIKELIHOODS)[number];

export interface Estimate {
  likelihood: Likelihood;
  /** In words, the strongest sign first: `it now throws`, `its text says "80", the code no longer does`. */
  reasons: string[];
  /** Higher is more likely; for an order, and for the fit. */
  score: number;
}

/**
 * Fitted by bench/likelihood.ts on changed functions whose authors edited their comments in the same commit, or did not. A logarithm
 * of what is counted, and 1 or 0 of what is so or not.
 */
export const WEIGHTS = {
  constant: -0.39,
  behaviour: 0.34,
  branches: 0.22,
  calls: 0.32,
  literals: 0.82,
  anyWord: 0.92,
  wordsGone: 0.22,
  textWords: 0.28,
  tokens: -0.54,
};
export type Features = Record<keyof typeof WEIGHTS, number>;

/** From this score on a sentence is `likely` or `possible` false. */
export const LIKELY_FROM = -0.16;
export const POSSIBLE_FROM = -1.41;

/** What is known of one content of a symbol; facts of an earlier extractor have no signs. */
export interface SignedSymbol extends Behaving {
  signs?: Signs;
  overloads?: Overload[];
}

/** The declarations of a symbol in both contents, and which one each is before; of a single one the symbol itself. */
export function pairsOf(
  before: SignedSymbol,
  after: SignedSymbol,
): { before: SignedSymbol; after: SignedSymbol; at: number; line: number }[] {
  const old = before.overloads ?? [];
  const pairs = (after.overloads ?? []).flatMap((now) => {
    const at = old.findIndex(({ key }) => key === now.key);
    const was = old[at];
    if (was === undefined) return [];
    const isAside = before.isAside === true || after.isAside === true;
    return [{ before: signed(was, isAside), after: signed(now, isAside), at, line: now.line }];
  });
  return pairs.length > 0 ? pairs : [{ before, after, at: 0, line: 0 }];
}

/**
 * Pure. `textOf` gives the words of the sentence that was written about `before`: of a symbol with several declarations, each is
 * compared for itself, and the one that changed most counts.
 */
export function estimate(
  before: SignedSymbol,
  after: SignedSymbol,
  name: string,
  textOf: (overload: number) => string,
): Estimate {
  const found = pairsOf(before, after).map(({ before: was, after: now, at }) =>
    estimateOne(was, now, name, textOf(at)),
  );
  return found.reduce((worst, one) => (one.score > worst.score ? one : worst), UNCHANGED);
}

const UNCHANGED: Estimate = { likelihood: "unlikely", reasons: [], score: Number.NEGATIVE_INFINITY };

function estimateOne(before: SignedSymbol, after: SignedSymbol, name: string, text: string): Estimate {
  const found = compareSigns(before, after, text, name);
  if (found === null) return UNCHANGED;
  const score = scoreOf(found.features);
  const likelihood = score >= LIKELY_FROM ? "likely" : score >= POSSIBLE_FROM ? "possible" : "unlikely";
  return { likelihood, reasons: likelihood === "unlikely" ? [] : found.reasons, score };
}

export function scoreOf(features: Features): number {
  let score = 0;
  for (const [name, weight] of Object.entries(WEIGHTS)) score += weight * features[name as keyof Features];
  return score;
}

/** Null where nothing can have become false: equal tokens, a test, a generated file. */
export function compareSigns(
  before: SignedSymbol,
  after: SignedSymbol,
  text: string,
  name: string,
): { features: Features; reasons: string[] } | null {
  if (before.hash === after.hash || before.isAside === true || after.isAside === true) return null;
  const [was, now] = [before.behaviour ?? NOTHING, after.behaviour ?? NOTHING];
  const words = contentWords(text, name);
  const [had, has] = [before.signs?.words, after.signs?.words].map((encoded) => WordSet.from(encoded ?? ""));
  const [gone, came]: [string[], string[]] = [[], []];
  for (const [stem, word] of words) {
    const [then, today] = [had?.has(stem), has?.has(stem)];
    if (then && !today) gone.push(word);
    if (!then && today) came.push(word);
  }
  const features: Features = {
    constant: 1,
    behaviour: isBehaviourDrift(before, after) ? 1 : 0,
    branches: Math.log1p(Math.abs(now[0] - was[0])),
    calls: now[3] === was[3] ? 0 : 1,
    literals: before.signs?.literals === after.signs?.literals ? 0 : 1,
    anyWord: gone.length + came.length > 0 ? 1 : 0,
    wordsGone: Math.min(gone.length, 3),
    textWords: Math.log1p(words.size),
    tokens: Math.log1p(before.signs?.tokens ?? 0),
  };
  return { features, reasons: reasonsOf(was, now, features, gone, came) };
}

function reasonsOf(
  was: Behaviour,
  now: Behaviour,
  features: Features,
  gone: readonly string[],
  came: readonly string[],
): string[] {
  const reasons: string[] = [];
  if (gone.length > 0) reasons.push(`its text says ${listed(gone)}, the code no longer does`);
  if (now[1] !== was[1]) reasons.push(throwing(was[1], now[1]));
  if (came.length > 0) reasons.push(`its text says ${listed(came)}, which the code handles only now`);
  if (features.literals === 1) reasons.push("its strings or numbers changed");
  if (now[0] !== was[0])
    reasons.push(`it has ${now[0] > was[0] ? "more" : "fewer"} branches (${was[0]} before, ${now[0]} now)`);
  if (features.calls === 1) reasons.push("it calls something else");
  return reasons;
}

const listed = (words: readonly string[]): string =>
  words
    .slice(0, 3)
    .map((word) => `"${word}"`)
    .join(", ");

function throwing(was: number, now: number): string {
  if (was === 0) return "it now throws or catches errors";
  if (now === 0) return "it no longer throws or catches errors";
  return `it throws or catches errors in ${now > was ? "more" : "fewer"} places (${was} before, ${now} now)`;
}

function signed({ hash, behaviour, tokens, literals, words }: Overload, isAside: boolean): SignedSymbol {
  const signs = literals === undefined ? { tokens, words } : { tokens, literals, words };
  return behaviour === undefined ? { hash, signs, isAside } : { hash, behaviour, signs, isAside };
}
