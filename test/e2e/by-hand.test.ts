import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { applyTo, summaries } from "../support/agent.js";
import { cli, installedRepo, type Repo, type Result } from "../support/repo.js";

/** What somebody does without an agent: by what is printed, and nothing else. */

interface Undescribed {
  ids: string[];
  left: number;
  packets: { path: string }[];
}

const undescribed = (repo: Repo) => repo.uaJson<Undescribed>("claim", "--undescribed");

function deliver(repo: Repo, answer: unknown): Result {
  repo.write({ "../answer.json": JSON.stringify(answer) });
  return repo.ua("apply", "--undescribed", "../answer.json");
}

test("what nobody has described is claimed and delivered in parts, and then there is nothing left", (t) => {
  const repo = installedRepo(t);
  assert.match(repo.ua("claim").stdout, /^Nothing is pending\.$/m);
  const lines = repo.ua("claim", "--undescribed").stdout;
  assert.match(lines, /^6 symbols without a description, the most used first\.$/m);
  assert.match(lines, /^ {2}"function:src\/b\.ts:twice": \{ "summary": "…" \}/m);
  const { left, ids, packets } = undescribed(repo);
  assert.deepEqual([left, ids.length, packets.length], [6, 6, 3]);
  const [first = "", ...others] = ids;
  const answer = (some: readonly string[]) => ({
    descriptions: Object.fromEntries(some.map((id) => [id, { summary: `By hand: ${id}.` }])),
  });
  const partly = deliver(repo, answer([first]));
  assert.match(partly.stdout, new RegExp(`^1 symbol described; ${others.length} symbols without one$`, "m"));
  assert.deepEqual(undescribed(repo).ids, others);
  applyTo(repo, answer(others), "--undescribed");
  for (const id of ids) assert.equal(summaries(repo).get(id), `By hand: ${id}.`);
  assert.match(repo.ua("claim", "--undescribed").stdout, /^Every symbol has a description\.$/m);
  assert.equal(repo.uaJson("status").status, "fresh");
});

test("an answer to what was not asked is refused by name; one of which nothing is taken fails", (t) => {
  const repo = installedRepo(t);
  const wrong = { descriptions: { "function:src/b.ts:thrice": { summary: "No such function." } } };
  const { code, stdout } = deliver(repo, wrong);
  assert.equal(code, 5);
  assert.match(stdout, /function:src\/b\.ts:thrice was not taken: it is not at HEAD, is pending, or has a description/);
  const graph = deliver(repo, { nodes: [], edges: [] });
  assert.deepEqual([graph.code, repo.ua("claim", "--undescribed", "--full").code], [2, 2]);
});

test("claim lists what an answer needs, by id", (t) => {
  const repo = installedRepo(t);
  repo.commit("wider", { "src/b.ts": "export function twice(x: number, y = 2): number {\n  return x * y;\n}\n" });
  const { stdout } = repo.ua("claim");
  assert.match(stdout, /^ {2}"function:src\/b\.ts:twice": \{ "summary": "…" \}/m);
  const [, json = ""] = /by these ids:\n(\{[\s\S]*\} \})/.exec(stdout) ?? [];
  assert.equal(Object.keys(JSON.parse(json).descriptions).length > 0, true, "what is shown is JSON");
});

test("why shows what the graph says and in whose words; a name or a file that is not there is an error", (t) => {
  const repo = installedRepo(t);
  assert.match(repo.ua("why", "src/b.ts:twice").stdout, /^Says +\S.*\n +the author's comment, or generated$/m);
  applyTo(repo, { descriptions: { "function:src/b.ts:twice": { summary: "Doubles a number." } } }, "--undescribed");
  assert.match(repo.ua("why", "src/b.ts:twice").stdout, /^Says +Doubles a number\.\n +described by \S+, /m);
  const name = repo.ua("why", "src/b.ts:thrice");
  assert.deepEqual([name.code, name.stderr.split("\n")[0]], [2, "ua-hooks: src/b.ts has no function or class thrice"]);
  assert.deepEqual([repo.ua("why", "src/none.ts").code, repo.ua("why", "src/b.ts").code], [2, 0]);
});

test("a reader that goes away is no error, options may stand before the command, and help takes its name", (t) => {
  const repo = installedRepo(t);
  const script = '"$0" "$1" --help | true; echo "$PIPESTATUS"';
  const { stdout, stderr } = spawnSync("bash", ["-c", script, process.execPath, cli], { env: repo.env });
  assert.deepEqual([`${stdout}`, `${stderr}`], ["0\n", ""]);
  assert.equal(repo.ua("--cwd", repo.dir, "--json", "status").code, 0);
  assert.equal(repo.ua("help", "claim").stdout, repo.ua("claim", "--help").stdout);
});

test("doctor names a config and a graph that cannot be read", (t) => {
  const repo = installedRepo(t);
  const found = () => repo.ua("doctor", "--exit-code");
  assert.match(found().stdout, /config, graph +can be read/);
  repo.write({ ".ua-hooksrc.json": '{ "refesh": 1 }' });
  const config = found();
  assert.deepEqual([config.code, /config, graph .*unknown key "refesh"/.test(config.stdout)], [1, true]);
  repo.write({ ".ua-hooksrc.json": "{}", ".understand-anything/knowledge-graph.json": "{bad" });
  assert.match(found().stdout, /config, graph .*cannot be read/);
});
