import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { hear } from "../support/notification.js";
import { installedRepo, type Repo, until } from "../support/repo.js";
import { detached, quiet, stateDir } from "../support/workers.js";

const FILES = {
  "AGENTS.md": "# Rules\n\nRead `src/a.ts` and `src/b.ts`.\n",
  "docs/other.md": "`src/c.ts` is another.\n",
  "src/a.ts": "export function alpha(one: number): number {\n  return one + 1;\n}\nexport const more = 1;\n",
  "src/b.ts": "export function beta(one: number): number {\n  return one + 2;\n}\nexport const less = 1;\n",
  "src/c.ts": "export function gamma(one: number): number {\n  return one + 3;\n}\nexport const few = 1;\n",
};

const citedRepo = (t: TestContext): Repo => installedRepo(t, { name: "cited", files: FILES });

interface Status {
  docs: { brokenLines: number } | null;
}

test("status counts broken lines, of the work tree, in one line", (t) => {
  const repo = citedRepo(t);
  assert.deepEqual(repo.uaJson<Status>("status").docs, { brokenLines: 0 });
  assert.doesNotMatch(repo.ua("status").stdout, /Documents/);
  repo.git("mv", "src/a.ts", "src/z.ts");
  assert.deepEqual(repo.uaJson<Status>("status").docs, { brokenLines: 1 });
  repo.commit("move");
  repo.git("rm", "-q", "src/b.ts", "src/c.ts");
  repo.commit("remove");
  assert.deepEqual(repo.uaJson<Status>("status").docs, { brokenLines: 2 });
  assert.match(repo.ua("status").stdout, /^Documents +2 lines are no longer true: `ua-hooks docs` lists them$/m);
  repo.git("reset", "-q", "--hard", "HEAD~2");
  assert.deepEqual(repo.uaJson<Status>("status").docs, { brokenLines: 0 });
});

test("with the index and without it the answer is the same, whatever was done before", (t) => {
  const repo = citedRepo(t);
  const fresh = () => {
    const clone = repo.at(join(repo.base, `clone-${repo.head().slice(0, 12)}`));
    if (!existsSync(clone.dir)) repo.git("clone", "-q", repo.dir, clone.dir);
    return clone.uaJson<{ broken: unknown[]; citations: number }>("docs");
  };
  const steps: (() => void)[] = [
    () => repo.git("mv", "src/a.ts", "src/y.ts"),
    () => repo.write({ "docs/other.md": "`src/c.ts` is another.\n`alpha()` and `gamma()`, too; `src/` has all.\n" }),
    () => repo.git("mv", "src/y.ts", "src/x.ts"),
    () =>
      repo.write({
        "src/c.ts": "export function delta(one: number): number {\n  return one + 3;\n}\nexport const few = 1;\n",
      }),
    () => repo.git("mv", "AGENTS.md", "CLAUDE.md"),
    () => repo.git("revert", "--no-commit", "HEAD~1"),
    () => repo.write({ "docs/other.md": "`src/c.ts` is another.\n" }),
    () => repo.git("mv", "src/x.ts", "src/a.ts"),
  ];
  for (const [at, step] of steps.entries()) {
    step();
    repo.commit(`step ${at}`);
    const { broken, citations } = repo.uaJson<{ broken: unknown[]; citations: number }>("docs");
    assert.deepEqual(
      { broken, citations },
      (({ broken: b, citations: c }) => ({ broken: b, citations: c }))(fresh()),
      `step ${at}`,
    );
  }
});

const spoken = (stdout: string): string =>
  stdout === ""
    ? ""
    : (JSON.parse(stdout) as { hookSpecificOutput: { additionalContext: string } }).hookSpecificOutput
        .additionalContext;

const tell = async (repo: Repo, session: string, event = "PostToolUse"): Promise<string> => {
  const input = {
    session_id: session,
    hook_event_name: event,
    cwd: repo.dir,
    tool_name: "Bash",
    tool_input: { command: "x" },
  };
  return spoken((await hear(repo, ["claude", event], JSON.stringify(input))).stdout);
};

test("an agent hears of the lines that its own commit broke, once, and not of those of others", async (t) => {
  const repo = detached(citedRepo(t));
  const news = join(stateDir(repo), "broken-lines@..json");
  repo.commit("unrelated", { "src/d.ts": "export const d = 1;\n" });
  await quiet(repo);
  await tell(repo, "mine", "SessionStart");
  await tell(repo, "other", "SessionStart");
  repo.git("mv", "src/a.ts", "src/z.ts");
  repo.commit("move");
  await until("the worker has judged the documents", () => existsSync(news));
  await quiet(repo);
  const first = await tell(repo, "mine");
  assert.match(first, /this commit made 1 line of a document false/);
  assert.match(first, /^"AGENTS\.md" line 3: "src\/a\.ts" is now "src\/z\.ts"$/m);
  assert.doesNotMatch(await tell(repo, "mine"), /line of a document/);
  assert.doesNotMatch(await tell(repo, "other", "UserPromptSubmit"), /line of a document/);
  assert.doesNotMatch(await tell(repo, "new", "SessionStart"), /line of a document/);
});

test("without an index an agent hears nothing of documents", async (t) => {
  const repo = citedRepo(t);
  await tell(repo, "mine", "SessionStart");
  repo.git("mv", "src/a.ts", "src/z.ts");
  repo.commit("move");
  assert.doesNotMatch(await tell(repo, "mine"), /line of a document/);
});
