import { createHash } from "node:crypto";
import type { Report } from "./types.js";

/** The parts of the page as the package has them. */
export interface PageParts {
  html: string;
  style: string;
  script: string;
}

/** By this line a page is known as ours, and may be overwritten by the next one. */
export const SIGNATURE = '<meta name="generator" content="ua-hooks report">';

/**
 * One file that needs nothing else. Only its own style and script may run, by their hashes; nothing may be fetched, and
 * no text can become markup. Placeholders are looked for in our html alone: names and statements may hold anything.
 */
export function renderPage({ html, style, script }: PageParts, report: Report): string {
  const values: Record<string, string> = {
    policy: [
      "default-src 'none'",
      `style-src ${hashOf(style)}`,
      `script-src ${hashOf(script)}`,
      ...["base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"],
    ].join("; "),
    title: escapeHtml(`${report.project.name}: how fresh is what is known`),
    generator: SIGNATURE,
    style,
    script,
    data: embed(report),
  };
  return html.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** JSON that no HTML parser can leave: without `<` there is no tag to end it with. Lone surrogates are escaped already. */
export function embed(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
