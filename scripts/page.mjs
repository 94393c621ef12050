// The parts of pages that a script here writes, between <!-- name --> and <!-- /name -->: each is made from what the script stored in
// bench/, so that `test/docs/numbers` can make it again and compare.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { report } from "./labels/report.mjs";
import { likelihoodText } from "./parts/likelihood.mjs";
import { sizesText } from "./parts/sizes.mjs";
import { teamText } from "./parts/team.mjs";
import { savesText, tokensText } from "./parts/tokens.mjs";
import { verdictsText } from "./parts/verdicts.mjs";

const root = join(import.meta.dirname, "..");

export const PARTS = [
  { name: "saves", page: "README.md", stored: "tokens", text: savesText },
  { name: "tokens", page: "docs/benchmarks.md", stored: "tokens", text: tokensText },
  { name: "labels", page: "docs/benchmarks.md", stored: "behaviour-labels", text: ({ labels }) => report(labels) },
  { name: "likelihood", page: "docs/benchmarks.md", stored: "likelihood", text: likelihoodText },
  { name: "verdicts", page: "docs/benchmarks.md", stored: "verdicts", text: verdictsText },
  { name: "team", page: "docs/benchmarks.md", stored: "team", text: teamText },
  { name: "sizes", page: "docs/package.md", stored: "package-sizes", text: sizesText },
];

const fileOf = (stored) => join(root, "bench", `${stored}.json`);
const LIST_OF_STRINGS = /\[\n\s+("[^"]*"(?:,\n\s+"[^"]*")*)\n\s+\]/g;

export const readStored = (stored) => JSON.parse(readFileSync(fileOf(stored), "utf8"));

/** In the form that biome gives it. */
export function store(stored, data) {
  const text = JSON.stringify(data, null, 2);
  writeFileSync(fileOf(stored), `${text.replace(LIST_OF_STRINGS, (_, list) => `[${list.replace(/\n\s+/g, " ")}]`)}\n`);
}

/** A page with every part that a script writes, as it is stored. */
export function pageWithParts(page, text) {
  return PARTS.filter((part) => part.page === page).reduce((all, part) => {
    const [open, close] = [`<!-- ${part.name} -->`, `<!-- /${part.name} -->`];
    const [from, to] = [all.indexOf(open), all.indexOf(close)];
    if (from < 0 || to < from) throw new Error(`${page} has no ${open} … ${close}`);
    return `${all.slice(0, from)}${open}\n\n${part.text(readStored(part.stored)).trimEnd()}\n\n${all.slice(to)}`;
  }, text);
}

/** What was measured, into bench/ and into the pages that show it. */
export function storeAndWrite(stored, data) {
  store(stored, data);
  for (const page of new Set(PARTS.filter((part) => part.stored === stored).map((part) => part.page))) {
    const file = join(root, page);
    writeFileSync(file, pageWithParts(page, readFileSync(file, "utf8")));
  }
}
