import type { Report } from "./types.js";

/** The parts of the page in the package. */
export interface PageParts {
  html: string;
  style: string;
  script: string;
}

/** Identifies a page as ours, which the next report may overwrite. */
export const SIGNATURE = '<meta name="generator" content="ua-hooks report">';

/**
 * One self-contained file. Only its own style and script may run, by their hashes; nothing may be fetched, and no text
 * can become markup. Placeholders are replaced in our html only: names and statements may contain anything.
 */
export function renderPage({ html, style, script }: PageParts, report: Report): string {
  const values: Record<string, string> = {
    policy: [
      "default-src 'none'",
      `style-src ${hashOf(style)}`,
      `script-src ${hashOf(script)}`,
      ...["base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"],
    ].join("; "),
    title: escapeHtml(`${report.project.name}: freshness report`),
    generator: SIGNATURE,
    style,
    script,
    data: embed(report),
  };
  return html.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
}

function hashOf(text: string): string {
  return `'sha256-${process.getBuiltinModule("node:crypto").createHash("sha256").update(text).digest("base64")}'`;
}

/** JSON that cannot end its script element: without `<` there is no tag. Lone surrogates are escaped already. */
export function embed(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
