import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { AnalysisPlan } from "../../src/analyzers/command.js";
import { withContext } from "../../src/repository/context.js";
import { locateProject } from "../../src/repository/locate.js";
import { compareWithClean } from "../../src/updates/run.js";
import { summaries } from "../support/agent.js";
import { type Repo, repoAt, until } from "../support/repo.js";
import { detachedRepo, quiet } from "../support/workers.js";

/** Says something about every file of the plan. */
const ANSWER = `const nodes = plan.filesToReanalyze.map((path) => ({ id: "file:" + path, type: "file", name: path,
  filePath: path, summary: "by command: " + path, tags: [], complexity: "simple" }));
process.stdout.write(JSON.stringify({ files: plan.filesToReanalyze, nodes, edges: [] }));`;

interface Analysed {
  repo: Repo;
  plans(): AnalysisPlan[];
  /** What the command does from now on. */
  become(body: string): void;
  settled(): Promise<void>;
}

/** A clone with a command of its own, outside of the sources, and runners in the background. */
function withCommand(t: TestContext, config: Record<string, unknown>): Analysed {
  const repo = detachedRepo(t);
  const [script, seen] = [join(repo.base, "analyze.cjs"), join(repo.base, "plans")];
  const become = (body: string) =>
    writeFileSync(
      script,
      `const fs = require("node:fs"); const text = fs.readFileSync(0, "utf8"); const plan = JSON.parse(text);
      fs.appendFileSync(${JSON.stringify(seen)}, text + "\\n");\n${body}`,
    );
  become(ANSWER);
  const analyzer = { command: [process.execPath, script] };
  // One that is being written has no end of line yet.
  const plans = () => {
    const lines = existsSync(seen) ? readFileSync(seen, "utf8").split("\n") : [];
    return lines.slice(0, -1).map((line) => JSON.parse(line) as AnalysisPlan);
  };
  const settled = async () => void (await quiet(repo));
  repo.commit("config", { ".ua-hooksrc.json": JSON.stringify({ analyzer, ...config }) });
  return { repo, plans, become, settled };
}

const body = (by: string) => `export function twice(x: number, ${by}: number): number {\n  return x * ${by};\n}\n`;

test("run hands what is pending to the command, once it is trusted", async (t) => {
  const { repo, plans, settled } = withCommand(t, {});
  repo.commit("wider", { "src/b.ts": body("by") });
  await settled();
  const refused = repo.ua("run");
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /not trusted in this clone[\s\S]*ua-hooks trust/);
  assert.deepEqual(plans(), [], "mode is marker: no hook runs it, and untrusted nobody does");
  assert.equal(repo.ua("trust").code, 0);
  repo.write({ ".understand-anything/config.json": '{ "outputLanguage": "German" }' });
  assert.deepEqual(repo.uaJson("run").applied, ["src/b.ts"]);
  assert.equal(summaries(repo).get("file:src/b.ts"), "by command: src/b.ts");
  assert.equal(repo.marker(), null);
  const [plan, ...more] = plans();
  assert.deepEqual([plan?.filesToReanalyze, plan?.outputLanguage, more], [["src/b.ts"], "German", []]);
  assert.equal(repo.uaJson("run").state, "nothing");
  assert.equal(plans().length, 1);
});

test("inline: a worker starts the command after a commit, in the background, only in the graph's worktree", async (t) => {
  const { repo, plans, settled } = withCommand(t, { mode: "inline" });
  repo.commit("wider", { "src/b.ts": body("by") });
  await settled();
  assert.deepEqual(plans(), []);
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"]);
  assert.match(repo.ua("status").stdout, /Analyzer .*not trusted: run `ua-hooks trust` to allow it/);

  assert.equal(repo.ua("trust").code, 0);
  repo.commit("wider still", { "src/b.ts": body("factor") });
  await until(
    "the command's words are in the graph",
    () => summaries(repo).get("file:src/b.ts")?.startsWith("by") === true,
  );
  await settled();
  assert.equal(repo.marker(), null);
  assert.deepEqual(
    plans().map(({ filesToReanalyze }) => filesToReanalyze),
    [["src/b.ts"]],
  );
  assert.deepEqual(await withContext(await locateProject({ cwd: repo.dir, env: {} }), compareWithClean), []);

  repo.git("worktree", "add", "-q", "../side");
  repo.at(join(repo.base, "side")).commit("elsewhere", { "src/c.ts": body("there") });
  await settled();
  assert.equal(plans().length, 1, "a linked worktree's marker is its agent's");

  const many = Array.from({ length: 8 }, (_, at) => [`src/m${at}.ts`, `export const m${at} = ${at};\n`]);
  repo.commit("many", Object.fromEntries(many));
  await settled();
  assert.equal(repo.marker()?.action, "FULL_UPDATE");
  assert.equal(plans().length, 1, "a full update is never started by itself");
});

test("inline in the foreground: git does not wait for the command", async (t) => {
  const { repo, plans, settled } = withCommand(t, { mode: "inline" });
  assert.equal(repo.ua("trust").code, 0);
  const front = repoAt(repo.dir, repo.base, { ...repo.env, UA_HOOKS_FOREGROUND: "1" });
  front.commit("wider", { "src/b.ts": body("by") });
  await until("the command was called", () => plans().length === 1);
  await settled();
  assert.equal(summaries(repo).get("file:src/b.ts"), "by command: src/b.ts");
});

test("inline: three failures at the same content end it, with the node named, until the content changes", async (t) => {
  const { repo, plans, become, settled } = withCommand(t, { mode: "inline" });
  assert.equal(repo.ua("trust").code, 0);
  become(`process.stdout.write('{"files":["src/b.ts"],"nodes":[{"id":"file:src/b.ts"}],"edges":[]}');`);
  repo.commit("wider", { "src/b.ts": body("by") });
  await settled();
  assert.equal(plans().length, 3);
  assert.match(plans()[2]?.previousError ?? "", /Node 0 \(file:src\/b\.ts\) has no "type"/);
  const marker = repo.marker();
  assert.equal(marker?.state, "failed");
  assert.match(marker?.lastError ?? "", /Node 0 \(file:src\/b\.ts\) has no "type"[\s\S]*tried 3 times/);
  assert.match(repo.ua("log").stdout, /has no "type"/);

  repo.commit("elsewhere", { "tools/run.py": "# a comment\ndef run(argument):\n    return argument\n" });
  await settled();
  assert.equal(plans().length, 3, "kept, reported, and no longer tried");
  become(ANSWER);
  repo.commit("another try", { "src/b.ts": body("factor") });
  await until(
    "the command's words are in the graph",
    () => summaries(repo).get("file:src/b.ts")?.startsWith("by") === true,
  );
  await settled();
  assert.equal(repo.marker(), null);
});

test("inline: a command that never ends is ended, and the lock is free meanwhile", async (t) => {
  const { repo, plans, become, settled } = withCommand(t, { mode: "inline", analyzerTimeoutMs: 1_500 });
  assert.equal(repo.ua("trust").code, 0);
  become("setTimeout(() => {}, 60_000);");
  repo.commit("wider", { "src/b.ts": body("by") });
  await until("the command is at work", () => plans().length === 1);
  assert.equal(repo.uaJson<{ pending: { state: string } }>("status").pending.state, "claimed", "status does not wait");
  assert.equal(repo.ua("claim").code, 4, "its lease keeps others off");
  await settled();
  assert.equal(repo.marker()?.state, "failed");
  assert.match(repo.marker()?.lastError ?? "", /longer than 1500 ms/);
});
