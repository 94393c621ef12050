import assert from "node:assert/strict";
import { test } from "node:test";
import { filesOf, sourceText } from "./support/sources.js";

const SRC = filesOf("src").filter((file) => /\.(ts|mjs)$/.test(file));

test("no call takes a list of unknown length as its arguments: there is room for some 100,000", () => {
  const spread = /(?:\.push|\.unshift|\.concat|Math\.max|Math\.min|fromCharCode|fromCodePoint)\(\.\.\./;
  const found = SRC.filter((file) => !file.startsWith("src/report/page/")).flatMap((file) =>
    sourceText(file)
      .split("\n")
      .flatMap((line, at) => (spread.test(line) ? [`${file}:${at + 1}`] : [])),
  );
  assert.deepEqual(found, []);
});

test("no error of ours is recognised by its class: each file of dist/ has a copy of it, and instanceof knows one", () => {
  const classes = SRC.flatMap((file) => [...sourceText(file).matchAll(/^export class (\w+) extends \w*Error\b/gm)]);
  const names = classes.map(([, name]) => name);
  assert.ok(names.includes("GitError") && names.includes("LockWanted"), "the classes were found");
  const byClass = new RegExp(`instanceof (?:${names.join("|")})\\b`);
  assert.deepEqual(
    SRC.filter((file) => byClass.test(sourceText(file))),
    [],
  );
});

test("node:crypto and node:child_process take milliseconds to load: no module loads them before it uses them", () => {
  const early = /^import (?!type\b).*from "node:(?:crypto|child_process)"/m;
  assert.deepEqual(
    SRC.filter((file) => early.test(sourceText(file))),
    [],
  );
});
