import { readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { compareFingerprints } from "../../src/fingerprint/compare.js";
import { fingerprintText, prepareParser } from "../../src/fingerprint/extract.js";
import { languageOf } from "../../src/fingerprint/languages.js";
import { dice } from "./dice.js";

/**
 * A program: fingerprints generated files, in a process of its own, because what goes wrong can end the process. It prints a line
 * before each file, so that its parent knows which one it was, and `done` at the end.
 * Arguments: seed, number of files for each language, extensions.
 */
const SAMPLES = join(import.meta.dirname, "../test/fingerprint/samples");
const MOST_BYTES = 1 << 30;
const BUDGET = { parseBudgetMs: 2000 };

function characters(pattern: RegExp, step = 1): string[] {
  const found: string[] = [];
  for (let code = 1; code < 0x11_0000; code++) {
    const char = String.fromCodePoint(code);
    if (pattern.test(char)) found.push(char);
  }
  return found.filter((_, at) => at % step === 0);
}

/** Every blank, control, format character and what else has no picture; some of the many combining ones; what joins; halves. */
const ODD = [
  ...characters(/^\p{White_Space}$/u),
  ...characters(/^\p{Default_Ignorable_Code_Point}$/u, 50),
  ...characters(/^[\p{Cc}\p{Cf}]$/u),
  ...characters(/^\p{M}$/u, 80),
  ...characters(/^\p{Co}$/u, 20_000),
  ...[
    "\u200b",
    "\u200c",
    "\u200d",
    "\u2060",
    "\ufeff",
    "\ufe0f",
    "\u034f",
    "\u115f",
    "\u3164",
    "\uffa0",
    "\u{e0041}",
    "\u{e0101}",
  ],
  ...["\ud800", "\udbff", "\udc00", "\udfff", "\udc00\ud800", "\ufffe", "\uffff", "\u{10ffff}"],
];

/** Where something is put: the character before the place, and the one behind it. */
const PLACES = [
  /(?=^)/g,
  /$/g,
  /(?<=[\w$])(?=[\w$])/g,
  /(?<=["'`])/g,
  /(?=["'`])/g,
  /(?<=\/\/|#|--|\/\*|\*)/g,
  /\s/g,
  /(?<=[^\w\s])/g,
  /(?=[^\w\s])/g,
  /\n/g,
  /(?:)/g,
];
const BESIDE = ["", "", "", "\n", "\r", "\\", "'", '"', "//", "/*", "*/", "#", "--[[", "${", "<<E\n", ";", ","];

/** One generated file. */
function oddFile(extension: string, seed: number, at: number): string {
  const roll = dice(seed * 65_537 + at);
  const pick = <T>(all: readonly T[]) => all[roll(all.length)] as T;
  let text = readSample(extension);
  if (roll(4) === 0) text = text.slice(roll(text.length));
  if (roll(4) === 0) text = text.slice(0, roll(text.length));
  const runs = 1 + roll(6);
  for (let run = 0; run < runs; run++) {
    // In turn, so that every one of them is used.
    const char = run === 0 ? (ODD[at % ODD.length] as string) : pick(ODD);
    const odd = roll(3) === 0 ? char + pick(ODD) : char.repeat(1 + roll(3));
    const places = [...text.matchAll(pick(PLACES))];
    const place = places.length === 0 ? 0 : (pick(places).index ?? 0);
    text = text.slice(0, place) + pick(BESIDE) + odd + pick(BESIDE) + text.slice(place);
  }
  return text;
}

const samples = new Map<string, string>();

function readSample(extension: string): string {
  const known =
    samples.get(extension) ??
    WRAPPED[extension]?.(readSample("ts")) ??
    readFileSync(join(SAMPLES, `sample.${extension}.txt`), "utf8");
  samples.set(extension, known);
  return known;
}

/** Languages without a sample of their own hold code of another one. */
const WRAPPED: Readonly<Record<string, (code: string) => string>> = {
  vue: (code) => `<template><p class="a">{{ b }}</p></template>\n<script setup lang="ts">\n${code}\n</script>\n`,
  svelte: (code) => `<script lang="ts">\n${code}\n</script>\n<p>{b}</p>\n`,
  astro: (code) => `---\n${code}\n---\n<p>{b}</p>\n`,
  md: (code) =>
    `---\na: b\n---\n# Title #\n\nText [link](to) *b*\n\nUnder\n---\n\n## Two {#id}\n\n~~~ts\n${code}\n~~~\n<!-- c -->\n`,
};

/** In UTF-8, halves of pairs included, which Buffer would replace. */
function bytesOf(text: string): Buffer {
  const parts = text.split(/(?<![\ud800-\udbff])([\udc00-\udfff])|([\ud800-\udbff])(?![\udc00-\udfff])/);
  return Buffer.concat(
    parts.map((part = "") => {
      const code = part.charCodeAt(0);
      const isHalf = part.length === 1 && code >= 0xd800 && code <= 0xdfff;
      return isHalf
        ? Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)])
        : Buffer.from(part);
    }),
  );
}

/** Each once took the square of its length. */
const ROWS: readonly (readonly [extension: string, start: string, row: string])[] = [
  ["swift", "", "#"],
  ["scala", "", "`"],
  ["c", "", " /*"],
  ["kt", "", " /*"],
  ["css", "", "url("],
  ["css", "", "url(a)"],
  ["md", "# ", "["],
  ["md", "# ", "{#"],
  ["md", "# ", "a  # "],
];

/** Between tokens these continue a line, so each is a blank; a parser that gave up makes an error of each. */
const CONTINUED = "\\\n".repeat(30_000);

async function runContinued(extension: string): Promise<void> {
  for (const start of ["", "{"]) {
    writeSync(1, `${extension} ${start} and continued lines\n`);
    await fingerprintText(`a.${extension}`, Buffer.from(start + CONTINUED), { parseBudgetMs: 10_000 });
  }
}

async function runRows(extensions: readonly string[]): Promise<void> {
  for (const [extension, start, row] of ROWS) {
    if (!extensions.includes(extension)) continue;
    writeSync(1, `${extension} ${row}\n`);
    const text = start + row.repeat(1_000_000 / row.length);
    await fingerprintText(`a.${extension}`, Buffer.from(text), { parseBudgetMs: 100 });
  }
}

async function run(seed: number, count: number, extensions: readonly string[]): Promise<void> {
  prepareParser();
  for (const extension of extensions) {
    if (languageOf(`a.${extension}`) === undefined) throw new Error(`no language: ${extension}`);
    const plain = await fingerprintText(`a.${extension}`, Buffer.from(readSample(extension)), BUDGET);
    for (let at = 0; at < count; at++) {
      writeSync(1, `${extension} ${at}\n`);
      const print = await fingerprintText(`a.${extension}`, bytesOf(oddFile(extension, seed, at)), BUDGET);
      if (print.reason?.startsWith("the parser failed")) throw new Error(print.reason);
      compareFingerprints(plain, print);
    }
    const { rss } = process.memoryUsage();
    if (rss > MOST_BYTES) throw new Error(`${extension}: ${rss} bytes of memory`);
  }
  for (const extension of extensions) await runContinued(extension);
  await runRows(extensions);
  writeSync(1, "done\n");
}

const [, , seed = "", count = "", ...extensions] = process.argv;
await run(Number(seed), Number(count), extensions);
