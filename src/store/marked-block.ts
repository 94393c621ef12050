/**
 * Our part of a file that belongs to others is between two marker lines; the rest stays byte for byte. `name`
 * distinguishes several blocks in one file. The lines may be indented if the file's syntax requires it.
 */
const NAME = "ua-hooks";

const open = (name: string) => `# >>> ${name} >>>`;
const close = (name: string) => `# <<< ${name} <<<`;

interface TextRange {
  start: number;
  end: number;
}

/**
 * The first block at or after `from`, newline included. Two searches, and not one regular expression for both: that takes quadratic time
 * in a file where many blocks begin and none ends.
 */
function findBlock(text: string, name: string, from = 0): TextRange | null {
  const first = findLine(text, open(name), from, () => true);
  const last = first && findLine(text, close(name), first.end, (next) => next === undefined || next === "\n");
  return first && last && { start: first.start, end: Math.min(last.end + 1, text.length) };
}

/** The first line that begins with `mark`, indented or not, where `ends` accepts what comes after it. */
function findLine(
  text: string,
  mark: string,
  from: number,
  ends: (next: string | undefined) => boolean,
): TextRange | null {
  for (let at = text.indexOf(mark, from); at >= 0; ) {
    const start = text.lastIndexOf("\n", at) + 1;
    const end = at + mark.length;
    if (start >= from && /^[ \t]*$/.test(text.slice(start, at)) && ends(text[end])) return { start, end };
    const next = text.indexOf("\n", end); // only the first one of a line can begin it
    at = next < 0 ? -1 : text.indexOf(mark, next);
  }
  return null;
}

export function hasBlock(text: string, name = NAME): boolean {
  return findBlock(text, name) !== null;
}

/** With its marker lines; empty where there is none. */
export function blockIn(text: string, name = NAME): string {
  const block = findBlock(text, name);
  return block === null ? "" : text.slice(block.start, block.end);
}

/** Removes all of them: a merge may have duplicated the block. */
export function withoutBlock(text: string, name = NAME): string {
  let rest = "";
  let from = 0;
  for (let block = findBlock(text, name); block !== null; block = findBlock(text, name, from)) {
    rest += text.slice(from, block.start);
    from = block.end;
  }
  return rest + text.slice(from);
}

/** Changes only our part. */
export function mapBlock(text: string, change: (block: string) => string, name = NAME): string {
  const block = findBlock(text, name);
  if (block === null) return text;
  return text.slice(0, block.start) + change(text.slice(block.start, block.end)) + text.slice(block.end);
}

/** Puts the block at its old position, or at `at`. */
export function withBlock(text: string, block: string, at: number, name = NAME): string {
  if (hasBlock(text, name)) return mapBlock(text, () => block, name);
  return text.slice(0, at) + block + text.slice(at);
}

/**
 * The same at the end of a file; if the last line has no newline, the block goes to the top, so that the line stays as
 * it is.
 */
export function withBlockLast(text: string, block: string, name = NAME): string {
  return withBlock(text, block, text === "" || text.endsWith("\n") ? text.length : 0, name);
}

export function markedBlock(lines: readonly string[], name = NAME, indent = ""): string {
  return `${[open(name), ...lines, close(name)].map((line) => (line === "" ? "" : indent + line)).join("\n")}\n`;
}
