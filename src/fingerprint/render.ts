import { tester } from "../characters.js";

const endsWord = /* @__PURE__ */ tester(/[\w$"'`]$/, () => /[\p{L}\p{N}_$"'`]$/u);
const startsWord = /* @__PURE__ */ tester(/^[\w$"'`#@]/, () => /^[\p{L}\p{N}_$"'`#@]/u);
const SPACED = new Set(["=", "|", "=>", "->", "+", "==", "&&", "||"]);
const SPACE_AFTER = new Set([",", ";", ":", ")", ">", "}", "?"]);
/** Tokens that belong to the word that follows: Rust's lifetimes, PHP's variables, decorators. */
const SIGILS = new Set(["'", "$", "@", "#"]);

/**
 * Joins tokens into the one way we write them. Any two layouts of the same tokens give the same text, which is what makes
 * signatures comparable; that it also reads well is for the people who see it in a marker.
 */
export function joinTokens(tokens: readonly string[]): string {
  let text = "";
  let previous = "";
  for (const token of tokens) {
    if (previous !== "" && needsSpace(previous, token)) text += " ";
    text += token;
    previous = token;
  }
  return text;
}

function needsSpace(left: string, right: string): boolean {
  if (SIGILS.has(left)) return false;
  if (SPACED.has(left) || SPACED.has(right)) return true;
  if (left === "," || left === ";" || left === ":") return true;
  if (right === "&" || right === "*") return endsWord(left) || left === ">" || left === "]";
  const wordNext = startsWord(right);
  if (!wordNext) return false;
  return endsWord(left) || SPACE_AFTER.has(left);
}
