import assert from "node:assert/strict";
import { test } from "node:test";
import { isGraphError } from "../../src/graph/errors.js";
import { splitObject } from "../../src/graph/split.js";
import fc from "../support/fast-check.js";

/** A text in parts of any length, also in the middle of a character. */
function* inParts(text: Buffer, lengths: readonly number[]): Generator<Buffer> {
  for (let at = 0, round = 0; at < text.length; round++) {
    const length = Math.max(1, lengths[round % lengths.length] ?? 1);
    yield text.subarray(at, at + length);
    at += length;
  }
}

/** Put together again from what is handed out. */
function joined(chunks: Iterable<Buffer>): Record<string, unknown> {
  const found: [string, unknown][] = [];
  const lists = new Map<string, unknown[]>();
  splitObject(chunks, {
    isSplit: (key) => key.startsWith("n"),
    value: (key, value) => found.push([key, value]),
    element: (key, { value, text }, name) => {
      assert.deepEqual(JSON.parse(text), value);
      const list = lists.get(key) ?? [];
      lists.set(key, list);
      list.push(name === null ? value : [name, value]);
    },
  });
  return Object.fromEntries([...found, ...lists]);
}

const arbitraryText = fc.oneof(
  fc.string(),
  fc.constantFrom('"', "\\", '\\"', "}", "]", "[{", "\u2028", "\u{1f600}", "é"),
);
const arbitraryValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    ...[arbitraryText, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean()],
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(arbitraryText, tie("value"), { maxKeys: 3 }),
  ),
})).value;

test("any object in any parts is put together again, list by list", () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
  const object = fc.record({
    project: arbitraryValue,
    nodes: fc.array(arbitraryValue, { minLength: 1, maxLength: 6 }),
    other: arbitraryValue,
  });
  fc.assert(
    fc.property(object, lengths, fc.constantFrom(undefined, 2, "\t"), (value, sizes, indent) => {
      const text = Buffer.from(JSON.stringify(value, null, indent));
      assert.deepEqual(joined(inParts(text, sizes)), JSON.parse(text.toString("utf8")));
    }),
    { numRuns: 500 },
  );
});

test("an object is handed out entry by entry; a byte order mark is no part of it", () => {
  assert.deepEqual(joined([Buffer.from('\u{feff}{"n": {"a": 1, "__proto__": 2}, "x": []}')]), {
    x: [],
    n: [
      ["a", 1],
      ["__proto__", 2],
    ],
  });
  assert.deepEqual(joined([Buffer.from('{"nodes": [], "x": {}}')]), { x: {} });
});

test("what is no object, or torn, or has something behind it is an error, and never half a graph", () => {
  const whole = '{"nodes": [{"id": "a"}, {"id": "b"}], "x": "y"}';
  const bad = [
    "",
    " ",
    "[]",
    "null",
    '"x"',
    `${whole},`,
    `${whole}{}`,
    "{]",
    '{"a" 1}',
    '{"n": [1 2]}',
    '{"n": {1: 2}}',
  ];
  for (let end = 1; end < whole.length; end++) bad.push(whole.slice(0, end));
  for (const text of bad) {
    assert.throws(() => joined(inParts(Buffer.from(text), [3])), isGraphError, JSON.stringify(text));
  }
});
