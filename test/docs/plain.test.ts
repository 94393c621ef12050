import assert from "node:assert/strict";
import { test } from "node:test";
import { filesOf, sourceText } from "../support/sources.js";

const EVERYWHERE = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CHANGELOG.md",
  "docs",
  "hooks",
  "templates",
  "src",
  "test",
  "bench",
  "scripts",
  "schemas",
];

/** The whole list: assert shows only the beginning of long values. */
const none = (found: readonly string[]) => assert.ok(found.length === 0, `${found.length} found:\n${found.join("\n")}`);

const isText = (file: string) => !/\.(png|svg|br)$/.test(file);
const textFiles = (paths: readonly string[]) => paths.flatMap(filesOf).filter(isText);

/** The text with the line breaks of comments removed, so that a name may continue on the next line. */
const joined = (text: string) => text.replace(/\s*\n\s*(?:\*|\/\/|#)?\s*/g, " ");

test("every invariant that is cited has a heading in docs/invariants.md", () => {
  const headings = [...sourceText("docs/invariants.md").matchAll(/^## (.+)$/gm)].map(([, name = ""]) => name);
  const names = new Set(headings.map((name) => name.toLowerCase()));
  assert.ok(names.size > 0);
  const unknown: string[] = [];
  for (const file of textFiles(EVERYWHERE))
    for (const [, name = ""] of joined(sourceText(file)).matchAll(/\binvariants? \\?["“]([^"”\\]+)/gi))
      if (!names.has(name.toLowerCase()) && !name.includes("$")) unknown.push(`${file}: ${name}`);
  none(unknown);
});

test("no rule is cited by a number", () => {
  const found: string[] = [];
  for (const file of textFiles(EVERYWHERE))
    for (const [citation] of sourceText(file).matchAll(/\b[Ll]aws? \d+|\bSPEC\b|\u00a7/g))
      found.push(`${file}: ${citation}`);
  none(found);
});
