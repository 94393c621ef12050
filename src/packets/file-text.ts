import type { FileFingerprint } from "../fingerprint/types.js";
import { type FileSymbol, symbolsOf } from "../graph/symbols.js";
import { type DiffLine, diffLines, omission } from "./line-diff.js";

/** A content of a file with its symbols. */
export class FileText {
  readonly text: string;
  readonly lines: readonly string[];
  /** By position; none where the file was not parsed. */
  readonly symbols: readonly FileSymbol[];

  constructor(path: string, text: string, fact: FileFingerprint | undefined) {
    // Other line ends say nothing about the code.
    this.text = text.replaceAll("\r\n", "\n");
    this.lines = this.text.split("\n");
    this.symbols = fact?.hasStructuralAnalysis === true ? symbolsOf(path, fact) : [];
  }

  find(type: string, name: string): FileSymbol | undefined {
    return this.symbols.find((one) => one.kind === type && one.name === name);
  }

  /** The lines of a symbol; of a class without the bodies of its members, and without comments, which are theirs. */
  own(symbol: FileSymbol): string[] {
    const [first, last] = symbol.lineRange;
    if (symbol.kind === "function") return this.lines.slice(first - 1, last);
    const members = this.symbols.filter((one) => one !== symbol && isInside(one, symbol) && length(one) > 2);
    return this.#without([first, last], members).filter((line) => !COMMENT.test(line));
  }

  /** The lines outside of all symbols. */
  module(): string[] {
    const taken = new Uint8Array(this.lines.length + 1);
    for (const {
      lineRange: [first, last],
    } of this.symbols)
      taken.fill(1, first - 1, last);
    return this.lines.filter((_, at) => taken[at] !== 1);
  }

  /** The first line that says something: decorators and annotations stand above it. */
  head({ lineRange: [first, last], name }: FileSymbol): string {
    const own = name.slice(name.lastIndexOf(".") + 1);
    const lines = this.lines.slice(first - 1, Math.min(last, first + 9));
    const line = lines.find((one) => one.includes(own)) ?? lines[0] ?? "";
    return line.trim().slice(0, MOST_HEAD);
  }

  #without([first, last]: [number, number], members: readonly FileSymbol[]): string[] {
    const own: string[] = [];
    for (let line = first; line <= last; line++) {
      const member = members.find(({ lineRange: [start, end] }) => start <= line && line <= end);
      if (member === undefined) own.push(this.lines[line - 1] ?? "");
      else {
        own.push(this.lines[line - 1] ?? "", omission(member.lineRange[1] - line));
        line = member.lineRange[1];
      }
    }
    return own;
  }
}

/** A line that is nothing but a comment, in most languages. */
const COMMENT = /^\s*(?:\/\/|\/\*|\*(?:\s|\/|$)|#(?:\s|#|$)|--\s)/;

/** Of a head line. */
const MOST_HEAD = 160;

const length = ({ lineRange: [first, last] }: FileSymbol) => last - first + 1;
const isInside = ({ lineRange: [first, last] }: FileSymbol, { lineRange: [start, end] }: FileSymbol) =>
  start <= first && last <= end;

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
