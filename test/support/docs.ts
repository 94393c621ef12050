import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dist } from "./repo.js";

const root = join(dist, "..");

/** Every page that people read, by its path from the root. */
export const PAGES = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"],
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

export const pageText = (page: string) => readFileSync(join(root, page), "utf8");

/** The fenced blocks of one language, as they stand there. */
export function fences(page: string, language: string): string[] {
  const blocks = pageText(page).matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm);
  return [...blocks].filter((match) => match[1] === language).map((match) => match[2] ?? "");
}
