import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { readMeasured } from "../../bench/measured.js";
import { PAGES as BENCH_PAGES, PICTURE, pageWith, pictureOf } from "../../bench/pages.js";
import { type ClientResults, pageWithResults } from "../clients/page.js";
import { PAGES, pageText } from "../support/docs.js";
import { measuredNumbers } from "../support/measured-numbers.js";
import { dist } from "../support/repo.js";
import { constantPhrases } from "./constants.js";

/** What scripts/page.mjs exports; the scripts are not compiled. */
interface ScriptParts {
  PARTS: { name: string; page: string }[];
  pageWithParts(page: string, text: string): string;
}

const root = join(dist, "..");
const scripts = (await import(pathToFileURL(join(root, "scripts/page.mjs")).href)) as ScriptParts;

/** Each part of a page that a command writes is made again here, from what the command stored. */
const WRITERS: Record<string, (text: string) => string> = {
  ...Object.fromEntries(BENCH_PAGES.map((page) => [page, (text: string) => pageWith(page, text, readMeasured())])),
  "docs/agents.md": (text) => pageWithResults(text, stored<ClientResults[]>("test/clients/results.json")),
};
const PARTS = [
  ...["bench costs", "bench exceeded", "bench rows", "bench growth", "bench large", "clients table", "clients loops"],
  ...scripts.PARTS.map(({ name }) => name),
];

function stored<T>(path: string): T {
  return JSON.parse(readFileSync(join(root, path), "utf8")) as T;
}

const written = [...new Set([...Object.keys(WRITERS), ...scripts.PARTS.map(({ page }) => page)])];

for (const page of written) {
  test(`${page} has the numbers that were measured last (npm run bench -- --write, and the scripts)`, () => {
    const text = pageText(page);
    assert.equal(scripts.pageWithParts(page, WRITERS[page]?.(text) ?? text), text);
  });
}

test("the picture of the growth curves shows what was measured last", () => {
  const file = join(root, PICTURE);
  assert.equal(existsSync(file) ? readFileSync(file, "utf8") : undefined, pictureOf(readMeasured()));
});

const checked = PAGES.filter((page) => page === "README.md" || page.startsWith("docs/"));

test("a measured number stands only where a command writes it, or is a constant of the code", () => {
  const phrases = constantPhrases();
  const found = checked.flatMap((page) => {
    const own = phrases.filter((one) => one.page === page).map(({ phrase }) => phrase);
    return measuredNumbers(pageText(page), { parts: PARTS, phrases: own }).map((number) => `${page}: ${number}`);
  });
  assert.deepEqual(found, []);
});

test("each constant that a page names is the one of the code", () => {
  const wrong = constantPhrases().filter(({ page, phrase }) => !pageText(page).replace(/\s+/g, " ").includes(phrase));
  assert.deepEqual(wrong, []);
});

test("a measured number is found in prose and in tables, and not in code, in versions and in parts that a command writes", () => {
  const numbers = (text: string) => measuredNumbers(text, { parts: ["bench rows"], phrases: ["at most 64 MB"] });
  assert.deepEqual(numbers("It takes 12 ms, 0.5 s, 3.1 MB or 40 % of it.\n"), ["12 ms", "0.5 s", "3.1 MB", "40 %"]);
  assert.deepEqual(numbers("| a | 1.05 |\n| b | 300 tokens |\n"), ["1.05", "300 tokens"]);
  assert.deepEqual(numbers("twice, or 2 times, in two\nminutes and 1.6 times\n"), [
    "2 times",
    "two minutes",
    "1.6 times",
  ]);
  assert.deepEqual(
    numbers("Node 20.17 or later, git 2.54, v1.0.0, `1.5 MB`, at most\n64 MB\n```sh\nrun 5 s\n```\n"),
    [],
  );
  assert.deepEqual(numbers("<!-- bench rows -->\n\n1.05\n\n<!-- /bench rows -->\n"), []);
  assert.deepEqual(numbers("<!-- other -->\n\n1.05\n\n<!-- /other -->\n"), ["1.05"]);
  assert.deepEqual(numbers("yes, 19 languages and 2,438 tests\n"), ["19 languages", "2,438 tests"]);
});
