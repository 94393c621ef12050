import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRepo } from "../support/repo.js";

interface Checked {
  symbols: { id: string; path: string; change: string; likelihood?: string; reasons?: string[]; sentence?: string }[];
}

const text = (limit: number, other: string) =>
  `/** Shortens a text to 80 characters. */\nexport function shorten(text: string) {\n  return text.slice(0, ${limit});\n}\n\n` +
  `export function other(${other}: number) {\n  return 1;\n}\n\nexport function bare() {\n  return ${limit};\n}\n`;

test("check lists every changed symbol, and how likely the change made its comment false", (t) => {
  const repo = makeRepo(t);
  repo.commit("one", { "src/a.ts": text(80, "a") });
  repo.commit("two", { "src/a.ts": text(100, "b") });

  const { symbols } = repo.uaJson<Checked>("check", "--base", "HEAD~1");

  const of = (name: string) => symbols.find(({ id }) => id === `function:src/a.ts:${name}`);
  assert.deepEqual(of("shorten"), {
    id: "function:src/a.ts:shorten",
    path: "src/a.ts",
    change: "body",
    likelihood: "likely",
    reasons: ['its text says "80", the code no longer does', "its strings or numbers changed"],
    sentence: "Shortens a text to 80 characters.",
  });
  assert.equal(of("other")?.change, "interface");
  assert.equal(of("bare")?.change, "body");
  assert.equal(of("bare")?.likelihood, undefined, "without a comment nothing can have become false");
});
