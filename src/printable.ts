import { isPlainAscii } from "./characters.js";

/** File names are data: control characters and direction marks must not reach a terminal or a page. */
export function printable(text: string): string {
  if (isPlainAscii(text) && !text.includes("\n")) return text;
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** Of a file or an author. */
const NAME_LENGTH = 80;

/**
 * A JSON string in which everything invisible is escaped: control characters, direction marks, tags, lone surrogates.
 * Long texts lose their middle, because the end of a path matters more.
 */
export function quoted(text: string, most = NAME_LENGTH): string {
  const units = Array.from(text, visible);
  const start = within(units, most);
  if (start.length === units.length) return `"${start.join("")}"`;
  const half = Math.floor((most - 1) / 2);
  const end = within(units.toReversed(), half).reverse();
  return `"${[...within(units, half), "…", ...end].join("")}"`;
}

/** As many units from the front as fit; never a part of one, because half an escape means something else. */
function within(units: readonly string[], most: number): string[] {
  let length = 0;
  const end = units.findIndex((unit) => {
    length += unit.length;
    return length > most;
  });
  return units.slice(0, end < 0 ? units.length : end);
}

/** A backquote would end the quotation for some readers. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\u00a0`]/u;

function visible(char: string): string {
  if (!HIDDEN.test(char)) return JSON.stringify(char).slice(1, -1);
  return char.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
