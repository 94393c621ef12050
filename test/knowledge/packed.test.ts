import assert from "node:assert/strict";
import { test } from "node:test";
import { pack, unpack } from "../../src/knowledge/packed.js";

test("a packed text holds no more memory than it is long", () => {
  const packed = Array.from({ length: 100 }, (_, at) => pack(`"text": ${at}`));
  const buffers = new Set(packed.map(({ buffer }) => buffer));
  const bytes = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
  assert.ok(bytes < 100 * 1024, `${bytes} bytes for 100 short texts`);
  assert.equal(unpack(packed[7] ?? Buffer.alloc(0)), '"text": 7');
});
