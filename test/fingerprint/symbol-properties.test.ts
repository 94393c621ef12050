import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { compareFingerprints } from "../../src/fingerprint/compare.js";
import { fingerprintText, prepareParser } from "../../src/fingerprint/extract.js";
import { type SymbolFacts, symbolFacts } from "../../src/fingerprint/symbols.js";
import type { FileFingerprint } from "../../src/fingerprint/types.js";
import fc from "../support/fast-check.js";
import { compareSymbols, furthestDrift, type SymbolChange } from "../support/symbol-drift.js";

prepareParser();

const SAMPLES = join(import.meta.dirname, "../test/fingerprint/samples");
const RUNS = process.env.UA_HOOKS_LONG === undefined ? 5 : 400;
const extensions = readdirSync(SAMPLES).map((name) => name.replace(/^sample\.|\.txt$/g, ""));

/** What can be done to two files: the numbers choose a declaration, a letter or a line of them. */
const edit = fc.record({
  kind: fc.constantFrom("move", "copy", "remove", "rename", "reorder", "twins", "letter", "blank"),
  at: fc.nat(),
  isSecond: fc.boolean(),
});
type Edit = { kind: string; at: number; isSecond: boolean };

const read = (path: string, text: string) => fingerprintText(path, Buffer.from(text), { parseBudgetMs: 600_000 });

async function edited(path: string, [one, other]: [string, string], edits: readonly Edit[]): Promise<[string, string]> {
  let [first, second] = [one, other];
  for (const { kind, at, isSecond } of edits) {
    const [text, rest] = isSecond ? [second, first] : [first, second];
    const print = await read(path, text);
    const declared = [...print.functions, ...print.classes];
    const { lineRange = [1, 1], name = "" } = declared[at % Math.max(declared.length, 1)] ?? {};
    const [now, there] = change({ kind, at, text, rest, lineRange, name });
    [first, second] = isSecond ? [there, now] : [now, there];
  }
  return [first, second];
}

interface Chosen {
  kind: string;
  at: number;
  text: string;
  rest: string;
  lineRange: readonly [number, number];
  name: string;
}

function change({ kind, at, text, rest, lineRange: [from, to], name }: Chosen): [text: string, rest: string] {
  const lines = text.split("\n");
  const own = lines.slice(from - 1, to).join("\n");
  const without = [...lines.slice(0, from - 1), ...lines.slice(to)].join("\n");
  const simple = name.split(".").at(-1) ?? "";
  if (kind === "move") return [without, `${rest}\n${own}\n`];
  if (kind === "copy") return [text, `${rest}\n${own}\n`];
  if (kind === "remove") return [without, rest];
  if (kind === "reorder") return [`${without}\n${own}\n`, rest];
  const renamed = (source: string, now: string) =>
    /^\w+$/.test(simple) ? source.replace(new RegExp(`\\b${simple}\\b`, "g"), now) : source;
  if (kind === "twins") return [`${without}\n${renamed(own, "one")}\n${renamed(own, "other")}\n`, rest];
  if (kind === "rename") return [renamed(text, `${simple}Now`), rest];
  const letters = [...text.matchAll(/[a-z0-9]/g)];
  const place = letters[at % Math.max(letters.length, 1)]?.index ?? 0;
  if (kind === "letter") return [`${text.slice(0, place)}q${text.slice(place + 1)}`, rest];
  return [[...lines.slice(0, at % lines.length), "", ...lines.slice(at % lines.length)].join("\n"), rest];
}

const keyOf = ({ path, kind, name }: Pick<SymbolFacts, "path" | "kind" | "name">) => `${path} ${kind} ${name}`;
const sorted = (list: Iterable<string>) => [...list].sort();

/** Every symbol of both sides is accounted for once. */
function assertComplete(before: readonly SymbolFacts[], after: readonly SymbolFacts[], changes: SymbolChange[]): void {
  const there = changes.filter(({ drift }) => drift !== "gone");
  assert.deepEqual(sorted(there.map(keyOf)), sorted(after.map(keyOf)));
  const old = new Set(before.map(keyOf));
  const from = changes.flatMap((one) => {
    if (one.from !== undefined) return [keyOf({ ...one, ...one.from })];
    return one.drift === "new" ? [] : [keyOf(one)];
  });
  assert.deepEqual(sorted(from), sorted(old));
}

/** What is paired is the same thing, and the other way round it is the same pair. */
function assertPairs(before: readonly SymbolFacts[], after: readonly SymbolFacts[], changes: SymbolChange[]): void {
  const old = new Map(before.map((one) => [keyOf(one), one]));
  const now = new Map(after.map((one) => [keyOf(one), one]));
  const pairs = (list: SymbolChange[]) =>
    list.flatMap((one) => (one.from === undefined ? [] : [{ ...one, from: one.from }]));
  for (const one of pairs(changes)) {
    const [was, is] = [old.get(keyOf({ ...one, ...one.from })), now.get(keyOf(one))];
    assert.ok(was !== undefined && is !== undefined && one.kind !== "module");
    const isEqual = was.hash === is.hash || (was.bareHash !== undefined && was.bareHash === is.bareHash);
    assert.ok(isEqual || one.kind === "class", `${keyOf(was)} is not ${keyOf(is)}`);
    assert.equal(one.drift, was.name === is.name ? "moved" : "renamed");
  }
  const named = (path: string, name: string, from: { path: string; name: string }) =>
    JSON.stringify([path, name, from.path, from.name]);
  const backwards = pairs(compareSymbols(after, before)).map(({ path, name, from }) =>
    named(from.path, from.name, { path, name }),
  );
  const forwards = pairs(changes).map(({ path, name, from }) => named(path, name, from));
  assert.deepEqual(sorted(backwards), sorted(forwards));
}

function assertDrift(before: FileFingerprint, after: FileFingerprint, changes: SymbolChange[]): void {
  const drift = furthestDrift({ before, after }, changes);
  const { drift: whole } = compareFingerprints(before, after);
  if (whole === "none" || whole === "cosmetic") assert.equal(drift, whole);
  else assert.ok(drift !== "none" && drift !== "cosmetic", `${drift}, but the file is ${whole}`);
  if (whole === "body") assert.ok(drift === "body" || drift === "behaviour", `${drift}, but the file is ${whole}`);
}

describe("random edits of two files", () => {
  for (const extension of extensions) {
    it(`leave no symbol out and no drift too small: ${extension}`, async () => {
      const text = readFileSync(join(SAMPLES, `sample.${extension}.txt`), "utf8");
      const paths = [`a.${extension}`, `lib/b.${extension}`] as const;
      const both = (texts: [string, string]) => Promise.all(paths.map((path, at) => read(path, texts[at] ?? "")));
      const start: [string, string] = [text, text.replace(/\b([A-Za-z]\w{3,})\b/g, "$1Too")];
      await fc.assert(
        fc.asyncProperty(fc.array(edit, { maxLength: 2 }), fc.array(edit, { maxLength: 3 }), async (first, then) => {
          const was = await edited(paths[0], start, first);
          const is = await edited(paths[0], was, then);
          const [before, after] = [await both(was), await both(is)];
          const [old, now] = [before.flatMap(symbolFacts), after.flatMap(symbolFacts)];
          const changes = compareSymbols(old, now);
          assertComplete(old, now, changes);
          assertPairs(old, now, changes);
          for (const [at, one] of before.entries()) assertDrift(one, after[at] ?? one, changes);
        }),
        { numRuns: RUNS },
      );
    });
  }
});
