import assert from "node:assert/strict";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeRepo, root } from "../support/repo.js";

const FILE = ".github/workflows/ua-hooks.yml";

test("install --ci github shows the workflow, writes it after a yes, and nothing else", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", { "a.ts": "export const a = 1;\n" });
  const shown = repo.ua("install", "--ci", "github", "--dry-run");
  assert.match(shown.stdout, /^\+\+\+ b\/\.github\/workflows\/ua-hooks\.yml$/m);
  assert.ok(!repo.has(FILE));
  const unasked = repo.ua("install", "--ci", "github");
  assert.equal(unasked.code, 2);
  assert.match(unasked.stderr, /needs --yes/);
  assert.equal(repo.ua("install", "--ci", "github", "--yes").code, 0);
  assert.equal(repo.read(FILE), readFileSync(join(root, "templates/github-review.yml"), "utf8"));
  assert.equal(repo.git("status", "--porcelain", "--untracked-files=all"), `?? ${FILE}`);
  assert.match(repo.ua("install", "--ci", "github").stdout, /is as it should be/);
  assert.equal(repo.ua("install", "--ci", "travis", "--yes").code, 2);
});

test("install --ci github writes through no link of a checkout", (t) => {
  const repo = makeRepo(t);
  symlinkSync(repo.base, join(repo.dir, ".github"));
  repo.commit("start", { "a.ts": "export const a = 1;\n" });
  assert.notEqual(repo.ua("install", "--ci", "github", "--yes").code, 0);
});

test("docs/ci.md shows the workflow as it is written", () => {
  const template = readFileSync(join(root, "templates/github-review.yml"), "utf8").replace(/^#.*\n/gm, "");
  assert.ok(readFileSync(join(root, "docs/ci.md"), "utf8").includes(template));
});
