import assert from "node:assert/strict";
import { test } from "node:test";
import ignore from "ignore";
import picomatch from "picomatch";
import { parseConfigGlob } from "../../src/repository/glob.js";
import { PathFilter, parseIgnoreRules } from "../../src/repository/ignore-rules.js";
import { dice, givenSeed } from "../support/dice.js";

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

const GLOBS = [
  ...[
    "**/*.ts",
    "src/**",
    "src/*.ts",
    "*.ts",
    "a.ts",
    "**/a.ts",
    "src/**/a.ts",
    "**/*.{ts,js}",
    "{src,lib}/**",
    "src/{a,b/{a,c}}.ts",
  ],
  ...[
    "**/*.test.*",
    "[a-c].ts",
    "**/[^a].ts",
    "lib/\\[x\\].ts",
    "!src/**",
    "./src/a.ts",
    "**/.*",
    "**/.*/**",
    "*",
    "**",
    "?.ts",
  ],
];

test("globs of the config mean what picomatch makes of them", () => {
  for (const glob of GLOBS) {
    const [ours, theirs] = [parseConfigGlob(glob), picomatch(glob, { dot: true })];
    // Of a folder itself picomatch says that it is inside; git has files only.
    for (const path of PATHS.filter((one) => one !== "src"))
      assert.equal(ours(path), theirs(path), `${path} with ${glob}`);
  }
});

/** What picomatch takes for a part of a regular expression, or for another kind of class, is a plain character here: `(a)`, `a|b`, `[!a]`. */
const NAMES = [
  ...["a", "b", ".c", "*", "?", "[ab]", "[^a]", "*.ts", "**", "{a,b}", "a*b", "{a,.c}.ts", "?*", "*a*", "a\\*", "a**"],
  ...["{a,b/c}", "*.{ts,js}", "a.ts", "x+y", "@a", "a$", "^a", "*a*b*"],
];
const PARTS = [
  "a",
  "b",
  ".c",
  "ab",
  "a.ts",
  ".c.ts",
  "b.js",
  "x+y",
  "@a",
  "a*",
  "c",
  "axb",
  "xaxbx",
  "b.ts",
  "a$",
  "^a",
];

test("any glob made of these means what picomatch makes of it", () => {
  const seed = givenSeed();
  const below = dice(seed);
  const some = (all: readonly string[]) =>
    Array.from({ length: 1 + below(4) }, () => all[below(all.length)] ?? "").join("/");
  for (let at = 0; at < 5_000; at++) {
    const glob = (below(12) === 0 ? "!" : "") + (below(12) === 0 ? "./" : "") + some(NAMES);
    const [ours, theirs] = [parseConfigGlob(glob), picomatch(glob, { dot: true })];
    if (glob.endsWith("/**")) continue; // a folder itself, see above
    for (const path of [some(PARTS), some(PARTS), some(PARTS)])
      assert.equal(ours(path), theirs(path), `${path} with ${glob}, UA_HOOKS_SEED=${seed}`);
  }
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
  assert.throws(() => parseConfigGlob("{a,b}".repeat(20)), /more than 200 alternatives/);
  assert.throws(() => parseConfigGlob("src/+(a|b)"), /extended glob/);
  assert.ok(parseConfigGlob("app/(auth)/**")("app/(auth)/page.tsx"), "a folder in parentheses is a folder");
});
