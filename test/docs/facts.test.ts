import assert from "node:assert/strict";
import { basename } from "node:path";
import { test } from "node:test";
import { EXIT } from "../../src/errors.js";
import { DEFAULTS } from "../../src/repository/config.js";
import { pageText } from "../support/docs.js";

test("docs/config.md names every key, and its default", () => {
  const documented = new Map<string, string>();
  for (const [, keys = "", value = ""] of pageText("docs/config.md").matchAll(/^\| (`.*?) +\| (.*?) +\|/gm))
    for (const [, key = ""] of keys.matchAll(/`([\w.]+)`/g)) documented.set(key, value.replaceAll("`", ""));
  const expected = new Map<string, string>();
  const add = (prefix: string, value: unknown): void => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      expected.set(prefix, value === null ? "" : JSON.stringify(value));
    else for (const [key, inner] of Object.entries(value)) add(`${prefix}.${key}`, inner);
  };
  for (const [key, value] of Object.entries(DEFAULTS)) add(key, value);
  const sorted = (map: Map<string, string>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  assert.deepEqual(sorted(documented), sorted(expected));
});

test("docs/commands.md names every exit status", () => {
  const [line = ""] = /Exit status:[\s\S]*?\n\n/.exec(pageText("docs/commands.md")) ?? [];
  const documented = [...line.matchAll(/(?:^|[ \n])(\d) [a-z]/g)].map((match) => Number(match[1]));
  assert.deepEqual(documented, [0, 1, ...new Set(Object.values(EXIT))]);
});

test("architecture.md follows one commit through 3 shell and 10 TypeScript files, each called by an earlier one", () => {
  const [section = ""] = /^## One commit in ten files$[\s\S]*?(?=^## )/m.exec(pageText("docs/architecture.md")) ?? [];
  const files = [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = ""]) => file);
  const [scripts, sources] = [
    files.filter((file) => file.endsWith(".sh")),
    files.filter((file) => file.endsWith(".ts")),
  ];
  assert.deepEqual([...scripts, ...sources], files, "the shell scripts come first");
  assert.ok(scripts.length > 0 && scripts.length <= 3, section);
  assert.ok(sources.length > 0 && sources.length <= 10, section);
  const calls = files.map((file) => pageText(file));
  for (const [index, file] of files.entries()) {
    // hooks/shim.sh starts `hook.cjs`, which is built from the first source file.
    if (index === 0 || file === sources[0]) continue;
    const name = basename(file).replace(/\.ts$/, ".js");
    assert.ok(
      calls.slice(0, index).some((text) => text.includes(`/${name}"`)),
      `${file} is not called by a file before it`,
    );
  }
});

test("each class of errors that was broken by trying, and each promise of SECURITY.md, names its tests", () => {
  const between = (page: string, from: string, to: string) => {
    const [, part = ""] = pageText(page).split(`\n## ${from}`);
    return part.split(`\n## ${to}`)[0] ?? "";
  };
  const rows = between("docs/testing.md", "What was broken by trying", "Errors that were found")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| (class|what happened|-+) /.test(line));
  const promises = between("SECURITY.md", "What is promised", "What is not promised").split("\n- ").slice(1);
  assert.ok(rows.length > 30 && promises.length > 15, `${rows.length} rows, ${promises.length} promises`);
  assert.deepEqual(
    [...rows, ...promises].filter((text) => !/`test\/[\w/-]+\.test\.ts`/.test(text)),
    [],
  );
});
