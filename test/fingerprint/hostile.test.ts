import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { compareFingerprints } from "../../src/fingerprint/compare.js";
import { fingerprintText, prepareParser } from "../../src/fingerprint/extract.js";

/** The runtime of the parser takes this function when it starts: git shows what a hook writes to stderr. */
const printed: unknown[] = [];
console.error = (...text: unknown[]) => {
  printed.push(...text);
};

prepareParser();

/** One path for each grammar. */
const PATHS = [
  "a.ts",
  "a.tsx",
  "a.js",
  "a.py",
  "a.go",
  "a.rs",
  "A.java",
  "a.kt",
  "a.c",
  "a.cpp",
  "A.cs",
  "a.rb",
  "a.php",
  "a.swift",
  "a.scala",
  "a.lua",
  "a.sh",
  "a.dart",
  "a.tf",
  "a.yaml",
  "a.css",
  "a.md",
];

const BUDGET = { parseBudgetMs: 30 };

async function survives(path: string, content: Buffer): Promise<void> {
  const print = await fingerprintText(path, content, BUDGET);
  assert.match(print.contentHash, /^[0-9a-f]{64}$/);
  if (!print.hasStructuralAnalysis) assert.notEqual(print.reason ?? "", "");
  const other = await fingerprintText(path, Buffer.from("x"), BUDGET);
  assert.equal(compareFingerprints(print, other).filePath, path);
}

describe("hostile input", () => {
  it("that makes a scanner write past its memory spoils nothing for the next file", async () => {
    // Python's scanner keeps a stack of open quotes in a buffer of a fixed size.
    await fingerprintText("a.py", Buffer.from("'\"`<<EOF\n/*".repeat(5_000)));
    for (const path of ["a.py", "a.ts"]) {
      const next = await fingerprintText(path, Buffer.from(path === "a.py" ? "def f(): pass" : "function f() {}"));
      assert.deepEqual([next.reason, next.functions[0]?.name], [undefined, "f"]);
    }
  });

  for (const path of PATHS) {
    it(`${path}: 100,000 nested brackets`, () =>
      survives(path, Buffer.from("(".repeat(100_000) + ")".repeat(100_000))));
    it(`${path}: deep blocks that never close`, () => survives(path, Buffer.from("{[(".repeat(10_000))));
    it(`${path}: deep declarations`, () => survives(path, Buffer.from("class A { function f() { ".repeat(2_000))));
    it(`${path}: random bytes without NUL`, () =>
      survives(path, Buffer.from(randomBytes(50_000).map((byte) => (byte === 0 ? 1 : byte)))));
    it(`${path}: one long line`, () => survives(path, Buffer.from("a = b + c; ".repeat(10_000))));
    it(`${path}: quotes that never close`, () => survives(path, Buffer.from("'\"`<<EOF\n/*".repeat(5_000))));
    it(`${path}: lone surrogates, invalid UTF-8`, () =>
      survives(path, Buffer.from([0xed, 0xa0, 0x80, 0xff, 0xfe, 0x41, 0xc3])));
    it(`${path}: names of Object.prototype`, () =>
      survives(
        path,
        Buffer.from("function constructor() {}\nclass __proto__ { toString() {} }\nimport 'hasOwnProperty'\n"),
      ));
  }

  it("prints nothing, also where it ends the parser", async () => {
    const { reason } = await fingerprintText("A.cs", Buffer.from("a<".repeat(30_000)));
    assert.deepEqual([reason?.slice(0, 27), printed], ["the parser failed: Aborted(", []]);
  });

  it("a 50 MB line is not parsed", async () => {
    const print = await fingerprintText("a.ts", Buffer.alloc(50 * 1024 * 1024, "a"));
    assert.match(print.reason ?? "", /larger than/);
  });

  it("a text that takes longer than its budget is given up, and the next one is read", async () => {
    const text = Buffer.from("export function f(a: string) { return a; }\n".repeat(20_000));
    const slow = await fingerprintText("a.ts", text, { parseBudgetMs: 1 });
    assert.equal(slow.hasStructuralAnalysis, false);
    assert.match(slow.reason ?? "", /gave up/);
    const next = await fingerprintText("a.ts", Buffer.from("export const f = (a: string) => a;"));
    assert.deepEqual(
      next.functions.map((f) => f.name),
      ["f"],
    );
  });
});
