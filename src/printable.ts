import { isPlainAscii } from "./characters.js";

/** File names are data: control characters and direction marks must not reach a terminal or a page. */
export function printable(text: string): string {
  if (isPlainAscii(text) && !text.includes("\n")) return text;
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, "0")}`;
  });
}
