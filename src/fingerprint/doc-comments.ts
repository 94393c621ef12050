import { isPlainAscii } from "../characters.js";
import { firstSentence } from "./doc-sentence.js";
import { DOC_STYLES, type DocStyle } from "./doc-styles.js";
import { languageOf } from "./languages.js";
import type { DocComments } from "./types.js";
import type { Walk } from "./walk.js";
import { contentWords } from "./words.js";

/** Longer comments exist; what they begin with is not this far above what they describe. */
const MOST_LINES = 400;
/** A longer comment says its main points first. */
const MOST_WORDS = 60;
/** What may stand between a comment and its declaration. */
const MOST_LINES_BETWEEN = 20;
/** JSDoc: such a comment is about something that it names itself, or about the file. */
const STANDS_ALONE =
  /^[ \t/*]*@(?:typedef|callback|event|namespace|module|file|fileoverview|overview|packageDocumentation|external|name|import|license|preserve|copyright|enum)\b/m;
/** Only a declaration has them. */
const DECLARES =
  /^[ \t/*]*[@\\](?:params?|arg|returns?|throws|constructor|class|method|function|memberof|api|tparam)\b/m;
/** So many comments at the top of a file are looked at: licences come first. */
const MOST_COMMENTS = 10;

/**
 * What the authors of a file wrote about it: the first sentence of each doc comment. Found in the text, from where the
 * tree says that a declaration begins.
 */
export function docCommentsOf(walk: Walk): DocComments | undefined {
  const style = DOC_STYLES[languageOf(walk.filePath)?.name ?? ""];
  if (style === undefined) return undefined;
  const finder = new Finder(walk, style);
  const classes = finder.all("class", walk.classes);
  const functions = finder.all("function", walk.functions);
  const file = finder.file() ?? ownClass(walk.filePath, classes);
  if (file === undefined && functions.size + classes.size === 0) return undefined;
  return {
    ...(file === undefined ? {} : { file }),
    ...(functions.size === 0 ? {} : { functions: Object.fromEntries(functions) }),
    ...(classes.size === 0 ? {} : { classes: Object.fromEntries(classes) }),
    ...(finder.words.size === 0 ? {} : { words: Object.fromEntries(finder.words) }),
  };
}

/** A file that is named for its class has nothing else to say: `user_store.rb` and `UserStore`. */
function ownClass(path: string, classes: ReadonlyMap<string, string>): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(isPlainAscii(text) ? /[^a-z0-9]/g : /[^\p{L}\p{N}]/gu, "");
  const base = path.slice(path.lastIndexOf("/") + 1);
  const name = plain(base.slice(0, base.lastIndexOf(".")));
  for (const [one, sentence] of classes) if (plain(one.slice(one.lastIndexOf(".") + 1)) === name) return sentence;
  return undefined;
}

interface Declaration {
  name: string;
  nodes: readonly number[];
}

class Finder {
  readonly #walk: Walk;
  readonly #source: string;
  readonly #style: DocStyle;
  /** Of whole comments; the keys are those of DocComments. */
  readonly words = new Map<string, string>();
  /** Where the comments end that have been given to a declaration: what is above a class is not its constructor's. */
  readonly #taken = new Set<number>();
  /** The same of those that stand behind a blank line: they are not about the file. */
  readonly #givenApart = new Set<number>();
  #isApart: boolean | undefined;
  #topEnd: number | undefined;

  constructor(walk: Walk, style: DocStyle) {
    this.#walk = walk;
    this.#source = walk.syntax.source;
    this.#style = style;
  }

  /** By name; of several declarations of one name the first that says something. */
  all(kind: "function" | "class", declarations: readonly Declaration[]): Map<string, string> {
    const found = new Map<string, string>();
    const seen = new Map<string, number>();
    for (const { name, nodes } of declarations) {
      const overload = seen.get(name) ?? 0;
      seen.set(name, overload + 1);
      const lines = this.#style.docstrings ? this.#docstring(nodes) : this.#above(nodes);
      if (lines === undefined) continue;
      const sentence = firstSentence(lines, this.#style.markup);
      if (sentence === undefined) continue;
      if (!found.has(name)) found.set(name, sentence);
      const words = [...contentWords(withoutExamples(lines), name).values()].slice(0, MOST_WORDS).join(" ");
      if (words !== "") this.words.set(overload === 0 ? `${kind} ${name}` : `${kind} ${name}:${overload}`, words);
    }
    return found;
  }

  /** The comment at the top that is about the file and not about what follows it. */
  file(): string | undefined {
    const source = this.#source;
    const top = topOf(source);
    const shebang = top.includes("#!");
    if (this.#style.docstrings) return sentenceAt(source, top.length, this.#style);
    const { file } = this.#style;
    let at = top.length;
    for (let blocks = 0; blocks < MOST_COMMENTS; blocks++) {
      // What stands right below `#!/bin/sh` says what the script is for.
      const isHeader = shebang && at === top.length && skipBlank(source, at) === at;
      at = skipBlank(source, at);
      const end = commentEnd(source, at, this.#style);
      if (end === undefined) return undefined;
      const lines = source.slice(at, end).split("\n").slice(0, MOST_LINES);
      const next = nextLine(source, end);
      const isAbout =
        isHeader || file.always?.test(source.slice(at, Math.min(end, at + 400))) || file.before.test(next);
      const isGiven = this.#givenApart.has(lineEndAt(source, end));
      if (isAbout && !isGiven && (file.opens ?? this.#style.opens).test(lines[0] ?? "")) {
        const sentence = firstSentence(textOf(lines, this.#style), this.#style.markup);
        if (sentence !== undefined) return sentence;
      }
      at = end;
    }
    return undefined;
  }

  /** The lines of the comment that ends right above a declaration, or before it on its line. */
  #above(nodes: readonly number[]): string[] | undefined {
    const source = this.#source;
    const start = this.#startOf(nodes);
    if (start === undefined) return undefined;
    const group = this.#style.group?.exec(source.slice(start, start + 80))?.[0];
    if (group !== undefined) return this.#beginningAt(start + group.length);
    const lineStart = source.lastIndexOf("\n", start - 1) + 1;
    const before = source.slice(lineStart, start).trim();
    if (before.endsWith("*/")) return this.#block(start - 1, before);
    // Something else stands on this line: the comment above is about that.
    if (/[;{},]|=>/.test(before)) return undefined;
    let end = lineStart - 1;
    let hasGap = false;
    for (let skipped = 0; skipped < MOST_LINES_BETWEEN && end > 0; skipped++) {
      const line = lineEndingAt(source, end);
      const isBlank = line.trim() === "";
      if (isBlank ? this.#style.gap === undefined : !this.#style.between?.test(line.trim())) break;
      hasGap ||= isBlank;
      end -= line.length + 1;
    }
    if (end <= 0) return undefined;
    return hasGap ? this.#apart(end) : this.#endingAt(end);
  }

  /** A comment with a blank line below it: `/** … *\/` belongs to what comes next, unless it is about something else. */
  #apart(end: number): string[] | undefined {
    const last = lineEndingAt(this.#source, end).trim();
    const { closes, line, gap } = this.#style;
    if (gap === undefined || !(closes?.test(last) || line?.test(last))) return undefined;
    const start = this.#startOfComment(end);
    if (start === undefined) return undefined;
    const text = this.#source.slice(start, end);
    if (!gap.test(text.trimStart()) || STANDS_ALONE.test(text)) return undefined;
    if (this.#isAtTop(start) && !DECLARES.test(text) && !this.#areApart(start)) return undefined;
    if (words(text) < (this.#style.gapWords ?? 0)) return undefined;
    const lines = this.#endingAt(end);
    if (lines !== undefined) this.#givenApart.add(end);
    return lines;
  }

  #startOfComment(end: number): number | undefined {
    const { line, begins } = this.#style;
    const isLine = line?.test(lineEndingAt(this.#source, end).trim()) === true;
    let start: number | undefined;
    for (let at = end, count = 0; at > 0 && count < MOST_LINES; count++) {
      const text = lineEndingAt(this.#source, at);
      if (isLine && !line?.test(text.trim())) break;
      start = at - text.length;
      if (!isLine && begins.test(text.trim())) return start;
      at = start - 1;
    }
    return isLine ? start : undefined;
  }

  /** Nothing but other comments stands before it, in a language where the comment at the top can be about the file. */
  #isAtTop(start: number): boolean {
    if (!this.#style.file.before.test("")) return false;
    this.#topEnd ??= this.#endOfTop();
    return start < this.#topEnd;
  }

  #endOfTop(): number {
    let at = 0;
    for (let blocks = 0; blocks < MOST_COMMENTS; blocks++) {
      at = skipBlank(this.#source, blocks === 0 ? topOf(this.#source).length : at);
      const end = commentEnd(this.#source, at, this.#style);
      if (end === undefined) break;
      at = end;
    }
    return at;
  }

  /** Whether this author leaves a blank line below most comments. */
  #areApart(top: number): boolean {
    if (this.#isApart === undefined) {
      const rest = this.#source.slice(lineEndAt(this.#source, this.#source.indexOf("*/", top)));
      const ends = rest.match(/\*\/[ \t]*\r?\n[ \t]*(?=\r?\n|\S)/g) ?? [];
      const apart = rest.match(/\*\/[ \t]*\r?\n[ \t]*(?=\r?\n)/g) ?? [];
      this.#isApart = apart.length * 2 > ends.length;
    }
    return this.#isApart;
  }

  #beginningAt(start: number): string[] | undefined {
    const end = commentEnd(this.#source, start, this.#style);
    return end === undefined ? undefined : textOf(this.#source.slice(start, end).split("\n"), this.#style);
  }

  #endingAt(end: number): string[] | undefined {
    if (this.#taken.has(end)) return undefined;
    this.#taken.add(end);
    const { opens, line, closes } = this.#style;
    const last = lineEndingAt(this.#source, end).trim();
    if (line?.test(last)) {
      const lines: string[] = [];
      let at = end;
      while (lines.length < MOST_LINES) {
        const text = lineEndingAt(this.#source, at);
        if (!line.test(text.trim())) break;
        lines.unshift(text);
        at -= text.length + 1;
        if (at < 0) break;
      }
      return opens.test((lines[0] ?? "").trim()) ? textOf(lines, this.#style) : undefined;
    }
    return closes?.test(last) ? this.#block(end, last) : undefined;
  }

  /** The block comment whose last line ends here. It begins on a line of its own, or it is none for us. */
  #block(end: number, last: string): string[] | undefined {
    const { opens, begins } = this.#style;
    const lines = [last];
    let at = end - lineEndingAt(this.#source, end).length - 1;
    while (!begins.test((lines[0] ?? "").trim())) {
      if (at < 0 || lines.length >= MOST_LINES) return undefined;
      const text = lineEndingAt(this.#source, at);
      if (this.#style.closes?.test(text.trim())) return undefined;
      lines.unshift(text);
      at -= text.length + 1;
    }
    return opens.test((lines[0] ?? "").trim()) ? textOf(lines, this.#style) : undefined;
  }

  /** The string that a body begins with. */
  #docstring(nodes: readonly number[]): string[] | undefined {
    const { syntax } = this.#walk;
    for (const outer of nodes) {
      const definition = syntax.child(outer, "definition") ?? outer;
      const body = syntax.child(definition, "body");
      const colon = body === undefined ? undefined : this.#endBefore(body);
      const text = colon === undefined ? undefined : docstringAt(this.#source, colon);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  #startOf(nodes: readonly number[]): number | undefined {
    const { pieces, pieceStart, pieceEnd } = this.#walk.syntax;
    let first: number | undefined;
    for (const node of nodes) {
      const end = pieceEnd[node] ?? 0;
      let piece = pieceStart[node] ?? 0;
      while (piece < end && pieces.isMark(piece)) piece++;
      if (piece < end) first = Math.min(first ?? Number.POSITIVE_INFINITY, pieces.startOf(piece));
    }
    return first;
  }

  /** Where the last token before a node ends. */
  #endBefore(node: number): number | undefined {
    const { pieces, pieceStart } = this.#walk.syntax;
    let piece = (pieceStart[node] ?? 0) - 1;
    while (piece >= 0 && pieces.isMark(piece)) piece--;
    return piece < 0 ? undefined : pieces.endOf(piece);
  }
}

function sentenceAt(source: string, at: number, { markup }: DocStyle): string | undefined {
  const lines = docstringAt(source, at);
  return lines === undefined ? undefined : firstSentence(lines, markup);
}

/** A string that stands alone as the next statement, after comments and white space. */
function docstringAt(source: string, from: number): string[] | undefined {
  const before = /(?:\s|#[^\n]*)*/y;
  before.lastIndex = from;
  const opening = /([ru]?)("""|'''|"|')/iy;
  opening.lastIndex = from + (before.exec(source)?.[0].length ?? 0);
  const [, , quotes = ""] = opening.exec(source) ?? [];
  if (quotes === "") return undefined;
  const start = opening.lastIndex;
  const end = source.indexOf(quotes, start);
  // `"a" + b` and `"a".join(c)` are none.
  if (end < 0 || !/^[ \t]*(?:[#;\r\n]|$)/.test(source.slice(end + quotes.length, end + quotes.length + 40)))
    return undefined;
  const text = source.slice(start, end);
  return quotes.length === 1 && text.includes("\n") ? undefined : text.split("\n").slice(0, MOST_LINES);
}

/** Code in a comment shows how a function is used; it repeats words that are no statements about it. */
function withoutExamples(lines: readonly string[]): string {
  let isCode = false;
  const kept = lines.filter((line) => {
    if (!/^\s*(?:```|~~~)/.test(line)) return !isCode;
    isCode = !isCode;
    return false;
  });
  return kept.join("\n");
}

/** The line that ends at this place, without its end. */
function lineEndingAt(source: string, end: number): string {
  return end <= 0 ? "" : source.slice(source.lastIndexOf("\n", end - 1) + 1, end);
}

const words = (text: string) => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;

/** What stands before the first comment or statement. */
function topOf(source: string): string {
  return /^\ufeff?(?:#![^\n]*\n)?(?:<\?php\b)?/.exec(source)?.[0] ?? "";
}

function lineEndAt(source: string, from: number): number {
  const end = source.indexOf("\n", from);
  return end < 0 ? source.length : end;
}

function skipBlank(source: string, from: number): number {
  const blank = /(?:\s|(?:["']use \w+["']|declare\(strict_types=1\));?)*/y;
  blank.lastIndex = from;
  return from + (blank.exec(source)?.[0].length ?? 0);
}

/** Where the comment that begins here ends: a block, or lines that follow one another; undefined where there is none. */
function commentEnd(source: string, from: number, { begins, ends, anyLine, file }: DocStyle): number | undefined {
  const first = lineFrom(source, from);
  const isInner = file.opens?.test(first);
  if (begins.test(first)) {
    const close = source.indexOf(ends, from + 2);
    return close < 0 ? undefined : close + ends.length;
  }
  let at = from;
  let end: number | undefined;
  while (at < source.length) {
    const line = lineFrom(source, at);
    if (!anyLine.test(line.trim()) || file.opens?.test(line.trim()) !== isInner) break;
    end = at + line.length;
    at = end + 1;
  }
  return end;
}

function lineFrom(source: string, from: number): string {
  const end = source.indexOf("\n", from);
  return source.slice(from, end < 0 ? source.length : end);
}

/** What stands right below a comment; empty where a blank line or nothing does. */
function nextLine(source: string, end: number): string {
  const below = source.indexOf("\n", end);
  return below < 0 ? "" : lineFrom(source, below + 1).trim();
}

/** A comment's lines without what makes them one. */
function textOf(lines: readonly string[], { strip }: DocStyle): string[] {
  return lines.map((line) => strip.reduce((text, mark) => text.replace(mark, ""), line.trim()));
}
