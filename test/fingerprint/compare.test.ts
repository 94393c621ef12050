import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareFingerprints } from "../../src/fingerprint/compare.js";
import { fingerprintText } from "../../src/fingerprint/extract.js";
import { renderedEntry } from "../../src/fingerprint/stored.js";

const read = (path: string, text: string) => fingerprintText(path, Buffer.from(text));

describe("comparing two fingerprints", () => {
  it("finds nothing if the content is equal, for any extractor", async () => {
    const one = await read("a.ts", "const a = 1;");
    const change = compareFingerprints({ ...one, extractor: "other/1" }, one);
    assert.deepEqual(change, { filePath: "a.ts", changeLevel: "NONE", drift: "none", details: [] });
  });

  it("is conservative without structure", async () => {
    const change = compareFingerprints(await read("a.sql", "a"), await read("a.sql", "b"));
    assert.equal(change.changeLevel, "STRUCTURAL");
    assert.equal(change.drift, "interface");
    assert.deepEqual(change.details, ["no structural analysis available — conservative classification"]);
  });

  it("finds a package clause that no grammar reads any more, as the comparison by symbol does", async () => {
    const [one, two] = [
      await read("a.go", "package main\n\nvar a = 1\n"),
      await read("a.go", "qackage main\n\nvar a = 1\n"),
    ];
    assert.deepEqual(compareFingerprints(one, two).details, ["type changed: package"]);
    assert.deepEqual(compareFingerprints(two, one).details, ["type changed: package"]);
  });

  it("does not compare what two extractors found", async () => {
    const one = await read("a.ts", "const a = 1;");
    const two = await read("a.ts", "const a = 2;");
    const change = compareFingerprints({ ...one, extractor: "other/1" }, two);
    assert.equal(change.drift, "interface");
  });

  it("grades body and cosmetic drift below the seed systems' one level", async () => {
    const one = await read("a.ts", "export const f = () => 1;");
    const layout = compareFingerprints(one, await read("a.ts", "export const f =\n  () => 1"));
    const body = compareFingerprints(one, await read("a.ts", "export const f = () => 2;"));
    assert.deepEqual(
      [layout.changeLevel, layout.drift, layout.details],
      ["COSMETIC", "cosmetic", ["comments or layout only"]],
    );
    assert.deepEqual([body.changeLevel, body.drift], ["COSMETIC", "body"]);
  });

  it("compares an entry of fingerprints.json with what that file would say now", async () => {
    const text = "export class A {\n  m(a: string): void {\n    this.run(a);\n  }\n}\nexport const f = (b = 1) => b;\n";
    const stored = renderedEntry(await read("a.ts", text));
    const drift = async (now: string) => compareFingerprints(stored, await read("a.ts", now)).drift;
    assert.equal(await drift(`// a comment\n${text}`), "body", "it has no tokens to tell them apart");
    assert.equal(await drift(text.replace("this.run(a)", "return")), "body");
    assert.equal(await drift(text.replace("(b = 1)", "(b = 1, c = 2)")), "interface");
    assert.equal(await drift(text.replace("  m(", "  n(")), "interface");
  });

  it("reads entries of other tools, which have none of our fields", async () => {
    const now = await read("a.ts", "export const f = () => 1;");
    const foreign = JSON.parse(
      '{"filePath":"a.ts","contentHash":"x","functions":[],"classes":[],"imports":[],"exports":[],"totalLines":1,"hasStructuralAnalysis":true}',
    );
    assert.equal(compareFingerprints(foreign, now).drift, "interface");
  });
});
