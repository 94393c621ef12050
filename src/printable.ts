import { isPlainAscii } from "./characters.js";

const NON_JOINER = "\u200c";
const JOINER = "\u200d";
const EMOJI_STYLE = "\ufe0f";

type Patterns = ReturnType<typeof buildPatterns>;
let built: Patterns | undefined;
/** Built for the first text that is not ASCII: see characters.ts. */
const patterns = (): Patterns => {
  built ??= buildPatterns();
  return built;
};

function buildPatterns() {
  /**
   * The one definition of what a text hides: characters that show nothing, or something else than what is there. Controls, format
   * characters (direction marks, tags), halves of pairs, private use (each font has its own picture), what is not assigned (no font
   * has one), line separators, all that Unicode ignores by default (variation selectors, Hangul fillers, U+034F), the empty Braille cell.
   */
  const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
  /** Letters that change their form beside each other. */
  const cursive =
    /(?=\p{L})[\p{sc=Arab}\p{sc=Syrc}\p{sc=Mong}\p{sc=Nkoo}\p{sc=Mand}\p{sc=Mani}\p{sc=Phlp}\p{sc=Phag}\p{sc=Rohg}\p{sc=Sogd}\p{sc=Ougr}\p{sc=Adlm}\p{sc=Chrs}]/u;
  return {
    hidden,
    endsCursive: new RegExp(`${cursive.source}\\p{Mn}*$`, "u"),
    beginsCursive: new RegExp(`^${cursive.source}`, "u"),
    /** Hangul's fillers are letters to Unicode. */
    beginsLetter: /^(?!\p{Default_Ignorable_Code_Point})\p{L}/u,
    endsEmoji: /\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?$/u,
    beginsEmoji: /^\p{Extended_Pictographic}/u,
    /** Symbols that are no emoji by themselves: behind others nobody would see the sign. */
    endsSymbol: /(?!\p{Emoji_Presentation})\p{Extended_Pictographic}$/u,
  };
}

/** No more is looked at on either side. */
const NEAR = 16;

/**
 * Whether a joiner, or the sign that makes a symbol an emoji, belongs to the spelling at this place. For letters this is RFC 5892,
 * appendix A. One that stands beside another never does.
 */
function belongs(char: string, text: string, at: number): boolean {
  if (char !== NON_JOINER && char !== JOINER && char !== EMOJI_STYLE) return false;
  const before = text.slice(Math.max(0, at - NEAR), at);
  const after = text.slice(at + 1, at + 1 + NEAR);
  const { endsCursive, beginsCursive, beginsLetter, endsEmoji, beginsEmoji, endsSymbol } = patterns();
  if (char === EMOJI_STYLE) return endsSymbol.test(before) || (/[0-9#*]$/.test(before) && after.startsWith("\u20e3"));
  if (beginsLetter.test(after) && endsWithVirama(before)) return true;
  if (char === NON_JOINER) return endsCursive.test(before) && beginsCursive.test(after);
  return endsEmoji.test(before) && beginsEmoji.test(after);
}

/**
 * A mark of combining class 9. Regular expressions have no such property, but normalization orders marks by their class: behind one of
 * class 8, and before one of class 10.
 */
function endsWithVirama(text: string): boolean {
  const [mark = ""] = /\p{M}$/u.exec(text) ?? [];
  if (mark === "") return false;
  const isAbove8 = `${mark}\u3099`.normalize("NFD") === `\u3099${mark}`;
  const isBelow10 = `\u05b0${mark}`.normalize("NFD") === `${mark}\u05b0`;
  return isAbove8 && isBelow10;
}

/** Every hidden character replaced, but for what belongs to the spelling. */
export function replaceHidden(text: string, by: (char: string) => string): string {
  if (isPlainAscii(text) && !text.includes("\n")) return text;
  return text.replace(patterns().hidden, (char, at: number) => (belongs(char, text, at) ? char : by(char)));
}

/** Whether a text hides something. */
export function hidesSomething(text: string): boolean {
  let found = false;
  replaceHidden(text, (char) => {
    found = true;
    return char;
  });
  return found;
}

/** As in JSON: parsing gives the character back. */
function escaped(char: string): string {
  return char.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** File names are data: what is hidden must not reach a terminal or a page. */
export function printable(text: string): string {
  return replaceHidden(text, escaped);
}

/** The same JSON with nothing hidden in it, also no joiner that belongs to a spelling. Parsing gives the same names. */
export function visible(json: string): string {
  if (isPlainAscii(json)) return json;
  return json.replace(patterns().hidden, (char) => (char === "\n" ? char : escaped(char)));
}

/** What JSON.stringify escapes by itself: controls, halves of pairs, and what is no matter. */
const JSON_ESCAPES = /\\(?:u[0-9a-f]{4}|.)/g;
const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\\b": "\\\\u0008", "\\f": "\\\\u000c" };

/**
 * The same value, in whose texts and keys everything hidden is escaped as in JSON: for a reader that parses JSON and shows what it finds. Lines
 * and tabs stay, and so does what belongs to the spelling.
 */
export function visibleValue<T>(value: T): T {
  const json = JSON.stringify(value);
  if (json === undefined) return value;
  const doubled = (escapes: string) => escapes.replaceAll("\\", "\\\\");
  const shown = replaceHidden(json, (char) => doubled(escaped(char)));
  // What replaceHidden wrote are pairs of backslashes, which stay.
  const plain = shown.replace(JSON_ESCAPES, (found) =>
    found.length > 2 ? doubled(found) : (SHORT_ESCAPES[found] ?? found),
  );
  return plain === json ? value : (JSON.parse(plain) as T);
}

/** The same without what it hides: for texts that somebody else wrote, and that are stored here. Lines and tabs stay. */
export function withoutHidden(text: string): string {
  return replaceHidden(text, (char) => (/[\n\r\t]/.test(char) ? char : ""));
}

/** Of a file or an author. */
const NAME_LENGTH = 80;

/**
 * A JSON string in which everything hidden is escaped, and every blank but the usual one. Long texts lose their middle, because the end
 * of a path matters more.
 */
export function quoted(text: string, most = NAME_LENGTH): string {
  const units = Array.from(text, unitOf);
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

function unitOf(char: string): string {
  // A backquote would end the quotation for some readers.
  if (char === "`" || char === "\n") return escaped(char);
  if (isPlainAscii(char)) return JSON.stringify(char).slice(1, -1);
  return /\p{Zs}/u.test(char) ? escaped(char) : visible(char);
}
