import assert from "node:assert/strict";
import { test } from "node:test";
import { allPoints } from "../support/points.js";
import { pointsOf } from "./harness.js";
import { exporting, summaries, upgrading } from "./ways-command.js";
import { driver, inline, pruning, runner, second } from "./ways-git.js";
import { sharing } from "./ways-sharing.js";

test("every fault point in the source is on a way that is tried", async (t) => {
  const met = new Set<string>();
  for (const way of [runner, second, pruning, inline, exporting, summaries, driver, upgrading, sharing]) {
    for (const point of (await pointsOf(way.open(t))).keys()) met.add(point);
  }
  const all = allPoints();
  t.diagnostic(`${all.length} points: ${all.join(", ")}`);
  assert.deepEqual(
    all.filter((point) => !met.has(point)),
    [],
    "points that no way comes by: give them one, or take them out",
  );
});
