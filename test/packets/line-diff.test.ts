import assert from "node:assert/strict";
import { test } from "node:test";
import { type DiffLine, diffLines, renderDiff } from "../../src/packets/line-diff.js";
import fc from "../support/fast-check.js";

const lines = fc.array(fc.constantFrom("a", "b", "c", "}", ""), { maxLength: 30 });
const without = (diff: readonly DiffLine[], sign: DiffLine["sign"]) =>
  diff.filter((line) => line.sign !== sign).map(({ text }) => text);

/** The number of lines that two lists share in order, by the textbook's table. */
function longestShared(before: readonly string[], after: readonly string[]): number {
  let row = new Array<number>(after.length + 1).fill(0);
  for (const line of before) {
    const next = [0];
    for (const [at, other] of after.entries())
      next.push(line === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}

test("a diff has both texts in it, and as many lines in common as there can be", () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = diffLines(before, after);
      assert.deepEqual(without(diff, "+"), before);
      assert.deepEqual(without(diff, "-"), after);
      assert.equal(diff.filter(({ sign }) => sign === " ").length, longestShared(before, after));
    }),
    { numRuns: 300 },
  );
});

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`);
const RULE = { mostLines: 120, head: 5, around: 8 };

test("up to 120 lines a diff is whole; a longer one has its head and what changed, with 8 lines around", () => {
  const changed = (count: number, at: number) => numbered(count).with(at - 1, "changed");
  const short = renderDiff(diffLines(numbered(119), changed(119, 60)), RULE).split("\n");
  assert.equal(short.length, 120);
  const long = renderDiff(diffLines(numbered(300), changed(300, 100)), RULE).split("\n");
  assert.deepEqual(long, [
    ...numbered(5).map((text) => ` ${text}`),
    "@@ 86 lines omitted @@",
    ...numbered(99)
      .slice(91)
      .map((text) => ` ${text}`),
    ...["-line 100", "+changed"],
    ...numbered(108)
      .slice(100)
      .map((text) => ` ${text}`),
    "@@ 192 lines omitted @@",
  ]);
});

test("texts with nothing in common are given as replaced, however long they are", () => {
  const [before, after] = [numbered(3000), numbered(3000).map((text) => `${text}!`)];
  const diff = diffLines(before, after);
  assert.deepEqual(without(diff, "+"), before);
  assert.deepEqual(without(diff, "-"), after);
});
