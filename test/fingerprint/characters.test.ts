import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { compareFingerprints } from "../../src/fingerprint/compare.js";
import { fingerprintText, prepareParser } from "../../src/fingerprint/extract.js";
import type { Span } from "../../src/fingerprint/find-comments.js";
import { languageOf } from "../../src/fingerprint/languages.js";
import { loadLanguage } from "../../src/fingerprint/parser.js";
import { symbolFacts } from "../../src/fingerprint/symbols.js";
import type { Syntax } from "../../src/fingerprint/syntax.js";
import type { FileFingerprint } from "../../src/fingerprint/types.js";
import fc from "../support/fast-check.js";
import { compareSymbols } from "../support/symbol-drift.js";

prepareParser();

const SAMPLES = join(import.meta.dirname, "../test/fingerprint/samples");
const RUNS = process.env.UA_HOOKS_LONG === undefined ? 5 : 400;

/** Some grammars take their time over files of another language. */
const BUDGET = { parseBudgetMs: 1000 };

const extensions = readdirSync(SAMPLES).map((name) => name.replace(/^sample\.|\.txt$/g, ""));
const sample = (extension: string) => readFileSync(join(SAMPLES, `sample.${extension}.txt`), "utf8");

const PIECES = [
  "{",
  "}",
  "(",
  ")",
  '"',
  "'",
  "`",
  "/*",
  "*/",
  "//",
  "#",
  "<",
  "=",
  "open = true\n",
  "\\",
  "=begin\n",
  "--[[",
];

/** What can befall a file: a part goes, some characters come, the file ends early, another file follows. */
const damage = fc.oneof(
  fc.constant<Damage>({ kind: "none" }),
  fc.record({ kind: fc.constant("cut" as const), at: fc.nat(), length: fc.nat(200) }),
  fc.record({ kind: fc.constant("insert" as const), at: fc.nat(), text: fc.constantFrom(...PIECES) }),
  fc.record({ kind: fc.constant("end" as const), at: fc.nat() }),
  fc.record({ kind: fc.constant("join" as const), at: fc.nat(), extension: fc.constantFrom(...extensions) }),
);

type Damage =
  | { kind: "none" }
  | { kind: "cut"; at: number; length: number }
  | { kind: "insert"; at: number; text: string }
  | { kind: "end"; at: number }
  | { kind: "join"; at: number; extension: string };

function damaged(text: string, how: Damage): string {
  if (how.kind === "none") return text;
  const at = how.at % text.length;
  if (how.kind === "cut") return text.slice(0, at) + text.slice(at + how.length);
  if (how.kind === "insert") return text.slice(0, at) + how.text + text.slice(at);
  if (how.kind === "end") return text.slice(0, at);
  return `${text.slice(0, at)}\n${sample(how.extension)}`;
}

/** Places of letters and digits that are in no comment and no docstring. Punctuation can be optional; a letter never is. */
function lettersOf(syntax: Syntax): number[] {
  const { pieces, source } = syntax;
  const docstrings = Array.from({ length: pieces.count }, (_, piece) => piece)
    .filter((piece) => pieces.isDocumentation(piece))
    .map((piece): Span => [pieces.startOf(piece), pieces.endOf(piece)]);
  const spans = [...syntax.comments, ...docstrings];
  return [...source.matchAll(/[a-zA-Z0-9]/g)].map(({ index }) => index).filter((at) => !isIn(spans, at));
}

const isIn = (spans: readonly Span[], at: number) => spans.some(([start, end]) => start <= at && at < end);

/** Statements that import are no part of a symbol. */
function importsOf({ count, type, rules, pieces, pieceStart, pieceEnd }: Syntax): Span[] {
  const nodes = Array.from({ length: count }, (_, node) => node).filter(
    (node) => rules.importStatements[type[node] ?? 0] === 1 && (pieceStart[node] ?? 0) < (pieceEnd[node] ?? 0),
  );
  return nodes.map((node) => [pieces.startOf(pieceStart[node] ?? 0), pieces.endOf((pieceEnd[node] ?? 1) - 1)]);
}

async function parsed(path: string, text: string): Promise<Syntax | undefined> {
  const language = languageOf(path);
  assert.ok(language !== undefined);
  return (await loadLanguage(language)).parse(text, BUDGET.parseBudgetMs);
}

/** A letter is a part of some symbol, or of an import. */
function assertSomeSymbol(before: FileFingerprint, after: FileFingerprint, what: string): void {
  if (!before.hasStructuralAnalysis || !after.hasStructuralAnalysis) return;
  const seen = ({ imports, exports }: FileFingerprint) => JSON.stringify([imports, exports]);
  if (seen(before) !== seen(after)) return;
  const changes = compareSymbols(symbolFacts(before), symbolFacts(after));
  const drifts = changes.map(({ drift }) => drift).filter((drift) => drift !== "none" && drift !== "cosmetic");
  assert.ok(drifts.length > 0, `no symbol changed: ${what}`);
}

describe("a changed character that is in no comment", () => {
  for (const extension of extensions) {
    it(`is never cosmetic, whatever the file looks like: ${extension}`, async () => {
      const path = `a.${extension}`;
      const edit = fc.constantFrom("change", "remove", "double");
      await fc.assert(
        fc.asyncProperty(fc.array(damage, { maxLength: 2 }), edit, fc.nat(), async (damages, kind, where) => {
          const text = damages.reduce(damaged, sample(extension));
          const syntax = await parsed(path, text);
          if (syntax === undefined) return; // given up: then any change is one of the interface
          const letters = lettersOf(syntax);
          const at = letters[where % Math.max(letters.length, 1)];
          if (at === undefined) return;
          const letter = text[at] === "q" ? "z" : "q";
          const put = { change: letter, remove: "", double: `${text[at]}${letter}` }[kind] ?? "";
          const now = text.slice(0, at) + put + text.slice(at + 1);
          const [before, after] = await Promise.all(
            [text, now].map((one) => fingerprintText(path, Buffer.from(one), BUDGET)),
          );
          assert.ok(before !== undefined && after !== undefined);
          const { drift } = compareFingerprints(before, after);
          assert.ok(
            drift === "body" || drift === "behaviour" || drift === "interface",
            `${drift}: ${JSON.stringify({ text, now })}`,
          );
          if (!isIn(importsOf(syntax), at)) assertSomeSymbol(before, after, JSON.stringify({ text, now }));
        }),
        { numRuns: RUNS },
      );
    });
  }
});
