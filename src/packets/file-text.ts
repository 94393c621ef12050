import type { FileFingerprint } from "../fingerprint/types.js";
import { type FileSymbol, symbolsOf } from "../graph/symbols.js";
import { withoutCommentLines } from "./comment-lines.js";
import { type DiffLine, diffLines, omission } from "./line-diff.js";

/** A content of a file with its symbols. */
export class FileText {
  readonly text: string;
  readonly lines: readonly string[];
  /** By position; none where the file was not parsed. */
  readonly symbols: readonly FileSymbol[];

  constructor(
    private readonly path: string,
    text: string,
    fact: FileFingerprint | undefined,
  ) {
    // Other line ends say nothing about the code.
    this.text = text.replaceAll("\r\n", "\n");
    this.lines = this.text.split("\n");
    this.symbols = fact?.hasStructuralAnalysis === true ? symbolsOf(path, fact) : [];
  }

  find(type: string, name: string): FileSymbol | undefined {
    return this.symbols.find((one) => one.kind === type && one.name === name);
  }

  /** The lines of a symbol; of a class without the bodies of its members. What stands between its declarations is not its own. */
  own(symbol: FileSymbol): string[] {
    const members = symbol.kind === "function" ? [] : this.#bodies(symbol);
    const own: string[] = [];
    let last = 0;
    for (const part of partsOf(symbol)) {
      if (last > 0 && part[0] > last + 1) own.push(omission(part[0] - last - 1));
      own.push(
        ...this.#without(
          part,
          members.filter((one) => isInside(one, part)),
        ),
      );
      last = part[1];
    }
    return own;
  }

  /** The same without comments, which in a class are about its members. */
  withoutComments(symbol: FileSymbol): string[] {
    const own = this.own(symbol);
    return symbol.kind === "function" ? own : withoutCommentLines(this.path, own);
  }

  /** The lines outside of all symbols. */
  module(): string[] {
    const taken = new Uint8Array(this.lines.length + 1);
    for (const [first, last] of this.symbols.flatMap(partsOf)) taken.fill(1, first - 1, last);
    return this.lines.filter((_, at) => taken[at] !== 1);
  }

  /** The first line that says something: decorators and annotations stand above it. */
  head(symbol: FileSymbol): string {
    const line = this.lines[this.#headOf(symbol, symbol.lineRange) - 1] ?? "";
    return line.trim().slice(0, MOST_HEAD);
  }

  /** The line that names the symbol. */
  #headOf({ name }: FileSymbol, [first, last]: LineRange): number {
    const own = name.slice(name.lastIndexOf(".") + 1);
    const at = this.lines.slice(first - 1, Math.min(last, first + 9)).findIndex((line) => line.includes(own));
    return first + Math.max(at, 0);
  }

  /** What of other symbols is below the lines that name them, but for single lines. */
  #bodies(symbol: FileSymbol): LineRange[] {
    return this.symbols.flatMap((one) => {
      if (one === symbol) return [];
      return partsOf(one).flatMap((part): LineRange[] => {
        const first = this.#headOf(one, part) + 1;
        return part[1] > first ? [[first, part[1]]] : [];
      });
    });
  }

  #without([first, last]: LineRange, bodies: readonly LineRange[]): string[] {
    const own: string[] = [];
    for (let line = first; line <= last; line++) {
      const body = bodies.find(([start, end]) => start <= line && line <= end);
      own.push(body === undefined ? (this.lines[line - 1] ?? "") : omission(body[1] - line + 1));
      if (body !== undefined) line = body[1];
    }
    return own;
  }
}

type LineRange = readonly [first: number, last: number];

/** Where its declarations are; overloads and reopened classes have several. */
export function partsOf({ shape, lineRange }: FileSymbol): readonly LineRange[] {
  const { parts } = shape;
  // Of two symbols with one id only the first one's shape is kept.
  return parts?.[0]?.[0] === lineRange[0] && parts.at(-1)?.[1] === lineRange[1] ? parts : [lineRange];
}

/** Of a head line. */
const MOST_HEAD = 160;

export const isInside = ([first, last]: LineRange, [start, end]: LineRange) => start <= first && last <= end;

/** So many lines of one statement are given in either direction, besides its first one. */
const MOST_OF_STATEMENT = 40;

/** What changed outside of symbols, as whole statements: from a line without indentation to the next one. */
export function changedStatements(before: readonly string[], after: readonly string[]): string {
  const lines = diffLines(before, after);
  const firsts = firstLines(lines);
  const shown = new Uint8Array(lines.length);
  for (const [at, { sign, text }] of lines.entries()) {
    if (sign === " " || text.trim() === "") continue;
    const first = firsts[at] as number;
    shown[first] = 1;
    shown.fill(1, Math.max(first, at - MOST_OF_STATEMENT), endOf(lines, at) + 1);
  }
  return statementsText(lines, shown);
}

function statementsText(lines: readonly DiffLine[], shown: Uint8Array): string {
  const parts: string[] = [];
  let last = -1;
  for (const [at, line] of lines.entries()) {
    if (shown[at] !== 1) continue;
    if (at > last + 1 && parts.length > 0) parts.push(isStart(line) ? "@@" : omission(at - last - 1));
    parts.push(`${line.sign}${line.text}`);
    last = at;
  }
  return parts.join("\n");
}

const isStart = ({ text }: DiffLine) => /^[^\s)\]}]/.test(text);

/** For each line the first one of its statement. */
function firstLines(lines: readonly DiffLine[]): Int32Array {
  const firsts = new Int32Array(lines.length);
  let first = 0;
  for (const [at, line] of lines.entries()) {
    if (isStart(line)) first = at;
    firsts[at] = first;
  }
  return firsts;
}

function endOf(lines: readonly DiffLine[], at: number): number {
  const most = Math.min(lines.length - 1, at + MOST_OF_STATEMENT);
  let end = at;
  while (end < most && !isStart(lines[end + 1] as DiffLine) && lines[end + 1]?.text.trim() !== "") end++;
  return end;
}
