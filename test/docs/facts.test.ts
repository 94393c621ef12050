import assert from "node:assert/strict";
import { test } from "node:test";
import { EXIT } from "../../src/errors.js";
import { DEFAULTS } from "../../src/repository/config.js";
import { pageText } from "../support/docs.js";

test("docs/config.md names every key, and its default", () => {
  const told = new Map<string, string>();
  for (const [, keys = "", value = ""] of pageText("docs/config.md").matchAll(/^\| (`.*?) +\| (.*?) +\|/gm))
    for (const [, key = ""] of keys.matchAll(/`([\w.]+)`/g)) told.set(key, value.replaceAll("`", ""));
  const expected = new Map<string, string>();
  const add = (prefix: string, value: unknown): void => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      expected.set(prefix, value === null ? "" : JSON.stringify(value));
    else for (const [key, inner] of Object.entries(value)) add(`${prefix}.${key}`, inner);
  };
  for (const [key, value] of Object.entries(DEFAULTS)) add(key, value);
  const sorted = (map: Map<string, string>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  assert.deepEqual(sorted(told), sorted(expected));
});

test("README names every exit status", () => {
  const [line = ""] = /Exit status:[\s\S]*?\n\n/.exec(pageText("README.md")) ?? [];
  const told = [...line.matchAll(/(?:^|[ \n])(\d) [a-z]/g)].map((match) => Number(match[1]));
  assert.deepEqual(told, [0, 1, ...new Set(Object.values(EXIT))]);
});
