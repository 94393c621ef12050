import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareFingerprints } from "../../src/fingerprint/compare.js";
import { fingerprintText, prepareParser } from "../../src/fingerprint/extract.js";
import { readEdits } from "./edits.js";

/**
 * How every detail of a `FileChange` begins. A closed list: readers may match on it. Where a phrase ends with a colon, the
 * name of what changed follows.
 */
const DETAIL_PHRASES = [
  "new function:",
  "removed function:",
  "params changed:",
  "return type changed:",
  "export status changed:",
  "signature changed:",
  "significant size change:",
  "renamed function:",
  "renamed class:",
  "new class:",
  "removed class:",
  "methods changed:",
  "properties changed:",
  "inheritance changed:",
  "kind changed:",
  "type changed:",
  "imports changed",
  "exports changed",
  "unreadable code changed",
  "new file",
  "file deleted",
  "no structural analysis available — conservative classification",
  "extractor changed — conservative classification",
  "behaviour changed:",
  "internal logic changed (no structural impact)",
  "comments or layout only",
] as const;

/** Language → the file name its edits are made in, and how many edits the table must hold. */
const tables: Record<string, [path: string, least: number]> = {
  typescript: ["a.ts", 25],
  tsx: ["a.tsx", 5],
  javascript: ["a.js", 25],
  python: ["a.py", 25],
  go: ["a.go", 25],
  rust: ["a.rs", 25],
  java: ["A.java", 25],
  kotlin: ["a.kt", 12],
  c: ["a.c", 12],
  cpp: ["a.cpp", 12],
  csharp: ["A.cs", 12],
  ruby: ["a.rb", 12],
  php: ["a.php", 12],
  swift: ["a.swift", 12],
  scala: ["a.scala", 12],
  lua: ["a.lua", 12],
  bash: ["a.sh", 12],
  dart: ["a.dart", 25],
  hcl: ["a.tf", 12],
  yaml: ["a.yaml", 12],
  css: ["a.css", 12],
};

prepareParser();

for (const [language, [path, least]] of Object.entries(tables)) {
  describe(`edits of ${language}`, () => {
    const edits = readEdits(language);
    it(`are at least ${least}`, () => assert.ok(edits.length >= least, `only ${edits.length}`));
    for (const { title, before, after, drift, details } of edits) {
      it(`${title} → ${drift}`, async () => {
        const old = await fingerprintText(path, Buffer.from(before));
        const now = await fingerprintText(path, Buffer.from(after));
        const change = compareFingerprints(old, now);
        assert.equal(change.drift, drift, JSON.stringify({ change, old, now }));
        for (const detail of details) assert.ok(change.details.includes(detail), `${detail} not in ${change.details}`);
        for (const detail of change.details) {
          assert.ok(
            DETAIL_PHRASES.some((phrase) => detail.startsWith(phrase)),
            `not in the list: ${detail}`,
          );
        }
      });
    }
  });
}
