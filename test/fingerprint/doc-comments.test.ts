import assert from "node:assert/strict";
import { test } from "node:test";
import { firstSentence } from "../../src/fingerprint/doc-sentence.js";
import type { Markup } from "../../src/fingerprint/doc-styles.js";
import { compareFingerprints, fingerprintText } from "../../src/index.js";
import { SAMPLES } from "./doc-samples.js";

/** The sentences; test/fingerprint/likelihood has the words of whole comments. */
async function docsOf(path: string, text: string) {
  const fingerprint = await fingerprintText(path, Buffer.from(text));
  assert.ok(fingerprint.hasStructuralAnalysis, fingerprint.reason);
  if (fingerprint.docs === undefined) return undefined;
  const { words: _words, ...sentences } = fingerprint.docs;
  return sentences;
}

for (const { path, text, docs } of SAMPLES) {
  test(`what the authors wrote: ${path}`, async () => {
    assert.deepEqual(await docsOf(path, text), docs);
    assert.deepEqual(await docsOf(path, text.replaceAll("\n", "\r\n")), docs, "with Windows' ends of lines");
  });

  test(`no comments, nothing written: ${path}`, async () => {
    const code = text.replace(
      /\/\*[\s\S]*?\*\/|--\[\[[\s\S]*?\]\]|^\s*(?:\/\/|#(?!\[|include)|--).*$|"""[\s\S]*?"""|^\s*'.*'$/gm,
      "",
    );
    assert.equal(await docsOf(path, code), undefined);
  });
}

for (const { path, text } of SAMPLES) {
  test(`another doc comment is cosmetic, and read: ${path}`, async () => {
    const before = await fingerprintText(path, Buffer.from(text));
    const after = await fingerprintText(path, Buffer.from(text.replaceAll("Stores", "Retains")));
    assert.deepEqual(compareFingerprints(before, after).drift, "cosmetic");
    assert.match(JSON.stringify(after.docs), /Retains/);
    assert.doesNotMatch(JSON.stringify(after.docs), /Stores/);
  });
}

const SENTENCES: [markup: Markup, comment: string, sentence: string | undefined][] = [
  ["jsdoc", "One. Two.", "One."],
  ["jsdoc", "Over\ntwo lines\n\nnext", "Over two lines"],
  [
    "jsdoc",
    "Handles e.g. this, i.e. that, etc. and v1.2 of a.b.c. Then more.",
    "Handles e.g. this, i.e. that, etc. and v1.2 of a.b.c.",
  ],
  ["jsdoc", "Returns x. Then says no. More.", "Returns x."],
  ["plain", "for each entry (see below), return it", "for each entry (see below), return it"],
  ["plain", "Global state of a region.", "Global state of a region."],
  ["jsdoc", "Waits... then goes on. More.", "Waits... then goes on."],
  ["jsdoc", "Does it (always.) More.", "Does it (always.)"],
  ["jsdoc", "Whether `a?` holds! More.", "Whether `a?` holds!"],
  ["jsdoc", "読み込む。次の文。", "読み込む。"],
  ["jsdoc", "@param a the first\n  and more of it", undefined],
  ["jsdoc", "@deprecated use b", undefined],
  ["jsdoc", "@internal\nUsed inside only.", "Used inside only."],
  ["jsdoc", "@description Adds two numbers.\n@param a one", "Adds two numbers."],
  ["jsdoc", "Says it.\n@returns nothing", "Says it."],
  [
    "jsdoc",
    "See {@link Foo#bar}, {@link Foo the foo}, {@link Foo|it}, {@code a < b} and [this]{@link Foo}.",
    "See Foo#bar, the foo, it, a < b and this.",
  ],
  [
    "jsdoc",
    "Reads <b>all</b> of a List<String> &amp; more, see [docs](https://example.com/a_(b)).",
    "Reads all of a List<String> & more, see docs.",
  ],
  [
    "javadoc",
    "Reads {@link #next(int, long)} of {@link java.util.Map maps}.\n<p>More.",
    "Reads next(int, long) of maps.",
  ],
  ["javadoc", "{@inheritDoc}", undefined],
  [
    "xml",
    '<summary>\nReads a <see cref="T:A.B"/> or <see langword="null"/> into <paramref name="x"/>.\n</summary>\n<param name="x">no</param>',
    "Reads a A.B or null into x.",
  ],
  ["xml", "<inheritdoc/>", undefined],
  [
    "rst",
    "Reads :class:`~a.b.Foo` and :func:`bar <a.bar>`, ``code`` too.\n\n:param x: no",
    "Reads Foo and bar, `code` too.",
  ],
  ["rst", "requests.api\n~~~~~~~~~~~~\n\nThe interface.", "The interface."],
  ["rst", "Args:\n    x: no", undefined],
  ["markdown", "# Title\n\nReads [`Foo`] and [bar::Baz], see [this](x).", "Reads `Foo` and bar::Baz, see this."],
  ["markdown", "# Only a title", "Only a title"],
  ["markdown", "```\ncode\n```", undefined],
  ["scaladoc", "Reads [[a.B]] and [[a.C the C]] {{{now}}}.\n{{{\ncode\n}}}", "Reads a.B and the C now."],
  ["rdoc", "Reads +name+ of {Foo}[http://x], see {Foo::Bar}.", "Reads name of Foo, see Foo::Bar."],
  ["rdoc", ":nodoc:", undefined],
  ["rdoc", "Attack:: one\nBrowsers:: all\n\nProtects it.", "Protects it."],
  ["doxygen", "@brief Reads \\c x into @p y.\n@param x no", "Reads x into y."],
  ["doxygen", "\\file a.c\n\\brief All of it.", "All of it."],
  ["plain", "Usage: a [b]\n\nMoves files.", "Moves files."],
  ["plain", "TODO: write this", undefined],
  ["plain", "shellcheck disable=SC2034", undefined],
  ["plain", "==== Helpers ====", undefined],
  ["plain", "return foo(bar);", undefined],
  ["plain", "Copyright (c) 2020 Someone\n\nReads it.", undefined],
  ["plain", "Licensed under the MIT license.", undefined],
  ["plain", "This file is part of X.", undefined],
  ["plain", "Returns the copyright notice.", "Returns the copyright notice."],
  ["plain", "Hidden \u202e and \u0007 control", "Hidden and control"],
  ["plain", "", undefined],
  ["plain", "-", undefined],
];

for (const [markup, comment, sentence] of SENTENCES) {
  test(`${markup}: ${JSON.stringify(comment)}`, () => {
    assert.equal(firstSentence(comment.split("\n"), markup), sentence);
  });
}

test("a sentence has at most 300 characters, cut between words", () => {
  const sentence = firstSentence([`Long ${"word ".repeat(500)}.`], "plain") ?? "";
  assert.ok(sentence.length <= 300 && sentence.length > 280);
  assert.match(sentence, /word…$/);
  assert.equal(firstSentence(["x".repeat(1_000_000)], "plain")?.length, 151);
});

test("a file that is named for its class is described as that class is", async () => {
  const text = "# Keeps the users.\nclass UserStore\nend\n";
  assert.equal((await docsOf("lib/user_store.rb", text))?.file, "Keeps the users.");
  assert.equal((await docsOf("lib/other.rb", text))?.file, undefined);
});

test("a licence is no description, neither of the file nor of what follows it", async () => {
  const licence =
    "/**\n * Copyright (c) 2024 Someone.\n *\n * This source code is licensed under the MIT license.\n */\n";
  assert.equal(await docsOf("a.ts", `${licence}export function a() {}\n`), undefined);
  const own = "/** Reads it. */\n\nexport function a() {}\n";
  assert.deepEqual(await docsOf("a.ts", `${licence}\n${own}`), { file: "Reads it." });
});

test("a comment is given to one declaration, and to none that something else stands before", async () => {
  const text =
    "/** Of a. */\nexport const a = () => 1, b = () => 2;\n\n/** Of c. */\n\nfunction c() {}\nfunction d() {} function e() {}\n/** Of x. */\nlet x; // not of f\nfunction f() {}\n";
  assert.deepEqual(await docsOf("a.ts", text), { functions: { a: "Of a.", c: "Of c." } });
});

test("a documenting comment belongs to the next declaration behind a blank line, too", async () => {
  const c = "struct s { int a; };\nint f(int a) {\n  return a;\n}\n";
  const cases: [path: string, text: string, functions: Record<string, string> | undefined][] = [
    [
      "a.js",
      "'use strict';\n\n/**\n * Compiles it.\n *\n * @param {String} val\n */\n\nexports.f = function(val) {};\n",
      { f: "Compiles it." },
    ],
    [
      "a.ts",
      "import a from 'a';\n\n/** Does it. */\n\n@injected()\n\nexport class A {\n  /** Runs. */\n\n  run() {}\n\n  rest() {}\n}\n",
      { "A.run": "Runs." },
    ],
    ["A.java", "class A {\n  /** Runs. */\n\n  @Override\n  void run() {}\n}\n", { "A.run": "Runs." }],
    ["a.kt", "package a\n\n/** Runs. */\n\nfun run() {}\n", { run: "Runs." }],
    ["a.scala", "object A {\n  /** Runs. */\n\n  def run() = 1\n}\n", { "A.run": "Runs." }],
    ["a.php", "<?php\nnamespace A;\n\n/** Runs. */\n\nfunction run() {}\n", { run: "Runs." }],
    ["a.rs", "/// Runs.\n\n#[inline]\npub fn run() {}\n", { run: "Runs." }],
    ["a.swift", "import A\n\n/// Runs.\n\nfunc run() {}\n", { run: "Runs." }],
    ["a.cs", "using A;\nclass B {\n  /// <summary>Runs.</summary>\n\n  void Run() {}\n}\n", { "B.Run": "Runs." }],
    ["a.dart", "import 'a';\n\n/// Runs.\n\nvoid run() {}\n", { run: "Runs." }],
    ["a.c", `#include "a.h"\n\n/** Runs. */\n\n${c}`, undefined],
    ["a.c", `struct t { int a; };\n\n/** Adds. */\n\nint f(int a) {\n  return a;\n}\n`, { f: "Adds." }],
    // A plain comment says what a section has.
    ["a.c", "struct t { int a; };\n\n/* Helpers of it */\n\nint f(int a) {\n  return a;\n}\n", undefined],
    ["a.go", "package a\n\n// Helpers of it\n\nfunc F() {}\n", undefined],
    ["a.rb", "x = 1\n# Helpers of it\n\ndef f\nend\n", undefined],
    ["a.rb", "# frozen_string_literal: true\n\ndef f\nend\n", undefined],
    ["a.rb", "x = 1\n# Tries a request on several apps.\n\ndef f\nend\n", { f: "Tries a request on several apps." }],
    [
      "a.cs",
      "using A;\nclass B {\n  /// <summary>Runs.</summary>\n#pragma warning disable CS1\n  void Run() {}\n}\n",
      { "B.Run": "Runs." },
    ],
    ["a.js", "let x;\n/* Helpers of it */\n\nfunction f() {}\n", undefined],
    // It names what it is about.
    ["a.js", "let x;\n/** @typedef {object} Options How it runs. */\n\nfunction f() {}\n", undefined],
    ["a.js", "let x;\n/**\n * Is called then.\n *\n * @callback then\n */\n\nfunction f() {}\n", undefined],
  ];
  for (const [path, text, functions] of cases) {
    assert.deepEqual((await docsOf(path, text))?.functions, functions, text);
    assert.deepEqual((await docsOf(path, text.replaceAll("\n", "\r\n")))?.functions, functions, text);
  }
});

test("the first comment of a file is about the file, unless its author leaves a blank line below every comment", async () => {
  const first = "/** Reads ports. */\n\nfunction f() {}\n";
  assert.deepEqual(await docsOf("a.js", first), { file: "Reads ports." });
  assert.deepEqual(await docsOf("a.js", `${first}\n/** Writes. */\n\nfunction g() {}\n`), {
    functions: { f: "Reads ports.", g: "Writes." },
  });
  assert.deepEqual(await docsOf("a.js", `${first}\n/** Writes. */\nfunction g() {}\n`), {
    file: "Reads ports.",
    functions: { g: "Writes." },
  });
  assert.deepEqual(await docsOf("a.js", `/** @file Reads ports. */\n\n${first}`), {
    file: "Reads ports.",
  });
});

test("names that every object has are names like any other", async () => {
  const text = "/** Of it. */\nexport function constructor() {}\n/** Of that. */\nexport function __proto__() {}\n";
  const docs = await docsOf("a.ts", text);
  assert.deepEqual(Object.entries(docs?.functions ?? {}), [
    ["constructor", "Of it."],
    ["__proto__", "Of that."],
  ]);
});

test("comments that never end, or have no end of lines, cost no more than others", async () => {
  for (const text of [
    "/**".repeat(50_000),
    `/** ${"*".repeat(200_000)} */\nfunction a() {}`,
    `${"// x\n".repeat(50_000)}function a() {}`,
    `${"\n".repeat(200_000)}function a() {}`,
    `let x;\n${"/** A. */\n\nfunction a() {}\n".repeat(5_000)}`,
    `${`/** ${"*".repeat(1_000)}\n`.repeat(1_000)}*/\n\nfunction a() {}`,
  ]) {
    for (const path of ["a.ts", "a.c", "a.go"]) await fingerprintText(path, Buffer.from(text));
  }
});
