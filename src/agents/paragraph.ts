/** Gemini CLI reads no AGENTS.md. Its own file gets the paragraph where a project has one. */
export const PARAGRAPH_FILES: readonly string[] = ["AGENTS.md", "GEMINI.md"];

/** Our part of these files, between two HTML comments. */
const OPEN = "<!-- >>> ua-hooks >>> -->";
const CLOSE = "<!-- <<< ua-hooks <<< -->";
const BLOCK = new RegExp(`\\n?${OPEN}[\\s\\S]*?${CLOSE}\\n?`);

/** At its old position, or at the end after an empty line. */
export function withParagraph(text: string, paragraph: string): string {
  const block = `${OPEN}\n${paragraph.trimEnd()}\n${CLOSE}\n`;
  if (BLOCK.test(text)) return text.replace(BLOCK, (old) => (old.startsWith("\n") ? `\n${block}` : block));
  if (text === "") return block;
  return `${text}${text.endsWith("\n") ? "" : "\n"}\n${block}`;
}

export function withoutParagraph(text: string): string {
  return text.replace(BLOCK, "");
}
