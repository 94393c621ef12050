import { endOfLine, type Span } from "./find-comments.js";

/**
 * The text with blanks in place of its comments, so that a parser cannot stumble over them; all else stays at its place.
 * A line that holds only a comment goes with the line break before it, because to some grammars an empty line says something
 * that a comment does not. Before code the line break moves behind the comment, because indentation can count.
 */
export function blankComments(source: string, comments: readonly Span[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const [start, end] of joined(source, comments)) {
    const lineStart = source.lastIndexOf("\n", start - 1) + 1;
    const isFirst = lineStart > done && isBlank(source, lineStart, start);
    const from = isFirst ? lineStart - 1 : start;
    const codeStart = isFirst ? skipBlanks(source, end) : end;
    const isLast = codeStart === source.length || /[\r\n]/.test(source[codeStart] as string);
    parts.push(source.slice(done, from));
    if (!isFirst) parts.push(source.slice(from, end).replace(/[^\r\n]/g, " "));
    else if (isLast) parts.push(" ".repeat(codeStart - from));
    else parts.push(" ".repeat(codeStart - start), source.slice(from, start));
    done = codeStart;
  }
  parts.push(source.slice(done));
  return parts.join("");
}

/**
 * The same for C, whose grammar wants a directive's line to end right behind its last word: where a comment ends a line, the
 * line break moves before it, or goes if the line holds nothing else.
 */
export function blankInLines(source: string, comments: readonly Span[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const [start, end] of joined(source, comments)) {
    const lineStart = source.lastIndexOf("\n", start - 1) + 1;
    const isFirst = isBlank(source, lineStart, start);
    const lineEnd = /^[ \t]*\r?\n/.exec(source.slice(end, end + 200));
    // In a directive of several lines the break behind a comment is the directive's end.
    const isContinued = /\\\r?\n$/.test(source.slice(Math.max(lineStart - 3, 0), lineStart));
    const code = source.slice(done, start);
    const kept = isFirst ? code : code.trimEnd();
    // A backslash before a comment continues no line.
    if (lineEnd === null || isContinued || kept === "" || kept.endsWith("\\")) {
      parts.push(code, source.slice(start, end).replace(/[^\r\n]/g, " "));
      done = end;
      continue;
    }
    const until = end + lineEnd[0].length;
    const lineBreak = isFirst ? "" : "\n";
    parts.push(kept, lineBreak, " ".repeat(until - done - kept.length - lineBreak.length));
    done = until;
  }
  parts.push(source.slice(done));
  return parts.join("");
}

/** Comments with nothing but blanks between them, on one line, as one. */
function joined(source: string, comments: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (const [start, end] of comments) {
    const last = found.at(-1);
    if (last !== undefined && isBlank(source, last[1], start)) found[found.length - 1] = [last[0], end];
    else found.push([start, end]);
  }
  return found;
}

const isBlank = (source: string, from: number, end: number) => skipBlanks(source, from) >= end;

function skipBlanks(source: string, from: number): number {
  let at = from;
  while (source[at] === " " || source[at] === "\t") at++;
  return at;
}

/** A part of a text as it would be without the comments in it. */
export function withoutComments(source: string, [from, end]: Span, comments: readonly Span[]): string {
  const parts: string[] = [];
  let done = from;
  for (const [start, until] of joined(source, comments)) {
    if (until <= from || start >= end) continue;
    const lineStart = source.lastIndexOf("\n", start - 1) + 1;
    const codeStart = skipBlanks(source, until);
    const isLast = codeStart >= end || /[\r\n]/.test(source[codeStart] as string);
    // Before code it goes with the blanks behind it, at the end of a line with those before it, else with its line.
    const isWhole = isLast && isBlank(source, lineStart, start);
    const before = isWhole ? lineStart : start;
    parts.push(isLast ? source.slice(done, Math.max(before, done)).trimEnd() : source.slice(done, start));
    done = isLast ? until : codeStart;
  }
  parts.push(source.slice(Math.min(done, end), end));
  return parts.join("");
}

/** True if code follows a comment on its line: that is where grammars stumble, not at the ends of lines. */
export function hasInnerComment(source: string, comments: readonly Span[]): boolean {
  return comments.some(([, end]) => /\S/.test(source.slice(end, endOfLine(source, end))));
}
