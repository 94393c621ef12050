import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { fingerprintText, prepareParser } from "../../src/fingerprint/extract.js";
import type { PlainFingerprint } from "../../src/fingerprint/plain.js";
import { renderedEntry } from "../../src/fingerprint/stored.js";
import { loadCore, noCore } from "../support/understand-anything.js";

prepareParser();

const SAMPLES = join(import.meta.dirname, "../test/fingerprint/plain");
/** Entries that its core wrote, of files in all of its languages: beside the project, and no part of it. */
const SHARED = resolve("../shared/fixtures/understand-anything/fingerprints");
const noShared = existsSync(SHARED) ? false : "no fingerprints of Understand-Anything beside the project";

const samples = readdirSync(SAMPLES).filter((name) => name.endsWith(".txt"));
const pathOf = (sample: string) => sample.replace(/\.txt$/, "");
const read = (sample: string) => readFileSync(join(SAMPLES, sample));

/** An entry without what only ours have. */
async function entryOf(path: string, content: Buffer): Promise<PlainFingerprint> {
  const { extractor, ...entry } = renderedEntry(await fingerprintText(path, content));
  assert.match(extractor ?? "", /^ua-hooks\//);
  return entry;
}

describe("an entry of fingerprints.json is the one that Understand-Anything would write", () => {
  for (const sample of samples) {
    it(pathOf(sample), async () => {
      const expected = readFileSync(join(SAMPLES, `${pathOf(sample)}.json`), "utf8");
      assert.deepEqual(await entryOf(pathOf(sample), read(sample)), JSON.parse(expected));
    });
  }

  it("its own core says so", { skip: noCore }, async () => {
    const core = await loadCore();
    for (const sample of samples) {
      const content = read(sample);
      const theirs = JSON.parse(JSON.stringify(core.entryOf(pathOf(sample), content.toString())));
      assert.deepEqual(await entryOf(pathOf(sample), content), theirs);
    }
  });

  it("for the files that are kept beside the project", { skip: noShared }, async () => {
    const text = readFileSync(join(SHARED, "expected.json"), "utf8");
    const expected = Object.entries(JSON.parse(text) as Record<string, PlainFingerprint>);
    const followed = expected.filter(([path]) => /\.(?:ts|tsx|js|jsx|mjs|cjs|py|go|rs|java)$/.test(path));
    assert.ok(followed.length >= 7);
    for (const [path, entry] of followed) {
      assert.deepEqual(await entryOf(path, readFileSync(join(SHARED, "files", path))), entry, path);
    }
  });

  it("claims no structure where it has no parser, and where ours does not follow its extractor", async () => {
    for (const path of ["a.mts", "a.cts", "a.vue", "a.lua"]) {
      const entry = await entryOf(path, Buffer.from("export const a = 1;\n"));
      assert.equal(entry.hasStructuralAnalysis, false, path);
      assert.deepEqual([entry.functions, entry.classes, entry.imports, entry.exports], [[], [], [], []], path);
    }
  });
});

describe("an entry that was read from fingerprints.json", () => {
  it("stays as it is, whoever wrote it", () => {
    const theirs = { ...withoutStructure, note: "theirs" };
    const ours = { ...withoutStructure, extractor: "ua-hooks/1 typescript/1", note: "of another version" };
    assert.equal(renderedEntry(theirs), theirs);
    assert.equal(renderedEntry(ours), ours);
  });
});

const withoutStructure: PlainFingerprint = {
  filePath: "a.ts",
  contentHash: "0",
  functions: [],
  classes: [],
  imports: [],
  exports: [],
  totalLines: 1,
  hasStructuralAnalysis: true,
};
