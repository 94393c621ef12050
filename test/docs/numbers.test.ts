import assert from "node:assert/strict";
import { test } from "node:test";
import { readMeasured } from "../../bench/measured.js";
import { pageWith } from "../../bench/pages.js";
import { pageText } from "../support/docs.js";

for (const page of ["README.md", "docs/benchmarks.md"] as const) {
  test(`${page} has the numbers that were measured last (npm run bench -- --write)`, () => {
    const text = pageText(page);
    assert.equal(pageWith(page, text, readMeasured()), text);
  });
}
