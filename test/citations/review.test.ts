import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRepo, type Repo } from "../support/repo.js";

interface Check {
  action: string;
  docs?: { broken: { file: string; line: number; target: string; verdict: string; to?: string }[] };
}

const brief = ({ docs }: Check): string[] | undefined =>
  docs?.broken.map(({ file, line, target, verdict, to }) =>
    [`${file}:${line}`, target, verdict, ...(to === undefined ? [] : [to])].join(" "),
  );

const PORT = `/** Reads a port number, and never fails. */
export function readPort(text: string): number {
  return Number(text);
}
`;

const THROWS = `/** Reads a port number, and never fails. */
export function readPort(text: string): number {
  const value = Number(text);
  if (Number.isNaN(value)) throw new RangeError("not a port");
  return value;
}
`;

function reviewed(t: Parameters<typeof makeRepo>[0]): Repo {
  const repo = makeRepo(t);
  repo.commit("start", {
    "AGENTS.md": "`src/a.ts`, `src/b.ts`, `oldName()`.\n",
    "docs/x.md": "`src/port.ts` stays.\n",
    "src/a.ts": "export const a = 1;\nexport const aa = 2;\n",
    "src/b.ts": "export const b = 1;\nexport const bb = 2;\n",
    "src/c.ts":
      "export function oldName(one: string, two: string): string {\n  return [one, two, one].map((part) => part.trim()).join(':');\n}\n",
    "src/port.ts": PORT,
  });
  repo.git("rm", "-q", "src/b.ts");
  repo.commit("broken before the base");
  repo.git("checkout", "-q", "-b", "change");
  repo.git("mv", "src/a.ts", "src/z.ts");
  repo.commit("the change", {
    "docs/x.md": "`src/port.ts` stays. `src/new.ts` is new.\n",
    "src/new.ts": "export const n = 1;\n",
    "src/c.ts":
      "export function newName(one: string, two: string): string {\n  return [one, two, one].map((part) => part.trim()).join(':');\n}\n",
    "src/port.ts": THROWS,
  });
  repo.git("rm", "-q", "src/new.ts");
  repo.commit("and its own new file");
  return repo;
}

test("check --base lists the lines that this range breaks, and no others", (t) => {
  const repo = reviewed(t);
  assert.deepEqual(brief(repo.uaJson<Check>("check", "--base", "main")), [
    "AGENTS.md:1 src/a.ts moved src/z.ts",
    "AGENTS.md:1 oldName moved newName",
    "docs/x.md:1 src/new.ts gone",
  ]);
  assert.deepEqual(brief(repo.uaJson<Check>("check", "--base", "change")), []);
  assert.deepEqual(brief(repo.uaJson<Check>("check", "--base", "change", "--head", "main")), []);
});

test("check --format: text, json, a comment in Markdown, annotations of GitHub", (t) => {
  const repo = reviewed(t);
  const as = (format: string) => repo.ua("check", "--base", "main", "--format", format).stdout;
  assert.match(as("text"), /^ {2}AGENTS\.md:1: src\/a\.ts is now src\/z\.ts$/m);
  assert.deepEqual(JSON.parse(as("json")).docs.broken.length, 3);
  assert.equal(as("markdown").trimEnd(), MARKDOWN);
  assert.equal(as("github").trimEnd().replace(repo.head().slice(0, 10), "HEAD"), GITHUB);
  const { code, stderr } = repo.ua("check", "--base", "main", "--format", "html");
  assert.equal(code, 2);
  assert.match(stderr, /--format must be one of text, json, markdown, github/);
});

const MARKDOWN = `**ua-hooks**: 2 files to describe again.

| symbol | grade | what |
| --- | --- | --- |
| \`src/c.ts\` | interface | \`its imports, exports or list of symbols changed\` |
| \`readPort in src/port.ts\` | behaviour | \`it now throws or catches errors, its strings or numbers changed\` |

Sentences that are likely false now:

- \`readPort in src/port.ts\`: \`Reads a port number, and never fails.\` (\`it now throws or catches errors, its strings or numbers changed\`)

Lines of documents that this change makes false:

- \`AGENTS.md:1\` names \`src/a.ts\`, which is now \`src/z.ts\`
- \`AGENTS.md:1\` names \`oldName\`, which is now \`newName\`
- \`docs/x.md:1\` names \`src/new.ts\`, which is gone`;

const GITHUB = `::warning file=AGENTS.md,line=1,title=no longer true::AGENTS.md:1: src/a.ts is now src/z.ts
::warning file=AGENTS.md,line=1,title=no longer true::AGENTS.md:1: oldName is now newName (in src/c.ts)
::warning file=docs/x.md,line=1,title=no longer true::docs/x.md:1: src/new.ts is gone (deleted in HEAD)
::warning file=src/port.ts,title=likely false::readPort in src/port.ts: "Reads a port number, and never fails." is likely false now (it now throws or catches errors, its strings or numbers changed)
::notice title=ua-hooks::2 files to describe again.`;

test("no text of a change can act in a comment, and a comment has at most 60 lines", (t) => {
  const repo = makeRepo(t);
  const files = Array.from({ length: 70 }, (_, at) => `src/f${at}.ts`);
  const hostile = "src/@everyone <img src=x onerror=alert(1)> | ](https:) %0A::error::x.ts";
  const write = (body: string) =>
    Object.fromEntries(
      [...files, hostile].map((file, at) => [
        file,
        `/** Never throws. [x](javascript:alert) \`@team\` <b>. */\nexport function f${at}(one: number) {\n${body}\n}\n`,
      ]),
    );
  repo.commit("start", {
    ...write("  return one;"),
    "docs/`<script>`.md": files.map((file) => `\`${file}\`\n`).join(""),
  });
  repo.commit("throw", write("  if (one < 0) throw new RangeError('x');\n  return one;"));
  repo.git("rm", "-q", ...files.slice(10));
  repo.commit("remove", {});
  const markdown = repo.ua("check", "--base", "HEAD~2", "--format", "markdown").stdout;
  assert.ok(markdown.trimEnd().split("\n").length <= 60, markdown);
  // What stands outside of code spans is ours alone.
  const outside = markdown.replace(/`[^`\n]*`/g, "");
  assert.doesNotMatch(outside, /[<>@[\]]|javascript|https/);
  assert.match(markdown, /… and \d+ more/);
  for (const line of repo.ua("check", "--base", "HEAD~2", "--format", "github").stdout.trimEnd().split("\n"))
    assert.match(line, /^::(?:warning|notice) (?:file=[^,:]*,(?:line=\d+,)?)?title=[\w -]+::[^\r\n]+$/);
});
