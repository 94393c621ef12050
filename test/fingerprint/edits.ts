import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Drift } from "../../src/fingerprint/types.js";

/** One edit and what it must be called. */
export interface Edit {
  title: string;
  before: string;
  after: string;
  drift: Drift;
  /** Details that must be among those given. */
  details: string[];
}

/**
 * Reads a table of edits. Each entry:
 *
 *     ## what the edit does → drift: detail + detail
 *     text before
 *     ---
 *     text after
 *
 * `(crlf)` or `(bom)` in the title gives the text after Windows line ends or a byte order mark.
 */
export function readEdits(language: string): Edit[] {
  const file = join(import.meta.dirname, "../test/fingerprint/edits", `${language}.txt`);
  const entries = readFileSync(file, "utf8").split(/^## /m).slice(1);
  return entries.map(parseEntry);
}

function parseEntry(entry: string): Edit {
  const [heading = "", ...lines] = entry.replace(/\n+$/, "\n").split("\n");
  const [, title = "", drift = "", details = ""] = /^(.*?) → (\w+)(?:: (.*))?$/.exec(heading) ?? [];
  if (!["none", "cosmetic", "body", "behaviour", "interface"].includes(drift))
    throw new Error(`no drift in heading: ${heading}`);
  const middle = lines.indexOf("---");
  if (middle < 0) throw new Error(`no --- in: ${heading}`);
  let after = lines.slice(middle + 1).join("\n");
  if (title.includes("(crlf)")) after = after.replaceAll("\n", "\r\n");
  if (title.includes("(bom)")) after = `\uFEFF${after}`;
  return {
    title,
    before: `${lines.slice(0, middle).join("\n")}\n`,
    after,
    drift: drift as Drift,
    details: details === "" ? [] : details.split(" + "),
  };
}
