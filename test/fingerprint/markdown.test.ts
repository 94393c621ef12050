import assert from "node:assert/strict";
import { test } from "node:test";
import { compareFingerprints } from "../../src/fingerprint/compare.js";
import { fingerprintText } from "../../src/fingerprint/extract.js";
import { symbolFacts } from "../../src/fingerprint/symbols.js";
import { compareSymbols } from "../support/symbol-drift.js";

const TEXT = `---
title: x
# no heading
---
Before.

# Guide

How to begin. And more.

\`\`\`sh
# no heading
\`\`\`

## Install: *now* \`npm\`

Run it.

### Linux ###

~~~
## no heading
~~~~

#### too deep

Text of Linux.

<!--
## no heading
-->

Setext title
------------

- item
---
## [Link](x.md)
#hash tag
`;

const read = (text: string, path = "a.md") => fingerprintText(path, Buffer.from(text));
const drift = async (before: string, after: string) => compareFingerprints(await read(before), await read(after));

test("headings are symbols, fences, comments and settings are none", async () => {
  const { classes, hasStructuralAnalysis, docs } = await read(TEXT);
  assert.equal(hasStructuralAnalysis, true);
  assert.deepEqual(
    classes.map(({ name, signature, lineRange }) => [name, signature, ...lineRange]),
    [
      ["Guide", "#", 7, 14],
      ["Install now npm", "##", 15, 18],
      ["Install now npm.Linux", "###", 19, 32],
      ["Setext title", "##", 33, 37],
      ["Link", "##", 38, 40],
    ],
  );
  assert.deepEqual(docs, {
    file: "How to begin.",
    classes: { Guide: "How to begin.", "Install now npm": "Run it.", Link: "#hash tag" },
  });
});

test("text is body, a heading is interface, layout is cosmetic, and nothing is behaviour", async () => {
  const edit = (from: string, to: string) => drift(TEXT, TEXT.replace(from, to));
  assert.equal((await edit("Run it.", "Run it twice.")).drift, "body");
  assert.equal((await edit("Before.", "Before!")).drift, "body");
  assert.deepEqual((await edit("### Linux", "## Linux")).details, [
    "new class: Linux",
    "removed class: Install now npm.Linux",
  ]);
  assert.equal((await edit("Run it.\n", "Run it.  \n\n")).drift, "cosmetic");
  assert.equal((await drift(TEXT, TEXT.replaceAll("\n", "\r\n"))).drift, "cosmetic");
  const many = "if a > b && c < d || throw e == f";
  assert.equal((await edit("Run it.", many)).drift, "body");
});

test("a renamed heading keeps its text; sections of one name are one symbol", async () => {
  const words = Array.from({ length: 20 }, (_, at) => `word${at}`).join(" ");
  const [before, after] = [`# T\n\n## Old\n\n${words}\n`, `# T\n\n## New\n\n${words}\n`];
  const changes = compareSymbols(symbolFacts(await read(before)), symbolFacts(await read(after)));
  assert.deepEqual(
    changes.filter((one) => one.drift !== "none").map((one) => [one.name, one.drift, one.from?.name]),
    [["New", "renamed", "Old"]],
  );
  const same = await read("# A\n\n## X\n\none\n\n# B\n\n## X\n\ntwo\n");
  assert.deepEqual(
    same.classes.map(({ name }) => name),
    ["A", "A.X", "B", "B.X"],
  );
  const twice = await read("# A\n\n## X\n\none\n\n## X\n\ntwo\n");
  assert.deepEqual(
    twice.classes.map(({ name }) => name),
    ["A", "X"],
  );
});

test("the hashes of scheme h1 are what they were", async () => {
  const { classes, moduleCode } = await read(TEXT);
  assert.deepEqual(
    [moduleCode?.hash, ...classes.map(({ hash }) => hash)],
    [
      "h1:574adaea8b404691f055",
      "h1:d4b54093e68bbb023f91",
      "h1:dedf52ef4ea7e8d52a06",
      "h1:3e8b66c027c635d6efa0",
      "h1:66225a544070fb23ae5a",
      "h1:6e933cdfd5654dd51d00",
    ],
  );
});

test("a changed character is never cosmetic, and belongs to one symbol", async () => {
  for (const at of [...TEXT.matchAll(/[a-zA-Z]/g)].map(({ index }) => index)) {
    const now = `${TEXT.slice(0, at)}${TEXT[at] === "q" ? "z" : "q"}${TEXT.slice(at + 1)}`;
    const [a, b] = [await read(TEXT), await read(now)];
    assert.match(compareFingerprints(a, b).drift, /^(?:body|interface)$/, now);
    const changed = compareSymbols(symbolFacts(a), symbolFacts(b)).filter((one) => one.drift !== "none");
    assert.ok(changed.length > 0, now);
  }
});
