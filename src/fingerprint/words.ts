import type { FileFingerprint } from "./types.js";

/**
 * The words of a text in the form in which they are compared: split at capitals and `_`, lower case, stemmed. A description says "parsed
 * options", the code `parseOption`: both are `pars` and `option`.
 */

/** Words that nearly every description or every code has: whether the code has them says nothing. */
const COMMON =
  /^(?:the|and|for|with|this|that|are|was|were|been|from|not|but|does|did|has|have|had|can|could|may|might|will|would|should|must|its|their|his|her|which|when|where|while|then|than|else|use|used|using|uses|also|only|any|all|each|one|two|into|out|over|under|about|after|before|between|such|same|other|these|those|there|here|what|who|how|why|you|your|our|they|them|she|see|via|per|new|return|returns|returned|returning|given|param|parameter|parameters|arg|args|argument|arguments|value|values|true|false|null|none|default|function|method|class|object|type|types)$/;

const SUFFIXES = [
  "ations",
  "ation",
  "ings",
  "ing",
  "edly",
  "ed",
  "ers",
  "er",
  "ies",
  "es",
  "s",
  "ly",
  "able",
  "ible",
  "ment",
  "ness",
];

/** Deliberately small: both sides go through the same rule, so it needs to be equal, not right. */
function stemOf(word: string): string {
  if (isDigit(word.charCodeAt(0))) return word;
  const suffix = SUFFIXES.find((end) => word.length - end.length >= 3 && word.endsWith(end));
  const stem = suffix === undefined ? word : word.slice(0, -suffix.length);
  if (suffix === "ies") return `${stem}y`;
  const last = stem.charCodeAt(stem.length - 1);
  const isDoubled = last === stem.charCodeAt(stem.length - 2) && !"aeioulsz".includes(stem.slice(-1));
  return isDoubled || (stem.length > 3 && stem.endsWith("e")) ? stem.slice(0, -1) : stem;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Words of at least three letters, and numbers: `fooBar_80` is `foo`, `Bar`, `80`. */
const splitWords = (text: string): string[] => text.match(/[A-Z]{3,}(?![a-z])|[A-Z]?[a-z]{2,}[a-z]|\d+/g) ?? [];

/** A description's words, as they are written in lower case, by their stems: without common ones and those of the symbol's own name. */
export function contentWords(text: string, name: string): Map<string, string> {
  const own = new Set(splitWords(name).map((word) => stemOf(word.toLowerCase())));
  const words = new Map<string, string>();
  for (const found of splitWords(text)) {
    const word = found.toLowerCase();
    if (COMMON.test(word)) continue;
    const stem = stemOf(word);
    if (!own.has(stem) && !words.has(stem)) words.set(stem, word);
  }
  return words;
}

/** The content words of a symbol's comment; of a declaration without a comment of its own, the first one's. */
export function commentWords(
  { docs }: Pick<FileFingerprint, "docs">,
  kind: "function" | "class",
  name: string,
  overload: number,
): string {
  const words = new Map(Object.entries(docs?.words ?? {}));
  return words.get(`${kind} ${name}:${overload}`) ?? words.get(`${kind} ${name}`) ?? "";
}

/** The stems in a symbol's tokens, as sorted hashes of 16 bits: a symbol has some 30, so one in two thousand is met by chance. */
export class WordSet {
  readonly #hashes = new Set<number>();

  static from(encoded: string): WordSet {
    const words = new WordSet();
    const bytes = Buffer.from(encoded, "base64");
    for (let at = 0; at + 1 < bytes.length; at += 2) words.#hashes.add(bytes.readUInt16LE(at));
    return words;
  }

  add(hash: number): void {
    this.#hashes.add(hash);
  }

  has(stem: string): boolean {
    return this.#hashes.has(wordHash(stem));
  }

  encoded(): string {
    const sorted = [...this.#hashes].sort((a, b) => a - b);
    const bytes = Buffer.alloc(2 * sorted.length);
    for (const [at, hash] of sorted.entries()) bytes.writeUInt16LE(hash, 2 * at);
    return bytes.toString("base64");
  }
}

/** The hashes of a token's stems; most tokens of a file occur in it more than once. */
export class TokenWords {
  readonly #known = new Map<string, readonly number[]>();

  of(token: string): readonly number[] {
    const known = this.#known.get(token);
    if (known !== undefined) return known;
    const hashes = splitWords(token).map((word) => wordHash(stemOf(word.toLowerCase())));
    this.#known.set(token, hashes);
    return hashes;
  }
}

/** FNV-1a, folded to 16 bits. */
function wordHash(stem: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < stem.length; at++) hash = Math.imul(hash ^ stem.charCodeAt(at), 0x01000193);
  return ((hash >>> 16) ^ hash) & 0xffff;
}
