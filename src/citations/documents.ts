import { baseOf } from "../graph/resolve/file-index.js";

const NAMES = new Set(["agents.md", "claude.md", "gemini.md", "contributing.md", "readme.md"]);

/** What tells of the past names what was there then. */
const PAST =
  /^(?:change-?logs?|history|news|release(?:s|-?notes?)?|migrat(?:ions?|ing|e)|upgrad(?:e|es|ing))(?:[._-]|$)/;

/** Whether a path is what people write for agents and for each other, in any folder (docs/documents.md). `docs.include` of the config replaces it. */
export function isDocument(path: string): boolean {
  const folders = `/${path.slice(0, Math.max(path.lastIndexOf("/"), 0))}/`;
  const name = baseOf(path).toLowerCase();
  if (folders.includes("/.cursor/rules/")) return true;
  if (!name.endsWith(".md")) return false;
  if (NAMES.has(name) || folders.includes("/.claude/")) return true;
  const docs = folders.indexOf("/docs/");
  if (docs >= 0) return !`${folders.slice(docs + 6)}${name}`.split("/").some((part) => PAST.test(part));
  return name === "copilot-instructions.md" && folders.endsWith("/.github/");
}
