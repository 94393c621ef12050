/** Our part of a file that belongs to others is between two lines of our own; the rest is theirs, byte for byte. */
const OPEN = "# >>> ua-hooks >>>";
const CLOSE = "# <<< ua-hooks <<<";

const BLOCK = new RegExp(`^${OPEN}[\\s\\S]*?^${CLOSE}\\n?`, "m");

export function hasBlock(text: string): boolean {
  return BLOCK.test(text);
}

export function withoutBlock(text: string): string {
  return text.replace(BLOCK, "");
}

/** Puts the block in its old place, or where `at` says. */
export function withBlock(text: string, block: string, at: number): string {
  if (hasBlock(text)) return text.replace(BLOCK, () => block);
  return text.slice(0, at) + block + text.slice(at);
}

export function markedBlock(lines: readonly string[]): string {
  return `${[OPEN, ...lines, CLOSE].join("\n")}\n`;
}
