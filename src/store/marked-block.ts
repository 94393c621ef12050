/**
 * Our part of a file that belongs to others is between two lines of our own; the rest is theirs, byte for byte. `name`
 * tells blocks apart where one file has several. The lines may be indented, where the file's own syntax wants that.
 */
const NAME = "ua-hooks";

const open = (name: string) => `# >>> ${name} >>>`;
const close = (name: string) => `# <<< ${name} <<<`;
const pattern = (name: string, flags = "m") =>
  new RegExp(`^[ \\t]*${open(name)}[\\s\\S]*?^[ \\t]*${close(name)}(\\n|$)`, flags);

export function hasBlock(text: string, name = NAME): boolean {
  return pattern(name).test(text);
}

/** All of them: whoever merged two branches may have got it twice. */
export function withoutBlock(text: string, name = NAME): string {
  return text.replace(pattern(name, "gm"), "");
}

/** Our part changed, the rest as it is. */
export function mapBlock(text: string, change: (block: string) => string, name = NAME): string {
  return text.replace(pattern(name), change);
}

/** Puts the block in its old place, or where `at` says. */
export function withBlock(text: string, block: string, at: number, name = NAME): string {
  if (hasBlock(text, name)) return text.replace(pattern(name), () => block);
  return text.slice(0, at) + block + text.slice(at);
}

/** The same at the end of a file; a last line without its newline stays as it is: then the block goes on top. */
export function withBlockLast(text: string, block: string, name = NAME): string {
  return withBlock(text, block, text === "" || text.endsWith("\n") ? text.length : 0, name);
}

export function markedBlock(lines: readonly string[], name = NAME, indent = ""): string {
  return `${[open(name), ...lines, close(name)].map((line) => (line === "" ? "" : indent + line)).join("\n")}\n`;
}
