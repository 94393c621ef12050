import type { PieceRange } from "./own-tokens.js";
import type { Syntax } from "./syntax.js";
import type { Signs } from "./types.js";
import { TokenWords, WordSet } from "./words.js";

/** A number, or a string with at most two letters before its quote: `80`, `"a"`, `f"a"`, `@"a"`. */
const LITERAL = /^(?:\d|[@$A-Za-z]{0,2}["'`])/;

/** Reads what the tokens of a symbol say. One for each file, because a file repeats its words. */
export class SignReader {
  readonly #words = new TokenWords();

  constructor(private readonly syntax: Syntax) {}

  of(areas: readonly PieceRange[]): Signs {
    const { pieces } = this.syntax;
    const words = new WordSet();
    let tokens = 0;
    let literals = 0;
    let sum = 0;
    for (const [from, end] of areas) {
      for (let piece = from; piece < end; piece++) {
        if (pieces.isMark(piece) || pieces.isDocumentation(piece)) continue;
        tokens++;
        const text = pieces.text(piece);
        for (const hash of this.#words.of(text)) words.add(hash);
        if (!LITERAL.test(text)) continue;
        literals++;
        sum = (sum + hashOfText(text)) >>> 0;
      }
    }
    const encoded = words.encoded();
    if (literals === 0) return { tokens, words: encoded };
    return { tokens, literals: `${literals}.${sum.toString(36)}`, words: encoded };
  }
}

/** FNV-1a: the sum over all literals says which there are, each how often, in any order. */
function hashOfText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
