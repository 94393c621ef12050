import { languageOf } from "../fingerprint/languages.js";

/** How the lines of a language begin that are nothing but a comment. */
interface LineMarks {
  line: RegExp | undefined;
  /** Whether there are comments between `/*` and `*\/`. */
  hasBlocks: boolean;
}

const SLASHES: LineMarks = { line: /^\/\//, hasBlocks: true };
const HASHES: LineMarks = { line: /^#/, hasBlocks: false };

/** Of the other languages: two slashes, and blocks. */
const MARKS: Readonly<Record<string, LineMarks>> = {
  ...{ python: HASHES, ruby: HASHES, bash: HASHES, yaml: HASHES },
  php: { line: /^(?:\/\/|#(?!\[))/, hasBlocks: true },
  hcl: { line: /^(?:\/\/|#)/, hasBlocks: true },
  lua: { line: /^--(?!\[)/, hasBlocks: false },
  css: { line: undefined, hasBlocks: true },
  markdown: { line: undefined, hasBlocks: false },
};

/** Without the lines that hold only a comment. */
export function withoutCommentLines(path: string, lines: readonly string[]): string[] {
  const { line: opening, hasBlocks } = MARKS[languageOf(path)?.name ?? ""] ?? SLASHES;
  let isInside = false;
  return lines.filter((line) => {
    const text = line.trim();
    const isBlock = hasBlocks && (isInside || text.startsWith("/*"));
    if (!isBlock) return opening?.test(text) !== true;
    const end = text.indexOf("*/", isInside ? 0 : 2);
    isInside = end < 0;
    return end >= 0 && end + 2 < text.length;
  });
}
