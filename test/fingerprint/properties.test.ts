import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { compareFingerprints } from "../../src/fingerprint/compare.js";
import { fingerprintText, prepareParser } from "../../src/fingerprint/extract.js";
import { languageOf } from "../../src/fingerprint/languages.js";
import { loadLanguage } from "../../src/fingerprint/parser.js";
import fc from "../support/fast-check.js";

prepareParser();

interface Sample {
  extension: string;
  /** A comment that takes the rest of its line. */
  line: string;
  /** A comment that may stand between any two tokens on one line; in CSS without blanks, which can be operators. */
  block?: string;
  /** Lines of text between tags are no place for comments. */
  isMarkup?: true;
  /** Lines before this one must stay first. */
  from?: number;
}

const SAMPLES: Sample[] = [
  { extension: "ts", line: "// c", block: " /* c */ " },
  { extension: "tsx", line: "// c", isMarkup: true },
  { extension: "js", line: "// c", block: " /* c */ ", from: 1 },
  { extension: "py", line: "# c" },
  { extension: "go", line: "// c", block: " /* c */ ", from: 1 },
  { extension: "rs", line: "// c", block: " /* c */ " },
  { extension: "java", line: "// c", block: " /* c */ " },
  { extension: "kt", line: "// c" },
  { extension: "c", line: "// c" },
  { extension: "h", line: "// c" },
  { extension: "cpp", line: "// c" },
  { extension: "cs", line: "// c", block: " /* c */ " },
  { extension: "rb", line: "# c" },
  { extension: "php", line: "// c", from: 1 },
  { extension: "swift", line: "// c" },
  { extension: "scala", line: "// c" },
  { extension: "lua", line: "-- c", block: " --[[ c ]] " },
  { extension: "sh", line: "# c", from: 1 },
  { extension: "dart", line: "// c", block: " /* c */ " },
  { extension: "tf", line: "# c", block: " /* c */ " },
  { extension: "yaml", line: "# c" },
  { extension: "css", line: "/* c */", block: "/* c */" },
];

const RUNS = 25;

const textOf = (extension: string) =>
  readFileSync(join(import.meta.dirname, "../test/fingerprint/samples", `sample.${extension}.txt`), "utf8");

const read = (extension: string, text: string) => fingerprintText(`sample.${extension}`, Buffer.from(text));

/** Where tokens begin, and which lines do not begin inside one. */
async function places({ extension, from = 0 }: Sample, text: string) {
  const language = languageOf(`a.${extension}`);
  assert.ok(language !== undefined);
  const syntax = (await loadLanguage(language)).parse(text, 5000);
  assert.ok(syntax !== undefined);
  const { pieces } = syntax;
  const spans = Array.from({ length: pieces.count }, (_, piece) => piece)
    .filter((piece) => !pieces.isMark(piece))
    .map((piece): [number, number] => [pieces.startOf(piece), pieces.endOf(piece)]);
  const isInside = (offset: number) => spans.some(([start, end]) => start < offset && offset < end);
  const lines = [...text.matchAll(/^/gm)].map((match) => match.index).slice(from);
  return {
    // TypeScript's grammar cannot read `a? /* c */ : string`.
    tokens: spans
      .map(([start]) => start)
      .filter((start) => start > 0 && start >= (lines[0] ?? 0) && text.slice(start - 1, start + 1) !== "?:"),
    lines: lines.filter((start) => !isInside(start) && !isInside(start - 1)),
  };
}

/** Comments stand where the code below them does. */
const indentAt = (text: string, at: number) => /^[ \t]*/.exec(text.slice(at))?.[0] ?? "";

const insert = (text: string, at: number, what: string) => text.slice(0, at) + what + text.slice(at);

describe("inserting what means nothing", () => {
  for (const sample of SAMPLES.filter(({ isMarkup }) => !isMarkup)) {
    const { extension, line, block } = sample;
    it(`never changes the interface: ${extension}`, async () => {
      const text = textOf(extension);
      const before = await read(extension, text);
      assert.ok(before.hasStructuralAnalysis);
      const { tokens, lines } = await places(sample, text);
      const kinds = block === undefined ? ["line", "blank"] : ["line", "blank", "block"];
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...kinds), fc.nat(), async (kind, where) => {
          const places = kind === "block" ? tokens : lines;
          const at = places[where % places.length] ?? 0;
          const what = kind === "block" ? `${block}` : kind === "line" ? `${indentAt(text, at)}${line}\n` : "\n\n";
          const change = compareFingerprints(before, await read(extension, insert(text, at, what)));
          assert.equal(change.drift, "cosmetic", `${kind} at ${at}: ${change.details}`);
        }),
        { numRuns: RUNS },
      );
    });
  }
});

/** Words that are no names, though they stand where names do. */
const NOT_NAMES =
  /^(default|init|constructor|this|operator|global|main|Companion|package|var|local|output|return|module|exports|prototype)$/;

describe("renaming a public name", () => {
  for (const { extension } of SAMPLES) {
    it(`always changes the interface: ${extension}`, async () => {
      const text = textOf(extension);
      const before = await read(extension, text);
      const entries = [...before.functions, ...before.classes].filter((entry) => entry.exported);
      const all = [...entries.map((entry) => entry.name), ...before.exports].flatMap((name) => name.split("."));
      const names = [...new Set(all)].filter((name) => /^\p{L}[\p{L}\p{N}_]*$/u.test(name) && !NOT_NAMES.test(name));
      assert.ok(names.length > 1, `${names}`);
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...names), async (name) => {
          const renamed = text.replace(
            new RegExp(`(?<![\\p{L}\\p{N}_])${name}(?![\\p{L}\\p{N}_])`, "gu"),
            `${name}Renamed`,
          );
          const change = compareFingerprints(before, await read(extension, renamed));
          assert.equal(change.drift, "interface", `${name}: ${change.details}`);
        }),
        { numRuns: RUNS },
      );
    });
  }
});
