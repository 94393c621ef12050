import assert from "node:assert/strict";
import { test } from "node:test";
import { compareFingerprints } from "../../src/fingerprint/compare.js";
import { componentParts } from "../../src/fingerprint/components.js";
import { fingerprintText } from "../../src/fingerprint/extract.js";

const SCRIPT = 'import { ref } from "vue";\nfunction save(id: number): number {\n  return id + 1;\n}\n';
const COMPONENTS: Record<string, string> = {
  "Page.vue": `<template>\n  <p>{{ id }}</p>\n</template>\n\n<script setup lang="ts">\n${SCRIPT}</script>\n\n<style>\np { color: red }\n</style>\n`,
  "Page.svelte": `<script lang="ts">\n${SCRIPT}</script>\n\n<p>{id}</p>\n`,
  "Page.astro": `---\n${SCRIPT}---\n<p>{id}</p>\n`,
};

const drift = async (path: string, before: string, after: string) => {
  const [a, b] = await Promise.all([before, after].map((text) => fingerprintText(path, Buffer.from(text))));
  assert.ok(a !== undefined && b !== undefined);
  return compareFingerprints(a, b);
};

for (const [path, text] of Object.entries(COMPONENTS)) {
  test(`${path}: its script has functions and imports, at their lines`, async () => {
    const { functions, imports, hasStructuralAnalysis } = await fingerprintText(path, Buffer.from(text));
    assert.equal(hasStructuralAnalysis, true);
    assert.deepEqual(
      functions.map(({ name, lineRange }) => [name, lineRange[0]]),
      [["save", text.split("\n").findIndex((line) => line.startsWith("function save")) + 1]],
    );
    assert.deepEqual(
      imports.map(({ source }) => source),
      ["vue"],
    );
  });

  test(`${path}: a body, a parameter, the markup, layout`, async () => {
    const edit = (from: string, to: string) => drift(path, text, text.replace(from, to));
    assert.equal((await edit("id + 1", "id + 2")).drift, "body");
    assert.deepEqual((await edit("id: number", "id: number, x: number")).details, ["params changed: save"]);
    assert.deepEqual((await edit("<p>", "<b>")).details, ["unreadable code changed"]);
    assert.equal((await edit("return id", "// why\n  return id")).drift, "cosmetic");
    assert.equal((await edit("</p>", "</p>  \n")).drift, "cosmetic", "blank lines in the markup");
  });
}

test("a script that is not closed, no script at all, many beginnings", async () => {
  assert.deepEqual(componentParts("<p></p>", "vue"), { script: "       ", rest: "<p></p>" });
  assert.equal(componentParts("<script>a", "vue").rest, "<script>a");
  const many = "<script>".repeat(100_000);
  assert.equal(componentParts(many, "vue").rest, many);
  assert.equal(componentParts("---\na\n---\nb", "astro").script, "   \na\n   \n ");
});

test("a file of an unknown kind is equal without line ends, blanks at the end of lines, and blank lines", async () => {
  const text = "select *\nfrom t;\n";
  assert.equal((await drift("a.sql", text, "select *  \r\n\r\nfrom t;\r\n")).drift, "cosmetic");
  assert.equal((await drift("a.sql", text, "select *\nfrom u;\n")).drift, "interface");
  assert.equal((await drift("a.bin", "a\0b", "a\0b\n")).drift, "interface");
});
