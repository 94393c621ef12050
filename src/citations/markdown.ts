/** A piece of a Markdown text that can cite something, with its place. */
export interface Span {
  /** `code`: inline code. `link`: the target of a link or image, as written. `shell`: a line of a shell fence. */
  kind: "code" | "link" | "shell";
  text: string;
  /** From 1. */
  line: number;
  /** From 0, in UTF-16 units. */
  column: number;
  /** Which fence a line of shell is in. */
  fence?: number;
}

/** Languages of fences whose lines are commands; a fence without a language often has some, too. */
const SHELLS = new Set([
  "",
  "sh",
  "bash",
  "shell",
  "zsh",
  "fish",
  "console",
  "terminal",
  "shell-session",
  "shellsession",
]);

/** No link target is longer; the rest of such a line is not searched for its end. */
const MOST_TARGET = 2_000;

/**
 * Inline code, link targets and shell lines of a Markdown text, in order. Only what CommonMark calls fences, code spans, links and
 * definitions: no HTML, no front matter, no comments. Linear in the length of the text, whatever it holds.
 */
export function* markdownSpans(text: string): Generator<Span> {
  const lines = text.split("\n");
  let fence: Fence | null = null;
  let fences = 0;
  let isComment = false;
  let block: Line[] = [];
  for (let at = frontMatterEnd(lines); at < lines.length; at++) {
    const line = (lines[at] ?? "").replace(/\r$/, "");
    if (fence !== null) {
      if (closes(fence, line)) fence = null;
      else if (SHELLS.has(fence.language)) yield { kind: "shell", text: line, line: at + 1, column: 0, fence: fences };
      continue;
    }
    if (isComment) {
      isComment = !line.includes("-->");
      continue;
    }
    fence = opens(line);
    isComment = fence === null && /^\s{0,3}<!--/.test(line) && !line.includes("-->");
    if (fence !== null || isComment || line.trim() === "" || startsBlock(line)) {
      yield* inlineSpans(block);
      block = [];
    }
    if (fence !== null) fences++;
    else if (!isComment && line.trim() !== "") block.push({ text: line, number: at + 1 });
  }
  yield* inlineSpans(block);
}

interface Line {
  text: string;
  number: number;
}

interface Fence {
  mark: string;
  length: number;
  language: string;
}

/** Behind a block of settings at the top; 0 if there is none. */
function frontMatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== "---") return 0;
  const end = lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  return end < 0 ? 0 : end + 1;
}

/** Also in a list or a quotation, at any depth. */
function opens(line: string): Fence | null {
  const [, marks = "", info = ""] = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  const mark = marks.charAt(0);
  // A line with a backquote behind its fence is a line of text.
  if (mark === "" || (mark === "`" && info.includes("`"))) return null;
  return { mark, length: marks.length, language: (/^[\w+-]*/.exec(info.trim())?.[0] ?? "").toLowerCase() };
}

function closes({ mark, length }: Fence, line: string): boolean {
  const found = line.replace(/^[\s>]+/, "").trimEnd();
  return found.length >= length && found === mark.repeat(found.length);
}

/** A code span goes on in the next line of its paragraph, but not in another item, heading, quotation or row of a table. */
const startsBlock = (line: string): boolean => /^\s*(?:[-*+]\s|\d{1,9}[.)]\s|#{1,6}\s|>|\|)/.test(line);

function* inlineSpans(block: readonly Line[]): Generator<Span> {
  const [first] = block;
  if (first === undefined) return;
  const text = block.map((line) => line.text).join("\n");
  const spans = [...codeSpans(text), ...linkTargets(text)].sort((a, b) => a.start - b.start);
  let [line, start] = [0, 0];
  for (const span of spans) {
    for (
      let end = start + (block[line]?.text.length ?? 0);
      span.start > end;
      end = start + (block[line]?.text.length ?? 0)
    ) {
      start = end + 1;
      line++;
    }
    const part = text.slice(span.start, span.end);
    if (!part.includes("\n"))
      yield { kind: span.kind, text: part, line: first.number + line, column: span.start - start };
  }
}

interface Range {
  kind: "code" | "link";
  start: number;
  end: number;
}

/** A run of backquotes is closed by the next run of the same length (CommonMark, 6.1). */
function codeSpans(text: string): Range[] {
  const runs = Array.from(text.matchAll(/`+/g), ({ 0: marks, index }) => ({ index, length: marks.length }));
  const byLength = new Map<number, number[]>();
  for (const [at, { length }] of runs.entries()) {
    const same = byLength.get(length);
    if (same === undefined) byLength.set(length, [at]);
    else same.push(at);
  }
  const next = new Map<number, number>();
  const found: Range[] = [];
  for (let at = 0; at < runs.length; at++) {
    const { index, length } = runs[at] ?? { index: 0, length: 0 };
    if (isEscaped(text, index)) continue;
    const same = byLength.get(length) ?? [];
    let pointer = next.get(length) ?? 0;
    while ((same[pointer] ?? Number.POSITIVE_INFINITY) <= at) pointer++;
    next.set(length, pointer);
    const closing = same[pointer];
    if (closing === undefined) continue;
    found.push(trimmed(text, index + length, runs[closing]?.index ?? 0));
    at = closing;
  }
  return found;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === "\\") slashes++;
  return slashes % 2 === 1;
}

function trimmed(text: string, from: number, to: number): Range {
  let [start, end] = [from, to];
  while (start < end && text[start] === " ") start++;
  while (end > start && text[end - 1] === " ") end--;
  return { kind: "code", start, end };
}

/** `](target "title")` and `[name]: target`. */
function linkTargets(text: string): Range[] {
  const found: Range[] = [];
  for (let at = text.indexOf("]("); at >= 0; at = text.indexOf("](", at + 2)) {
    const range = targetAt(text, at + 2);
    if (range !== null) found.push(range);
  }
  for (const match of text.matchAll(/^ {0,3}\[(?!\^)[^\]\n]{1,200}\]:[ \t]*/gm)) {
    const range = targetAt(text, match.index + match[0].length);
    if (range !== null) found.push(range);
  }
  return found;
}

function targetAt(text: string, from: number): Range | null {
  let start = from;
  while (text[start] === " ") start++;
  const most = Math.min(text.length, start + MOST_TARGET);
  if (text[start] === "<") {
    const end = text.slice(start, most).indexOf(">");
    return end < 2 ? null : { kind: "link", start: start + 1, end: start + end };
  }
  let depth = 0;
  let end = start;
  for (; end < most; end++) {
    const char = text[end] ?? "";
    if (/\s/.test(char) || (char === ")" && depth === 0)) break;
    if (char === "(") depth++;
    if (char === ")") depth--;
  }
  return end === start || end === start + MOST_TARGET ? null : { kind: "link", start, end };
}
