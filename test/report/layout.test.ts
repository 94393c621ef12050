import assert from "node:assert/strict";
import { test } from "node:test";
import { layOut, neighbour } from "../../src/report/page/layout.js";
import { squarify } from "../../src/report/page/squarify.js";
import { buildTree, trail, worst } from "../../src/report/page/tree.js";
import { fileOf, largeProject } from "../support/report-data.js";

test("a treemap fills its rectangle, each part with its share and none over another", () => {
  const weights = [60, 30, 30, 12, 6, 6, 4, 2, 1, 1];
  const whole = { x: 10, y: 20, w: 300, h: 200 };
  const rects = squarify(weights, whole);
  const total = weights.reduce((a, b) => a + b, 0);
  rects.forEach((a, at) => {
    const share = (a.w * a.h) / (whole.w * whole.h);
    assert.ok(Math.abs(share - (weights[at] ?? 0) / total) < 1e-9, `part ${at}`);
    assert.ok(a.x >= 10 - 1e-6 && a.y >= 20 - 1e-6 && a.x + a.w <= 310 + 1e-6 && a.y + a.h <= 220 + 1e-6, `part ${at}`);
    for (const b of rects.slice(at + 1)) {
      const [w, h] = [
        Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x),
        Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y),
      ];
      assert.ok(w < 1e-6 || h < 1e-6, `part ${at} overlaps another`);
    }
  });
  const longest = Math.max(...rects.map(({ w, h }) => Math.max(w / h, h / w)));
  assert.ok(longest < 4, `no part is a sliver: ${longest}`);
});

test("nothing to draw, or no room to draw it in, is no error", () => {
  assert.deepEqual(squarify([], { x: 0, y: 0, w: 10, h: 10 }), []);
  assert.equal(squarify([3, 2, 1], { x: 0, y: 0, w: 0, h: 10 }).length, 3);
});

test("folders are found by their path: any name will do, and chains are one step", () => {
  const paths = [
    "__proto__/a.ts",
    "constructor/toString/b.ts",
    "java/com/acme/C.java",
    "java/com/acme/D.java",
    "top.ts",
  ];
  const { root, leaves } = buildTree(
    paths.map((path) => fileOf(path, "body")),
    "harbour",
  );
  assert.deepEqual(root.children.map(({ name }) => name).sort(), [
    "__proto__",
    "constructor/toString",
    "java/com/acme",
    "top.ts",
  ]);
  assert.deepEqual(
    leaves.map(({ path }) => path),
    paths,
    "in the order of the report",
  );
  const deep = leaves[2]?.parent;
  assert.deepEqual(deep === undefined ? [] : trail(deep).map(({ name }) => name), ["harbour", "java/com/acme"]);
  assert.deepEqual([root.files, root.counts.body, worst(root.counts)], [5, 5, "body"]);
});

test("every file of a large project is in the map once, in its own box or in that of a folder too small to open", () => {
  const { root } = buildTree(largeProject(20_000), "harbour");
  const boxes = layOut(root, { w: 880, h: 560 }, "size");
  const covered = boxes
    .filter(({ open }) => !open)
    .reduce((sum, { item }) => sum + (item.kind === "file" ? 1 : item.files), 0);
  assert.equal(covered, 20_000);
  assert.ok(boxes.every(({ x, y, w, h }) => x >= -0.01 && y >= -0.01 && x + w <= 880.01 && y + h <= 560.01));
});

test("from any box, arrows lead to others and back", () => {
  const { root } = buildTree(
    ["a/1.ts", "a/2.ts", "b/3.ts", "b/4.ts", "c.ts"].map((path) => fileOf(path)),
    "harbour",
  );
  const boxes = layOut(root, { w: 400, h: 300 }, "equal");
  const files = boxes.filter(({ open }) => !open);
  const reached = new Set(files.slice(0, 1));
  for (const box of reached) {
    for (const arrow of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"] as const) {
      const next = neighbour(boxes, box, arrow);
      if (next !== null) reached.add(next);
    }
  }
  assert.equal(reached.size, files.length);
});
