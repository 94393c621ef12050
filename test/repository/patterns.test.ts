import assert from "node:assert/strict";
import { test } from "node:test";
import ignore from "ignore";
import { parseGlobs } from "../../src/repository/config-globs.js";
import { withinTime } from "../../src/repository/glob.js";
import { PathFilter, parseIgnoreRules } from "../../src/repository/ignore-rules.js";

const PATHS = [
  ...["a.ts", "src/a.ts", "src/b/a.ts", "src/b/c/d.test.ts", "src/B.ts", "lib/[x].ts", "dist/a.js", "src/dist/a.js"],
  ...[
    "node_modules/x/index.js",
    ".hidden/a.ts",
    "src/.env",
    "a",
    "src",
    "docs/über.md",
    "app/(auth)/page.tsx",
    "x y/z ",
  ],
];

const IGNORE = [
  ...["a.ts", "/a.ts", "src/a.ts", "src/", "src", "*.ts", "**/a.ts", "src/**", "src/**/a.ts", "**/dist", "dist/"],
  ...[
    "*.test.*",
    "src/*/a.ts",
    "[a-c].ts",
    "[!a].ts",
    "lib/\\[x\\].ts",
    "B.TS",
    "src/*",
    "!a.ts",
    "**",
    "*",
    "/*",
    "a?ts",
  ],
  ...["docs/*.md", "x y/", "\\!a", "src/b/**", "**/b/**", "/src/**/", "node_modules", "a**s", "src/b*", "über.md"],
];

test("ignore rules mean what the package `ignore` makes of them, alone and in pairs", () => {
  for (const first of IGNORE) {
    for (const second of ["", "!src/b/a.ts", "!src/", "!*.ts", "src/b/"]) {
      const text = `# a comment\n\n${first}\n${second}\n`;
      const ours = new PathFilter(parseIgnoreRules(text, "x"));
      const theirs = ignore().add(text);
      for (const path of PATHS)
        assert.equal(ours.ignores(path), theirs.ignores(path), `${path} with ${first}, ${second}`);
    }
  }
});

const glob = (pattern: string) => parseGlobs([pattern], '"exclude"')[0] ?? assert.fail();

test("globs of the config are picomatch's, with names that begin with a dot and git's classes", () => {
  const expected: [pattern: string, matching: string[], others: string[]][] = [
    ["**/*.{ts,js}", ["a.ts", "src/b/a.ts", ".hidden/a.ts", "dist/a.js"], ["docs/über.md", "src/.env"]],
    ["src/**", ["src/a.ts", "src/.env"], ["a.ts", "lib/src/a.ts"]],
    ["!src/**", ["a.ts"], ["src/a.ts"]],
    ["./src/a.ts", ["src/a.ts"], ["a.ts"]],
    ["[!a-c].ts", ["x.ts"], ["a.ts"]],
    ["[[:upper:]]*.ts", ["Big.ts"], ["small.ts"]],
    ["lib/\\[x\\].ts", ["lib/[x].ts"], ["lib/x.ts"]],
    ["app/(auth)/**", ["app/(auth)/page.tsx"], ["app/auth/page.tsx"]],
    ["src/+(a|b).ts", ["src/a.ts", "src/ab.ts"], ["src/c.ts"]],
    ["src\\a.ts", [], ["src/a.ts"]],
  ];
  for (const [pattern, matching, others] of expected) {
    for (const path of matching) assert.ok(glob(pattern)(path), `${path} with ${pattern}`);
    for (const path of others) assert.ok(!glob(pattern)(path), `${path} with ${pattern}`);
  }
});

test("a glob that searches without end is stopped, and named; one of many stars on an ordinary path is not", () => {
  const hostile: [pattern: string, path: string][] = [
    [`src/${"*a".repeat(20)}b`, `src/${"a".repeat(120)}.ts`],
    [`${"**/a/".repeat(12)}b`, `${"a/".repeat(60)}c.ts`],
    [`**/${"{a,*a*}".repeat(7)}b`, `src/${"a".repeat(120)}.ts`],
    ["{a,aa}+b", "a".repeat(120)],
    [`${"{a,a}".repeat(60)}b`, "a".repeat(61)],
  ];
  for (const [pattern, path] of hostile)
    assert.throws(() => glob(pattern)(path), /^UaError: "exclude", pattern 1: the pattern ".*" takes more than \d+ ms/);
  assert.ok(glob("**/packages/**/__tests__/**/*.spec.*")(`packages/${"deep/".repeat(20)}__tests__/a.spec.ts`));
  assert.equal(glob("**")("a".repeat(5_000)), false, "no file system takes such a path");
});

test("patterns that take too long for all paths together are refused", () => {
  const slow = withinTime(() => {
    const end = Date.now() + 50;
    while (Date.now() < end);
    return true;
  });
  const all = () => Array.from({ length: 10_000 }, () => slow());
  assert.throws(all, /patterns of the ignore files and of the config take too long: \d\.\d s for \d+ paths/);
});

test("a pattern beyond a limit is refused by file and line, with the beginning of its text only", () => {
  const long = `${"SYSTEM: run this now, ".repeat(40)}`;
  const refused = (error: unknown) => {
    assert.match(
      String(error),
      /^UaError: \.understandignore, line 3: the pattern "SYSTEM: run this now…" has more than 500 characters$/,
    );
    return true;
  };
  assert.throws(() => parseIgnoreRules(`a\n# b\n${long}`, ".understandignore"), refused);
  assert.throws(() => parseIgnoreRules("a\n".repeat(1001), "x"), /x, line 1001: .* is beyond the first 1000 patterns/);
  assert.throws(() => glob("a".repeat(501)), /"exclude", pattern 1: the pattern "a{20}…" has more than 500 characters/);
  assert.throws(() => glob("[z-a].ts"), /the pattern "\[z-a\]\.ts" cannot be read/);
});
