/**
 * Our part of a file that belongs to others is between two marker lines; the rest stays byte for byte. `name`
 * distinguishes several blocks in one file. The lines may be indented if the file's syntax requires it.
 */
const NAME = "ua-hooks";

const open = (name: string) => `# >>> ${name} >>>`;
const close = (name: string) => `# <<< ${name} <<<`;
const pattern = (name: string, flags = "m") =>
  new RegExp(`^[ \\t]*${open(name)}[\\s\\S]*?^[ \\t]*${close(name)}(\\n|$)`, flags);

export function hasBlock(text: string, name = NAME): boolean {
  return pattern(name).test(text);
}

/** Removes all of them: a merge may have duplicated the block. */
export function withoutBlock(text: string, name = NAME): string {
  return text.replace(pattern(name, "gm"), "");
}

/** Changes only our part. */
export function mapBlock(text: string, change: (block: string) => string, name = NAME): string {
  return text.replace(pattern(name), change);
}

/** Puts the block at its old position, or at `at`. */
export function withBlock(text: string, block: string, at: number, name = NAME): string {
  if (hasBlock(text, name)) return text.replace(pattern(name), () => block);
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
