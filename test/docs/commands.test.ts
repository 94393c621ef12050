import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fences, PAGES, pageText } from "../support/docs.js";
import { cli, dist, installedRepo, makeRepo, type Repo, repoAt, SMALL_PROJECT } from "../support/repo.js";

const root = join(dist, "..");
const TEXTS = [...PAGES, "templates/agents.md", "templates/skill.md"];

/** The programs that a reader has. `npm` and `node` only look whether there is what they are asked for. */
const PROGRAMS: Record<string, string> = {
  "ua-hooks": `'${process.execPath}' '${cli}' "$@" || { code=$?; [ "$code" = 1 ] || exit "$code"; }`, // 1 is a finding
  npx: `[ "$1" = ua-hooks ] || exit 9; exec "$@"`,
  npm: `case $1 in
run) shift ;;
install) [ "$2" = ua-hooks ]; exit ;;
start|test) ;;
*) exit 9 ;;
esac
grep -q "^    \\"$1\\": " '${root}/package.json'`,
  node: `[ -f "${root}/$1" ]`,
};

const HARBOUR = {
  name: "docs",
  files: {
    ...SMALL_PROJECT,
    "src/client.ts": "export function retry(): number {\n  return 3;\n}\n",
    ".claude/sessions/.active-session": "harbour\n",
    ".claude/sessions/harbour/context.md": "# Context\n",
  },
};

/** A project that has everything that the pages mention, and a pending update. */
function preparedRepo(t: TestContext): Repo {
  const repo = installedRepo(t, HARBOUR);
  const bin = join(repo.base, "bin");
  mkdirSync(bin);
  for (const [name, script] of Object.entries(PROGRAMS))
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  repo.git("clone", "-q", "--bare", ".", "../origin.git");
  repo.git("remote", "add", "origin", "../origin.git");
  repo.commit("parameter", {
    "src/b.ts": "export function twice(x: number, y: number): number {\n  return x * y;\n}\n",
  });
  return repoAt(repo.dir, repo.base, { ...repo.env, PATH: `${bin}:${process.env.PATH}` });
}

for (const page of TEXTS.filter((each) => fences(each, "sh").length > 0)) {
  test(`${page}: every command in its blocks runs`, (t) => {
    const repo = preparedRepo(t);
    for (const block of fences(page, "sh")) {
      // Ids are made up on a page; here it is the one that the line before has made.
      const id = "$(ua-hooks record list --json | grep -o 'r-[0-9a-f]*' | head -n 1)";
      const script = block.replace(/\br-[0-9a-f]{10}\b/g, id);
      const { status, stdout, stderr } = spawnSync("bash", ["-eu", "-c", script], {
        ...{ cwd: repo.dir, env: repo.env, encoding: "utf8", input: '{ "updates": [] }' },
      });
      assert.equal(status, 0, `${block}\n${stdout}${stderr}`);
    }
  });
}

/** `ua-hooks why src/a.ts` anywhere in the text, without what is only a name for something. */
function inlineCommands(): Map<string, string> {
  const found = new Map<string, string>();
  for (const page of TEXTS) {
    const text = pageText(page).replace(/^```[\s\S]*?^```$/gm, "");
    for (const [, command = ""] of text.matchAll(/`(?:npx )?ua-hooks\s+([a-z][^`]*)`/g)) found.set(command, page);
  }
  return found;
}

test("every command that the text names is there, with its verbs and options", (t) => {
  const repo = makeRepo(t);
  const unknown: string[] = [];
  for (const [command, page] of inlineCommands()) {
    const words = command
      .replace(/<[^>]*>|…/g, "x")
      .replace(/["']/g, "")
      .split(/\s+/);
    const { code, stdout } = repo.ua(...words, "--help");
    const verb = ["record", "registry", "context"].includes(words[0] ?? "") ? words[1] : undefined;
    const known = verb === undefined || verb.startsWith("-") || new RegExp(`\\b${verb}\\b`).test(stdout);
    if (code !== 0 || !known) unknown.push(`${page}: ua-hooks ${command}`);
  }
  assert.deepEqual(unknown, []);
});

/** Options of git, npm and others that the pages mention. */
const FOREIGN = new Set([
  "--force",
  "--part",
  "--quick",
  "--only",
  "--latest",
  "--write",
  "--stdin-paths",
  "--separate-git-dir",
]);

test("every option that the text names is one of ours, or a known one of another program", (t) => {
  const repo = makeRepo(t);
  const known = new Set(repo.ua("completions", "bash").stdout.match(/--[a-z0-9-]+/g));
  const unknown: string[] = [];
  for (const page of TEXTS)
    for (const [, option = ""] of pageText(page).matchAll(/`(--[a-z][a-z0-9-]*)/g))
      if (!known.has(option) && !FOREIGN.has(option)) unknown.push(`${page}: ${option}`);
  assert.deepEqual(unknown, []);
});

test("docs/commands.md lists every command that help lists", (t) => {
  const help = makeRepo(t).ua("--help").stdout;
  const names = [...help.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map((match) => match[1] ?? "");
  assert.ok(names.length > 20, help);
  const page = pageText("docs/commands.md");
  assert.deepEqual(
    names.filter((name) => !page.includes(`\`ua-hooks ${name}\``)),
    [],
  );
});

/** As forges make an anchor of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

test("links and pictures lead somewhere", () => {
  const dead: string[] = [];
  for (const page of PAGES) {
    for (const [, link = ""] of pageText(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link)) continue;
      const [path = "", anchor] = link.split("#");
      const file = path === "" ? page : join(page, "..", path);
      if (!existsSync(join(root, file))) dead.push(`${page}: ${link}`);
      else if (anchor !== undefined) {
        const headings = [...pageText(file).matchAll(/^#+ (.*)$/gm)].map((match) => anchorOf(match[1] ?? ""));
        if (!headings.includes(anchor)) dead.push(`${page}: ${link}`);
      }
    }
  }
  assert.deepEqual(dead, []);
});

/** Pages on which a path is one of this repository. */
const OF_OURS = [
  ...["CONTRIBUTING.md", "docs/architecture.md", "docs/decisions.md", "docs/install.md", "docs/agents.md"],
  ...["docs/invariants.md", "docs/testing.md"],
];

test("files of this repository that the pages name are there", () => {
  const gone: string[] = [];
  const everyFile = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  for (const page of OF_OURS) {
    const text = pageText(page);
    const isExample = (path: string) => /^src\/(a|b|new|client)\.ts$/.test(path);
    for (const [path] of text.matchAll(/(?<![\w./-])(?:src|hooks|templates|scripts|test|bench|schemas)\/[\w./-]*\w/g))
      if (!existsSync(join(root, path)) && !isExample(path)) gone.push(`${page}: ${path}`);
    // In a picture and in a table the folder alone may stand in front: `freshness/decide.ts`, or nothing at all.
    for (const [name] of text.matchAll(/(?<![\w./-])(?:[a-z-]+\/)?[a-z-]+\.ts\b/g))
      if (
        !existsSync(join(root, name)) &&
        !isExample(name) &&
        !everyFile.some((file) => `/${file}`.endsWith(`/${name}`))
      )
        gone.push(`${page}: ${name}`);
  }
  assert.deepEqual(gone, []);
});

test("the recorded terminal is what the commands print today", (t) => {
  const svg = readFileSync(join(root, "docs/images/terminal.svg"), "utf8");
  assert.ok(svg.length < 60_000);
  assert.match(svg, /prefers-color-scheme: dark/);
  if (spawnSync("script", ["--version"]).error !== undefined) return t.skip("there is no script here");
  const file = join(makeRepo(t).base, "now.svg");
  const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/picture.mjs"), file], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  const now = readFileSync(file, "utf8");
  if (now.includes("git 2.54")) return t.skip("this git has config hooks: install words differ");
  assert.equal(now, svg, "node scripts/picture.mjs makes it anew");
});
