import assert from "node:assert/strict";
import { test } from "node:test";
import { findSymbol } from "../../src/fingerprint/compare.js";
import { fingerprintText } from "../../src/fingerprint/extract.js";
import { estimate } from "../../src/fingerprint/likelihood.js";
import { commentWords, contentWords, WordSet } from "../../src/fingerprint/words.js";

const read = (path: string, text: string) => fingerprintText(path, Buffer.from(text));

/** How likely the comment of `name` became false between two texts of one file. */
async function estimateOf(path: string, name: string, before: string, after: string) {
  const [was, is] = [await read(path, before), await read(path, after)];
  const [old, now] = [findSymbol(was, name), findSymbol(is, name)];
  assert.ok(old && now, `${name} is in both texts`);
  return estimate(old, now, name, (overload) => commentWords(was, "function", name, overload));
}

const port = (body: string) =>
  `/** Reads a port, at most 80 characters long. Throws when the text has letters. */\nexport function port(text: string): number {\n${body}\n}\n`;

test("a number that the comment names and the code has no more makes it likely false, and the reason says which", async () => {
  const found = await estimateOf(
    "a.ts",
    "port",
    port("  return Number(text.slice(0, 80));"),
    port("  return Number(text.slice(0, 100));"),
  );
  assert.equal(found.likelihood, "likely");
  assert.match(found.reasons[0] ?? "", /its text says "80", the code no longer does/);
});

test("another variable name makes a comment false most unlikely", async () => {
  const long = (name: string) =>
    port(
      `  const ${name} = text.trim();\n  if (${name} === "") return 0;\n  for (const part of ${name}.split(",")) {\n    if (part.length > 80) throw new Error(part);\n  }\n  return Number(${name});`,
    );
  const found = await estimateOf("a.ts", "port", long("first"), long("other"));
  assert.equal(found.likelihood, "unlikely");
  assert.deepEqual(found.reasons, []);
});

test("equal tokens are unlikely, whatever the comment says", async () => {
  const found = await estimateOf("a.ts", "port", port("  return Number(text);"), port("  return Number( text ) ;"));
  assert.equal(found.likelihood, "unlikely");
});

test("a new throw is a reason", async () => {
  const found = await estimateOf(
    "a.ts",
    "port",
    port("  return Number(text);"),
    port('  if (text === "") throw new RangeError(`not a port`);\n  return Number(text);'),
  );
  assert.notEqual(found.likelihood, "unlikely");
  assert.ok(found.reasons.includes("it now throws or catches errors"), found.reasons.join("; "));
});

test("each overload is compared for itself, with its own comment", async () => {
  const text = (first: string, second: string) =>
    `class A {\n  /** Counts apples, at most 80. */\n  int count(int a) { return ${first}; }\n  /** Counts pears. */\n  int count(long b) { return ${second}; }\n}\n`;
  const other = await estimateOf("A.java", "A.count", text("min(a, 80)", "1"), text("min(a, 80)", "2"));
  assert.ok(!other.reasons.join().includes("80"), "the text of the first declaration is not about the second one");
  const own = await estimateOf("A.java", "A.count", text("min(a, 80)", "1"), text("min(a, 90)", "1"));
  assert.match(own.reasons[0] ?? "", /"80"/);
});

test("a description's word is the code's word in another form; the symbol's own name and common words do not count", () => {
  const words = contentWords("Parses the given options and returns parsed entries for parseFile", "parseFile");
  assert.deepEqual([...words.values()], ["options", "entries"]);
  assert.deepEqual([...contentWords("optional retries", "f").keys()], [...contentWords("OptionalRetry", "f").keys()]);
});

test("code in a comment is an example, and no statement", async () => {
  const { docs } = await read(
    "a.ts",
    "/**\n * Adds apples.\n * ```\n * pears(7)\n * ```\n */\nexport function f() {}\n",
  );
  assert.equal(docs?.words?.["function f"], "adds apples");
});

test("a set of words is read as it was written", () => {
  const words = new WordSet();
  for (const hash of [7, 65535, 300]) words.add(hash);
  assert.equal(WordSet.from(words.encoded()).encoded(), words.encoded());
});
