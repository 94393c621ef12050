import assert from "node:assert/strict";
import { test } from "node:test";
import { CompactCache } from "../../src/graph/compact-cache.js";
import fc from "../support/fast-check.js";

const makeCache = () =>
  new CompactCache<ReadonlySet<string>>(
    { toList: (set) => [...set], fromList: (list) => new Set(list as string[]) },
    1,
  );

const arbitraryPath = fc.oneof(
  fc.string(),
  fc.constantFrom("", "$&", ",", '","', "\\", '"', "\ud83d", "é/\u{1f600}.ts", "src/a.ts"),
);

test("a cache gives back what was put in, whatever the path and the names are", () => {
  const arbitraryName = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("\0", "\ud83d", "\u{1f600}", "constructor"),
  );
  fc.assert(
    fc.property(arbitraryPath, fc.array(arbitraryName), (path, names) => {
      const cache = makeCache();
      const value = new Set(names.map((name) => `function:${path}:${name}`));
      cache.get(path, () => value);
      cache.get("\nanother", () => new Set());
      const again = cache.get(path, () => assert.fail("it was forgotten"));
      assert.notEqual(again, value, "it was not turned into text: this tests nothing");
      assert.deepEqual(again, value);
    }),
  );
});

test("what was deleted is made again", () => {
  const cache = makeCache();
  cache.get("a", () => new Set(["old"]));
  cache.delete("a");
  assert.deepEqual(
    cache.get("a", () => new Set(["new"])),
    new Set(["new"]),
  );
});
