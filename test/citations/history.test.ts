import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { installedRepo, makeRepo, type Repo } from "../support/repo.js";

interface Finding {
  file: string;
  line: number;
  target: string;
  kind: string;
  verdict: string;
  to?: string;
  since: string;
  detail?: string;
}

interface Docs {
  schema: string;
  documents: number;
  citations: number;
  unknown?: number;
  skipped?: string[];
  broken: Finding[];
}

const docsOf = (repo: Repo, ...args: string[]): Docs => repo.uaJson<Docs>("docs", ...args);

/** `AGENTS.md:1 src/a.ts moved src/b.ts` */
const brief = ({ broken }: Docs): string[] =>
  broken.map(({ file, line, target, verdict, to }) =>
    [`${file}:${line}`, target, verdict, ...(to === undefined ? [] : [to])].join(" "),
  );

const lines = (count: number, word: string): string =>
  Array.from({ length: count }, (_, at) => `export const ${word}${at} = ${at};\n`).join("");

test("a path that was renamed in several steps is where the last one put it", (t) => {
  const repo = makeRepo(t);
  const written = repo.commit("start", {
    "AGENTS.md": "# Rules\n\nRead `src/old.ts:3` first, and [the guide](docs/guide.md#top).\n",
    "src/old.ts": lines(20, "a"),
    "docs/guide.md": lines(9, "g"),
  });
  assert.deepEqual(docsOf(repo), { schema: "ua-hooks.docs/1", documents: 2, citations: 2, broken: [] });
  repo.git("mv", "src/old.ts", "src/newer.ts");
  repo.commit("one");
  mkdirSync(join(repo.dir, "lib"));
  repo.git("mv", "src/newer.ts", "lib/newest.ts");
  repo.git("mv", "docs/guide.md", "docs/manual.md");
  repo.commit("two", { "lib/newest.ts": `${lines(20, "a")}export const more = 1;\n` });
  assert.deepEqual(docsOf(repo).broken, [
    {
      file: "AGENTS.md",
      line: 3,
      target: "src/old.ts",
      kind: "path",
      verdict: "moved",
      to: "lib/newest.ts",
      since: written,
    },
    {
      file: "AGENTS.md",
      line: 3,
      target: "docs/guide.md",
      kind: "path",
      verdict: "moved",
      to: "docs/manual.md",
      since: written,
    },
  ]);
  const { code, stdout } = repo.ua("docs", "--exit-code");
  assert.equal(code, 1);
  assert.match(stdout, /^AGENTS\.md:3: src\/old\.ts is now lib\/newest\.ts$/m);
});

test("only what was true once is reported, also at a first look", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", {
    "README.md":
      "Put it into `src/example.ts`, see [there](made/up.md), run `npm run invented`, call `inventedThing()`.\n",
    "src/a.ts": lines(3, "a"),
    "package.json": '{ "scripts": { "lint": "eslint ." } }',
  });
  assert.deepEqual(docsOf(repo).broken, []);
  repo.commit("more", { "README.md": "Put it into `src/example.ts`.\nSee `src/a.ts` and `npm run lint`.\n" });
  repo.git("rm", "-q", "src/a.ts");
  const gone = repo.commit("gone", { "package.json": '{ "scripts": {} }' });
  const found = docsOf(repo);
  assert.deepEqual(brief(found), ["README.md:2 src/a.ts gone", "README.md:2 npm run lint gone"]);
  assert.equal(found.broken[0]?.detail, `deleted in ${gone.slice(0, 10)}`);
});

test("a line that is written again is judged by what is true then", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", { "README.md": "It was in `src/a.ts` once.\n", "src/a.ts": lines(3, "a") });
  repo.git("rm", "-q", "src/a.ts");
  repo.commit("gone");
  assert.deepEqual(brief(docsOf(repo)), ["README.md:1 src/a.ts gone"]);
  repo.commit("said", { "README.md": "It was in `src/a.ts`, which is gone.\n" });
  assert.deepEqual(brief(docsOf(repo)), []);
  repo.write({ "README.md": "Uncommitted: `src/a.ts` is nowhere.\n" });
  assert.deepEqual(brief(docsOf(repo)), []);
});

test("scripts of npm, make and just are looked up in the nearest file, and followed by what they run", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", {
    "CONTRIBUTING.md":
      "Run `npm run lint`, `make check` and `just fmt`.\n\n```sh\n$ npm test -- --watch\npnpm build # all of it\ncd packages/a && yarn lint\n```\n",
    "package.json": JSON.stringify({ scripts: { lint: "eslint .", test: "node --test", build: "tsc" } }),
    Makefile: "check: build\n\tgo vet ./...\n",
    justfile: "fmt arg='x':\n  gofmt -w .\n",
    "packages/a/package.json": JSON.stringify({ scripts: { lint: "a" } }),
  });
  assert.equal(docsOf(repo).citations, 6);
  repo.commit("all others", {
    "package.json": JSON.stringify({ scripts: { "lint:js": "eslint .", build: "tsc" } }),
    Makefile: "verify: build\n\tgo vet ./...\n",
    justfile: "format arg='x':\n  gofmt -w .\n",
    "packages/a/package.json": JSON.stringify({ scripts: {} }),
  });
  assert.deepEqual(brief(docsOf(repo)), [
    "CONTRIBUTING.md:1 npm run lint moved npm run lint:js",
    "CONTRIBUTING.md:1 make check moved make verify",
    "CONTRIBUTING.md:1 just fmt moved just format",
    "CONTRIBUTING.md:4 npm test gone",
    "CONTRIBUTING.md:6 yarn lint gone",
  ]);
});

test("a symbol that is gone, and one with another name", (t) => {
  const repo = makeRepo(t);
  const body = (name: string) =>
    `export function ${name}(port: number): string {\n  return [port, port + 1, port * 2].map((one) => String(one)).join(":");\n}\n`;
  repo.commit("start", {
    "CLAUDE.md": "Use `createServer()` and `Queue.push`; never `dropTable()`. `toString()` is everybody's.\n",
    "src/server.ts": body("createServer"),
    "src/queue.ts":
      "export class Queue {\n  items: string[] = [];\n  push(item: string) {\n    this.items.push(item);\n  }\n}\n",
    "src/table.ts": "export function dropTable(name: string) {\n  return name;\n}\n",
  });
  assert.equal(docsOf(repo).citations, 3);
  repo.commit("rename", {
    "src/server.ts": body("startServer"),
    "src/queue.ts":
      "export class Queue {\n  items: string[] = [];\n  enqueue(item: string) {\n    this.items.push(item);\n  }\n}\n",
    "src/table.ts": "export const nothing = 1;\n",
  });
  assert.deepEqual(brief(docsOf(repo)), [
    "CLAUDE.md:1 createServer moved startServer",
    "CLAUDE.md:1 Queue.push moved Queue.enqueue",
    "CLAUDE.md:1 dropTable gone",
  ]);
});

test("with --changed a symbol that is there and behaves otherwise", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", {
    "AGENTS.md": "`readPort()` reads, `other()` is another.\n",
    "src/port.ts":
      "export function readPort(text: string): number {\n  return Number(text);\n}\nexport function other(): number {\n  return 1;\n}\n",
  });
  repo.commit("throw", {
    "src/port.ts":
      "export function readPort(text: string): number {\n  if (text === '') throw new RangeError('empty');\n  return Number(text);\n}\nexport function other(): number {\n  return 1;\n}\n",
  });
  assert.deepEqual(brief(docsOf(repo)), []);
  const [found, ...more] = docsOf(repo, "--changed").broken;
  assert.deepEqual(
    [found?.target, found?.verdict, found?.detail?.split(",")[0], more],
    ["readPort", "changed", "it now throws or catches errors", []],
  );
});

test("a document that was itself renamed is followed, and its links are judged from where it is", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", {
    "docs/a.md": "See [b](b.md) and `src/x.ts`.\n\nMore text, so that git knows it again.\nAnd a third line of it.\n",
    "docs/b.md": "B\n",
    "src/x.ts": lines(9, "x"),
  });
  mkdirSync(join(repo.dir, "docs/deep"));
  repo.git("mv", "docs/a.md", "docs/deep/a.md");
  repo.commit("move the document");
  repo.git("mv", "src/x.ts", "src/y.ts");
  repo.commit("move the file");
  assert.deepEqual(brief(docsOf(repo)), [
    "docs/deep/a.md:1 docs/deep/b.md moved docs/b.md",
    "docs/deep/a.md:1 src/x.ts moved src/y.ts",
  ]);
  assert.equal(repo.ua("docs", "--fix", "--yes").code, 0);
  assert.match(repo.read("docs/deep/a.md"), /^See \[b\]\(\.\.\/b\.md\) and `src\/y\.ts`\.$/m);
  assert.deepEqual(brief(docsOf(repo)), []);
});

test("a squash merge breaks a line as any other commit does", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", { "AGENTS.md": "`src/a.ts`\n", "src/a.ts": lines(20, "a") });
  repo.git("checkout", "-q", "-b", "side");
  repo.git("mv", "src/a.ts", "src/b.ts");
  repo.commit("b");
  repo.git("mv", "src/b.ts", "src/c.ts");
  repo.commit("c");
  repo.git("checkout", "-q", "main");
  repo.git("merge", "-q", "--squash", "side");
  repo.commit("squashed");
  assert.deepEqual(brief(docsOf(repo)), ["AGENTS.md:1 src/a.ts moved src/c.ts"]);
});

test("where a shallow clone's history ends it says that it cannot tell", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", { "AGENTS.md": "`src/a.ts` and `src/never.ts`\n", "src/a.ts": lines(20, "a") });
  repo.git("mv", "src/a.ts", "src/b.ts");
  repo.commit("b");
  repo.git("clone", "-q", "--depth", "1", `file://${repo.dir}`, join(repo.base, "shallow"));
  const shallow = repo.at(join(repo.base, "shallow"));
  const found = docsOf(shallow);
  assert.deepEqual([found.unknown, found.broken], [2, []]);
  shallow.git("fetch", "-q", "--unshallow");
  assert.deepEqual(brief(docsOf(shallow)), ["AGENTS.md:1 src/a.ts moved src/b.ts"]);
});

test("a linked worktree is judged at its own HEAD, with its own changes", (t) => {
  const repo = installedRepo(t, {
    name: "docs-worktree",
    files: { "AGENTS.md": "`src/a.ts`\n", "src/a.ts": lines(20, "a") },
  });
  repo.git("worktree", "add", "-q", "-b", "side", join(repo.base, "side"));
  const side = repo.at(join(repo.base, "side"));
  side.git("mv", "src/a.ts", "src/b.ts");
  side.commit("b");
  assert.deepEqual(brief(docsOf(side)), ["AGENTS.md:1 src/a.ts moved src/b.ts"]);
  assert.deepEqual(brief(docsOf(repo)), []);
  repo.git("rm", "-q", "src/a.ts");
  assert.deepEqual(brief(docsOf(repo)), ["AGENTS.md:1 src/a.ts gone"]);
  repo.git("reset", "-q", "--hard");
  assert.deepEqual(brief(docsOf(repo)), []);
});

test("CRLF: other line ends make no line new, and a correction keeps them", (t) => {
  const repo = makeRepo(t);
  const written = repo.commit("start", {
    "README.md": "One.\nSee `src/a.ts`, twice: `src/a.ts`.\n",
    "src/a.ts": lines(20, "a"),
  });
  repo.commit("crlf", { "README.md": "One.\r\nSee `src/a.ts`, twice: `src/a.ts`.\r\n" });
  repo.git("mv", "src/a.ts", "src/longer-name.ts");
  repo.commit("move");
  const found = docsOf(repo);
  assert.deepEqual(
    found.broken.map(({ since }) => since),
    [written, written],
  );
  repo.ua("docs", "--fix", "--yes");
  assert.equal(repo.read("README.md"), "One.\r\nSee `src/longer-name.ts`, twice: `src/longer-name.ts`.\r\n");
});

test("what is in a submodule, behind a link or ignored is not called gone", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", {
    "README.md": "`lib/a.ts`, `linked/b.ts`, `dist/c.js`, `kept/d.ts`\n",
    "lib/a.ts": lines(5, "a"),
    "linked/b.ts": lines(5, "b"),
    "dist/c.js": lines(5, "c"),
    "kept/d.ts": lines(5, "d"),
  });
  const other = join(repo.base, "other");
  repo.git("init", "-q", other);
  repo.at(other).commit("start", { "x.ts": "1\n" });
  repo.git("rm", "-q", "-r", "lib", "linked", "dist");
  repo.git("submodule", "add", "-q", `file://${other}`, "lib");
  symlinkSync("kept", join(repo.dir, "linked"));
  repo.commit("others", { ".gitignore": "dist/\n" });
  assert.deepEqual(brief(docsOf(repo)), []);
});

test("nothing is read outside of the project, and nothing hidden is printed", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", {
    "README.md":
      "[passwd](../../../../etc/passwd) [host](out/hosts) `src/a\u202e.ts` `src/a\u001b[31m.ts` [x](src/a%1b.ts)\n",
    "src/a\u202e.ts": "1\n",
  });
  symlinkSync("/etc", join(repo.dir, "out"));
  repo.commit("link");
  repo.git("rm", "-q", "-r", "src", "out");
  repo.commit("gone");
  const { stdout } = repo.ua("docs");
  assert.deepEqual(brief(docsOf(repo)), []);
  assert.ok(!stdout.includes("\u202e") && !stdout.includes("\u001b"));
});

test("a huge document is named and not read", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", {
    "docs/big.md": "`src/a.ts` ".repeat(200_000),
    "docs/many.md": "`src/a.ts` ".repeat(60_000),
    "src/a.ts": "1\n",
  });
  repo.git("rm", "-q", "src/a.ts");
  repo.commit("gone");
  const found = docsOf(repo);
  assert.deepEqual(found.skipped, ["docs/big.md"]);
  assert.equal(found.broken.length, 20_000);
});

test("what tells of the past is left alone: changelogs, migration guides, lines about something removed", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", {
    "docs/changelog/v1.md": "`src/a.ts` is new.\n",
    "docs/migration.md": "Import from `src/a.ts`.\n",
    "docs/guide.md": "`src/a.ts` is deprecated.\n\n`src/a.ts` is for you.\n",
    "src/a.ts": lines(5, "a"),
  });
  repo.git("mv", "src/a.ts", "src/b.ts");
  repo.commit("move");
  assert.deepEqual(brief(docsOf(repo)), ["docs/guide.md:3 src/a.ts moved src/b.ts"]);
});

test("docs.include names the documents in place of the built-in list", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", {
    ".ua-hooksrc.json": JSON.stringify({ docs: { include: ["guides/**/*.txt"] } }),
    "guides/a.txt": "`src/a.ts`\n",
    "AGENTS.md": "`src/a.ts`\n",
    "src/a.ts": lines(5, "a"),
  });
  repo.git("mv", "src/a.ts", "src/b.ts");
  repo.commit("move");
  assert.deepEqual(brief(docsOf(repo)), ["guides/a.txt:1 src/a.ts moved src/b.ts"]);
  assert.deepEqual(brief(docsOf(repo, "src")), []);
  repo.write({ ".ua-hooksrc.json": JSON.stringify({ docs: { include: "guides" } }) });
  assert.match(repo.ua("docs").stderr, /"docs\.include" must be a list of globs/);
});
