import assert from "node:assert/strict";
import { test } from "node:test";
import { createResolver } from "../../src/graph/imports.js";
import { projectTexts } from "../../src/graph/project-texts.js";
import { resolverConfigFiles } from "../../src/graph/resolver-configs.js";
import { resolverFor } from "./support.js";

test("relative imports find their file under every spelling that compilers allow", () => {
  const resolver = createResolver([
    "src/a.ts",
    "src/b.ts",
    "src/view.tsx",
    "src/old.js",
    "src/lib/index.ts",
    "src/types.d.ts",
    "src/m.mts",
    "src/c.cts",
    "src/data.json",
    "src/App.vue",
    "index.ts",
    "src/dot.name.ts",
    "src/icon.svg",
  ]);
  const resolve = (source: string) => resolver.resolve("src/a.ts", source);
  assert.deepEqual(resolve("./b"), ["src/b.ts"]);
  assert.deepEqual(resolve("./b.js"), ["src/b.ts"]);
  assert.deepEqual(resolve("./b.ts"), ["src/b.ts"]);
  assert.deepEqual(resolve("./view.js"), ["src/view.tsx"]);
  assert.deepEqual(resolve("./view.jsx"), ["src/view.tsx"]);
  assert.deepEqual(resolve("./old"), ["src/old.js"]);
  assert.deepEqual(resolve("./old.js"), ["src/old.js"]);
  assert.deepEqual(resolve("./lib"), ["src/lib/index.ts"]);
  assert.deepEqual(resolve("./lib/"), ["src/lib/index.ts"]);
  assert.deepEqual(resolve("./lib/index.js"), ["src/lib/index.ts"]);
  assert.deepEqual(resolve("./types"), ["src/types.d.ts"]);
  assert.deepEqual(resolve("./m.mjs"), ["src/m.mts"]);
  assert.deepEqual(resolve("./c.cjs"), ["src/c.cts"]);
  assert.deepEqual(resolve("./data.json"), ["src/data.json"]);
  assert.deepEqual(resolve("./App.vue"), ["src/App.vue"]);
  assert.deepEqual(resolve("./dot.name"), ["src/dot.name.ts"]);
  assert.deepEqual(resolve("./icon.svg?url"), ["src/icon.svg"]);
  assert.deepEqual(resolve(".."), ["index.ts"]);
  assert.deepEqual(resolver.resolve("src/lib/index.ts", "../a"), ["src/a.ts"]);
});

test("what is not there, outside the project or the file itself resolves to nothing", () => {
  const resolver = createResolver(["src/a.ts"]);
  for (const source of ["./missing", "../../outside", "react", "node:fs", "", "./a", "/src/a", "#x", "@scope/x", "?"]) {
    assert.deepEqual(resolver.resolve("src/a.ts", source), [], source);
  }
  assert.deepEqual(resolver.resolve("notes.txt", "./src/a"), []);
});

test("names of JavaScript's own objects are only names", () => {
  const resolver = resolverFor({ "src/a.ts": "", "package.json": '{"name":"p"}', "tsconfig.json": "{}" });
  for (const source of ["constructor", "__proto__", "toString/x", "#constructor"]) {
    assert.deepEqual(resolver.resolve("src/a.ts", source), []);
  }
});

test("tsconfig paths: comments, trailing commas, the longest pattern, fallbacks, baseUrl", () => {
  const resolver = resolverFor({
    "tsconfig.json": `{
      // where names lead
      "compilerOptions": { "baseUrl": ".", /* "paths": {} */ "paths": {
        "@/*": ["src/*"], "@/ui/*": ["nowhere/*", "packages/ui/src/*"], "config": ["./config/index.ts"], "url": ["https://x.test/*"],
      }, },
    }`,
    "src/a.ts": "",
    "src/deep/b.ts": "",
    "packages/ui/src/button.tsx": "",
    "config/index.ts": "",
    "shared/c.ts": "",
  });
  const resolve = (source: string) => resolver.resolve("src/deep/b.ts", source);
  assert.deepEqual(resolve("@/a"), ["src/a.ts"]);
  assert.deepEqual(resolve("@/ui/button"), ["packages/ui/src/button.tsx"]);
  assert.deepEqual(resolve("config"), ["config/index.ts"]);
  assert.deepEqual(resolve("shared/c"), ["shared/c.ts"]);
  assert.deepEqual(resolve("@/none"), []);
});

test("tsconfig extends, references and configDir", () => {
  const resolver = resolverFor({
    // biome-ignore lint/suspicious/noTemplateCurlyInString: tsconfig's own variable
    "tsconfig.base.json": '{"compilerOptions":{"paths":{"~/*":["${configDir}/src/*"],"base/*":["./common/*"]}}}',
    "apps/web/tsconfig.json": '{"extends":["../../tsconfig.base"]}',
    "apps/api/tsconfig.json": '{"files":[],"references":[{"path":"./tsconfig.app.json"},{"path":"./gone"}]}',
    "apps/api/tsconfig.app.json": '{"extends":"./tsconfig.json","compilerOptions":{"paths":{"@api/*":["./src/*"]}}}',
    "apps/web/src/a.ts": "",
    "apps/web/src/b.ts": "",
    "apps/api/src/a.ts": "",
    "common/c.ts": "",
    "apps/api/src/s.ts": "",
  });
  assert.deepEqual(resolver.resolve("apps/web/src/a.ts", "~/b"), ["apps/web/src/b.ts"]);
  assert.deepEqual(resolver.resolve("apps/web/src/a.ts", "base/c"), ["common/c.ts"]);
  assert.deepEqual(resolver.resolve("apps/api/src/a.ts", "@api/s"), ["apps/api/src/s.ts"]);
});

test("a config that does not parse is no config", () => {
  const resolver = resolverFor({ "tsconfig.json": "{ nope", "package.json": "[]", "src/a.ts": "", "src/b.ts": "" });
  assert.deepEqual(resolver.resolve("src/a.ts", "./b"), ["src/b.ts"]);
  assert.deepEqual(resolver.resolve("src/a.ts", "src/b"), []);
});

test("workspace packages lead to their sources, not to what a build would make", () => {
  const resolver = resolverFor({
    "package.json":
      '{"name":"root","imports":{"#util":"./dist/util.js","#lib/*":{"node":"./lib/*.js","default":"./src/lib/*.ts"}}}',
    "packages/core/package.json":
      '{"name":"@org/core","main":"dist/index.js","exports":{".":{"types":"./dist/index.d.ts"},"./schema":"./dist/schema.js","./x/*":"./src/x/*.ts"}}',
    "packages/plain/package.json": '{"name":"plain"}',
    "packages/main/package.json": '{"name":"mainly","main":"./dist/main"}',
    "packages/core/src/index.ts": "",
    "packages/core/src/schema.ts": "",
    "packages/core/src/x/y.ts": "",
    "packages/plain/src/index.ts": "",
    "packages/plain/src/tool.ts": "",
    "packages/main/src/main.ts": "",
    "src/util.ts": "",
    "src/lib/z.ts": "",
    "src/a.ts": "",
  });
  const resolve = (source: string) => resolver.resolve("src/a.ts", source);
  assert.deepEqual(resolve("@org/core"), ["packages/core/src/index.ts"]);
  assert.deepEqual(resolve("@org/core/schema"), ["packages/core/src/schema.ts"]);
  assert.deepEqual(resolve("@org/core/x/y"), ["packages/core/src/x/y.ts"]);
  assert.deepEqual(resolve("plain"), ["packages/plain/src/index.ts"]);
  assert.deepEqual(resolve("plain/tool"), ["packages/plain/src/tool.ts"]);
  assert.deepEqual(resolve("mainly"), ["packages/main/src/main.ts"]);
  assert.deepEqual(resolve("#util"), ["src/util.ts"]);
  assert.deepEqual(resolve("#lib/z"), ["src/lib/z.ts"]);
  assert.deepEqual(resolve("#none"), []);
});

test("the resolver asks only for files that say where names lead", () => {
  const files = [
    "src/a.ts",
    "tsconfig.json",
    "tsconfig.app.json",
    "x/package.json",
    "go.mod",
    "Cargo.toml",
    "data.json",
  ];
  assert.deepEqual(resolverConfigFiles(files), [
    "Cargo.toml",
    "go.mod",
    "tsconfig.app.json",
    "tsconfig.json",
    "x/package.json",
  ]);
});

test("a config of any shape ends: unfinished comments and strings, thousands of mappings, stars without number", () => {
  const resolved = (text: string, source = "@p7/b") =>
    resolverFor({ "tsconfig.json": text, "src/a.ts": "", "src/b.ts": "" }).resolve("src/a.ts", source);
  // Each of these took time by the square of its length, or the product of two numbers: minutes.
  for (const part of ["/*", '\\"', "/*a*", '"\\', "/* *", ",  "]) {
    assert.deepEqual(resolved(part.repeat(300_000)), []);
    assert.deepEqual(resolved(`{"a": "${part.repeat(300_000)}`), []);
  }
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`@p${at}/*`, [`./src/*`]]));
  const resolver = resolverFor({
    "tsconfig.json": JSON.stringify({ compilerOptions: { baseUrl: ".", paths: many } }),
    ...{ "src/a.ts": "", "src/b.ts": "" },
  });
  for (let at = 0; at < 100_000; at++) resolver.resolve("src/a.ts", `@q${at}/b`);
  assert.deepEqual(resolver.resolve("src/a.ts", "@p49999/b"), ["src/b.ts"]);
  const stars = { compilerOptions: { paths: { "*": ["*".repeat(1_000_000)] } } };
  assert.deepEqual(resolved(JSON.stringify(stars), "x".repeat(4_000)), []);

  for (const part of ['"', "\n", "(", "x "]) {
    const go = resolverFor({ "go.mod": `module m\n${part.repeat(300_000)}`, "a.go": "", "b/b.go": "" });
    assert.deepEqual(go.resolve("a.go", "m/b"), ["b/b.go"]);
  }
  for (const file of ["pyproject.toml", "Cargo.toml"])
    for (const part of ["[", "[ ", '"\\', "\n"]) projectTexts(new Map([[file, part.repeat(300_000)]]));
  const php = resolverFor({ "a.php": "", "B/C.php": "" });
  assert.deepEqual(php.resolve("a.php", "\\".repeat(300_000)), []);
  assert.deepEqual(php.resolve("a.php", `${"A\\".repeat(2_000)}B\\C`), ["B/C.php"]);
});

test("a replacement in go.mod: with and without a version, in a list, for a module whose name begins like one", () => {
  const replaced = (line: string, source: string) =>
    resolverFor({ "go.mod": `module m\n${line}\n`, "a.go": "", "local/x/x.go": "" }).resolve("a.go", source);
  assert.deepEqual(replaced("replace example.com/old v1.2.3 => ./local", "example.com/old/x"), ["local/x/x.go"]);
  assert.deepEqual(replaced("replace example.com/old => ./local", "example.com/old/x"), ["local/x/x.go"]);
  assert.deepEqual(replaced("replace (\n\texample.com/old => ./local\n)", "example.com/old/x"), ["local/x/x.go"]);
  assert.deepEqual(replaced("replace vendor.com/old => ./local // ours", "vendor.com/old/x"), ["local/x/x.go"]);
  assert.deepEqual(replaced("replace example.com/old => example.com/new v1.0.0", "example.com/old/x"), []);
});
