import { tester } from "../characters.js";

/** A part of a text: where it begins, and where the rest goes on. */
export type Span = readonly [start: number, end: number];

/** What can hold the characters of a comment without being one, for languages with `//` and `/* … *\/`. */
export interface CommentLexer {
  /** C's: comments do not nest, a backslash continues a line, strings hold no code and end with their line, but for `R"(…)"`. */
  isC?: true;
  /** CSS's: only `/* … *\/`, which do not nest; strings in both kinds of quotes; `url(…)` holds no comments. */
  isCss?: true;
  /** What opens code inside a string: `${` or `\(`; empty: nothing. */
  interpolation: string;
  /** True where only a string with a word in front of it is interpolated: `s"…"`. */
  interpolatedByPrefix?: true;
  /** True where `#"…"#` and `#/…/#` are strings. */
  hashed?: true;
  /** True where `'x'` is a character. */
  characters?: true;
}

/** A comment that is glued to something else may be a part of an operator, a regular expression or a URL: left alone. */
const BEFORE = /[\s(){}[\],;]/;
/** In CSS a blank behind a closing bracket can be an operator between two selectors, and a comment is none. */
const BEFORE_IN_CSS = /[\s({}[,;]/;
const isWord = /* @__PURE__ */ tester(/\w/, () => /[\p{L}\p{N}_]/u);

/** The comments of a text. Only what is certain: a comment that is never closed, or whose place is odd, is not listed. */
export function findComments(source: string, lexer: CommentLexer): Span[] {
  return new Scanner(source, lexer).run();
}

/** A string that the scanner is inside of. */
interface OpenString {
  /** What closes it. */
  close: string;
  /** What opens code inside it; empty: nothing. */
  interpolation: string;
  isEscaped: boolean;
  isMultiline: boolean;
  /** Brackets that are open in the code inside it. */
  depth: number;
}

class Scanner {
  readonly #found: Span[] = [];
  /** Strings whose inner code the scanner is in. */
  readonly #around: OpenString[] = [];
  #at = 0;
  /** Block comments are looked for up to the first one that is never closed: each more would be a search to the end of the text. */
  #isUnclosed = false;

  constructor(
    private readonly source: string,
    private readonly lexer: CommentLexer,
  ) {}

  run(): Span[] {
    const { source } = this;
    while (this.#at < source.length) {
      const char = source[this.#at] as string;
      if (char === "/" && this.#comment()) continue;
      const string = char === '"' || char === "#" ? this.#opened() : undefined;
      if (string !== undefined) this.#skipString(string);
      else if (char === "'" && this.lexer.isCss) this.#skipString(this.#quoted("'"));
      else if (char === "(" && this.lexer.isCss && /url$/i.test(source.slice(Math.max(0, this.#at - 3), this.#at)))
        this.#skipUrl();
      else if (char === "'" && this.lexer.characters) this.#skipCharacter();
      else if (char === "`") this.#skipLine("`");
      else this.#code(char);
    }
    return this.#found;
  }

  #comment(): boolean {
    const { source } = this;
    const start = this.#at;
    const last = this.#found.at(-1);
    const before = this.lexer.isCss ? BEFORE_IN_CSS : BEFORE;
    const isApart = start === 0 || last?.[1] === start || before.test(source[start - 1] as string);
    const second = source[start + 1];
    if (!isApart || (second !== "*" && (second !== "/" || this.lexer.isCss))) return false;
    const end = second === "/" ? this.#endOfLineComment(start) : this.#endOfBlockComment(start);
    if (end < 0) return false;
    this.#found.push([start, end]);
    this.#at = end;
    return true;
  }

  #endOfLineComment(start: number): number {
    let end = endOfLine(this.source, start);
    while (this.lexer.isC && /\\\r?$/.test(this.source.slice(end - 2, end)) && end < this.source.length)
      end = endOfLine(this.source, end + 1);
    return end;
  }

  #endOfBlockComment(start: number): number {
    if (this.#isUnclosed) return -1;
    const { lexer, source } = this;
    const end = lexer.isC || lexer.isCss ? behind(source, "*/", start + 2) : endOfBlock(source, start);
    this.#isUnclosed = end < 0;
    return end;
  }

  /** `R"x(…)x"`, of which only what is between the quotes counts here. */
  #rawString(): OpenString | undefined {
    const opening = /^"([^\s()\\]{0,16})\(/.exec(this.source.slice(this.#at, this.#at + 20));
    if (this.source[this.#at - 1] !== "R" || opening === null) return undefined;
    this.#at += opening[0].length;
    return { close: `)${opening[1]}"`, interpolation: "", isEscaped: false, isMultiline: true, depth: 0 };
  }

  /** The string that begins here, if one does; the scanner is then behind its quotes. */
  #opened(): OpenString | undefined {
    const { source, lexer } = this;
    const raw = lexer.isC ? this.#rawString() : undefined;
    if (raw !== undefined) return raw;
    const start = this.#at;
    let hashes = 0;
    // A row of `#` was counted with its first one.
    if (source[start] === "#" && source[start - 1] === "#") return undefined;
    while (lexer.hashed && source[start + hashes] === "#") hashes++;
    const quote = source[start + hashes];
    const fence = "#".repeat(hashes);
    if (hashes > 0 && quote === "/") {
      this.#at = start + hashes + 1;
      return { close: `/${fence}`, interpolation: "", isEscaped: true, isMultiline: true, depth: 0 };
    }
    if (quote !== '"') return undefined;
    const isMultiline = !lexer.isC && source.startsWith('"""', start + hashes);
    const quotes = isMultiline ? '"""' : '"';
    const isOpen = lexer.interpolatedByPrefix ? start > 0 && isWord(source[start - 1] as string) : true;
    const mark = lexer.interpolation;
    this.#at = start + hashes + quotes.length;
    return {
      close: quotes + fence,
      interpolation: !isOpen || mark === "" ? "" : hashes > 0 ? `${mark[0]}${fence}${mark.slice(1)}` : mark,
      isEscaped: hashes === 0 && (lexer.hashed === true || !isMultiline),
      isMultiline,
      depth: 0,
    };
  }

  #quoted(quote: string): OpenString {
    this.#at++;
    return { close: quote, interpolation: "", isEscaped: true, isMultiline: false, depth: 0 };
  }

  /** `url(a/*b)`, to the end of the line if it is not closed; one with quotes is skipped as a string. */
  #skipUrl(): void {
    const address = /\([^\S\n]*(?!["'\s])(?:[^)\\\n]|\\.)*\)?/y;
    address.lastIndex = this.#at;
    this.#at += address.exec(this.source)?.[0].length ?? 1;
  }

  /** To the string's end, or into the code inside it. */
  #skipString(string: OpenString): void {
    const { source } = this;
    for (; this.#at < source.length; this.#at++) {
      const char = source[this.#at];
      if (string.interpolation !== "" && source.startsWith(string.interpolation, this.#at)) {
        this.#at += string.interpolation.length;
        this.#around.push({ ...string, depth: 0 });
        return;
      }
      if (char === "\\" && string.isEscaped) this.#at++;
      else if (char === "\n" && !string.isMultiline) return;
      else if (source.startsWith(string.close, this.#at)) {
        this.#at += string.close.length;
        // `""""` ends a string that ends with a quote.
        while (string.isMultiline && string.close === '"""' && source[this.#at] === '"') this.#at++;
        return;
      }
    }
  }

  /** `'x'`, `'\n'`; a lone quote is none. */
  #skipCharacter(): void {
    const { source } = this;
    if (source[this.#at + 1] === "\\") {
      this.#at += 2;
      this.#skipLine("'");
    } else this.#at += source[this.#at + 2] === "'" ? 3 : 1;
  }

  /** Behind the next of these characters, if the line has one. */
  #skipLine(char: string): void {
    const { source } = this;
    const from = this.#at + 1;
    const close = source.indexOf(char, from);
    this.#at = close < 0 || source.slice(from, close).includes("\n") ? from : close + 1;
  }

  #code(char: string): void {
    this.#at++;
    const around = this.#around.at(-1);
    if (around === undefined) return;
    const [open, close] = this.lexer.interpolation.endsWith("(") ? ["(", ")"] : ["{", "}"];
    if (char === open) around.depth++;
    else if (char === close && around.depth-- === 0) {
      this.#around.pop();
      this.#skipString(around);
    }
  }
}

function behind(source: string, text: string, from: number): number {
  const at = source.indexOf(text, from);
  return at < 0 ? -1 : at + text.length;
}

export function endOfLine(source: string, from: number): number {
  const end = source.indexOf("\n", from);
  return end < 0 ? source.length : end;
}

/** Behind a comment that may hold others; -1 if it is never closed. */
function endOfBlock(source: string, start: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(source); mark !== null; mark = marks.exec(source)) {
    depth += mark[0] === "/*" ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return -1;
}
