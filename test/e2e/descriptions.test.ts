import assert from "node:assert/strict";
import { existsSync, renameSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { analysisOf, applyTo, GRAPH_FILE, graphOf, summaries } from "../support/agent.js";
import { installedRepo, makeRepo, type Repo } from "../support/repo.js";

const WIDER = "export function twice(x: number, by = 2): number {\n  return x * by;\n}\n";
const FUNCTION = "function:src/b.ts:twice";

/** A repository in which an agent described src/b.ts. */
function describedRepo(t: TestContext): Repo {
  const repo = installedRepo(t);
  repo.commit("wider", { "src/b.ts": WIDER });
  assert.equal(applyTo(repo, analysisOf(repo, ["src/b.ts"], "agent")).pending, null);
  return repo;
}

const assertDescribed = (repo: Repo, words = "agent") => {
  assert.equal(summaries(repo).get(FUNCTION), `${words}: twice`);
  assert.equal(summaries(repo).get("file:src/b.ts"), `${words}: src/b.ts`);
};

const nodeOf = (one: Repo) => graphOf(one).nodes.find(({ id }) => id === FUNCTION);

test("an old copy of the graph brings nothing new: the description that was delivered since stands", (t) => {
  const repo = describedRepo(t);
  const old = repo.read(GRAPH_FILE);
  applyTo(repo, analysisOf(repo, ["src/b.ts"], "newer"));
  assertDescribed(repo, "newer");
  repo.write({ [GRAPH_FILE]: old });
  assert.equal(repo.uaJson("status").status, "fresh");
  assertDescribed(repo, "newer");
});

test("what a person or another tool writes into the graph stands", (t) => {
  const repo = describedRepo(t);
  repo.write({ [GRAPH_FILE]: repo.read(GRAPH_FILE).replaceAll("agent: ", "person: ") });
  assert.equal(repo.uaJson("status").status, "fresh");
  assertDescribed(repo, "person");
});

test("a graph that was made without a model replaces no description, node by node", (t) => {
  const repo = describedRepo(t);
  const graph = graphOf(repo);
  const plain = graph.nodes.map((node) =>
    node.id === FUNCTION ? { ...node, summary: "Exported function with 2 parameters" } : node,
  );
  repo.write({ [GRAPH_FILE]: JSON.stringify({ ...graph, nodes: plain }, null, 2) });
  repo.uaJson("status");
  assertDescribed(repo);
});

test("a node that is gone from the graph comes back with its description", (t) => {
  const repo = describedRepo(t);
  const graph = graphOf(repo);
  const edges = graph.edges.filter(({ source, target }) => source !== FUNCTION && target !== FUNCTION);
  const nodes = graph.nodes.filter(({ id }) => id !== FUNCTION);
  repo.write({ [GRAPH_FILE]: JSON.stringify({ ...graph, nodes, edges }, null, 2) });
  repo.uaJson("status");
  assertDescribed(repo);
});

test("a torn graph that was moved away, and a deleted one: install, or the next look, brings the descriptions back", (t) => {
  const repo = describedRepo(t);
  const file = join(repo.dir, GRAPH_FILE);
  truncateSync(file, 700);
  assert.equal(repo.ua("status").code, 5);
  renameSync(file, join(repo.base, "torn.json"));
  assert.equal(repo.ua("install", "--yes").code, 0);
  assertDescribed(repo);
  rmSync(file);
  assert.equal(repo.uaJson("status").status, "fresh");
  assertDescribed(repo);
  assert.equal(repo.ua("install", "--yes", "--rebuild").code, 0);
  assertDescribed(repo);
});

test("a visit to a branch that tracks the artefacts: back again, descriptions, config and fingerprints are there", (t) => {
  const repo = describedRepo(t);
  repo.write({ ".understand-anything/config.json": JSON.stringify({ autoUpdate: true, outputLanguage: "de" }) });
  repo.uaJson("status");
  repo.git("clone", "-q", repo.dir, "../colleague");
  const colleague = repo.at(join(repo.base, "colleague"));
  colleague.git("switch", "-qc", "team");
  assert.equal(colleague.ua("install", "--team", "--yes").code, 0);
  const theirs = graphOf(colleague);
  const nodes = theirs.nodes.map((node) => (node.id === "file:src/a.ts" ? { ...node, summary: "theirs" } : node));
  colleague.write({ [GRAPH_FILE]: JSON.stringify({ ...theirs, nodes }, null, 2) });
  colleague.git("add", "-f", ".understand-anything");
  colleague.commit("team");
  repo.git("fetch", "-q", colleague.dir, "team:team");

  repo.git("checkout", "-q", "team");
  assert.equal(repo.uaJson("status").status, "fresh");
  assert.equal(repo.git("status", "--porcelain"), "", "a hook never makes a tracked file dirty");
  repo.git("checkout", "-q", "main");
  assert.equal(repo.uaJson("status").status, "fresh");
  assertDescribed(repo);
  assert.match(repo.read(".understand-anything/config.json"), /"de"/);
  assert.ok(existsSync(join(repo.dir, ".understand-anything/fingerprints.json")));
  assert.notEqual(summaries(repo).get("file:src/a.ts"), "theirs", "what came with the branch is left behind with it");
  repo.git("checkout", "-q", "team");
  repo.git("checkout", "-q", "main");
  assertDescribed(repo);
});

test("a colleague's graph that was made without a model is pulled: the agent's descriptions stay", (t) => {
  const repo = makeRepo(t);
  repo.git("init", "-q", "--bare", "../hub.git");
  repo.git("remote", "add", "origin", "../hub.git");
  repo.commit("start", { "src/b.ts": "export function twice(x: number): number {\n  return x * 2;\n}\n" });
  assert.equal(repo.ua("install", "--team", "--yes").code, 0);
  repo.git("add", "-f", ".understand-anything");
  repo.commit("share");
  repo.commit("wider", { "src/b.ts": WIDER });
  repo.git("push", "-q", "-u", "origin", "main");

  repo.git("clone", "-q", join(repo.base, "hub.git"), "../colleague");
  const colleague = repo.at(join(repo.base, "colleague"));
  colleague.ua("install", "--yes");
  colleague.ua("run");
  colleague.ua("export");
  colleague.git("add", "-f", ".understand-anything");
  colleague.commit("the graph, by run");
  colleague.git("push", "-q");

  assert.equal(applyTo(repo, analysisOf(repo, ["src/b.ts"], "agent")).pending, null);
  repo.git("checkout", "-q", "--", ".understand-anything");
  repo.git("pull", "-q", "--no-rebase", "--no-edit");
  assert.equal(repo.uaJson("status").status, "fresh");
  repo.ua("export");
  assertDescribed(repo);
});

test("a function that moved to another file, or was renamed, keeps its description in a structural update", (t) => {
  const long = (name: string) =>
    `export function ${name}(x: number): number {\n  const parts = [x, x + 1, x + 2];\n  return parts.reduce((sum, one) => sum + one * x, 0);\n}\n`;
  const repo = installedRepo(t);
  repo.commit("two", { "src/one.ts": `${long("first")}${long("second").replace("x + 2", "x + 3")}` });
  // Of the functions alone: a sentence about the whole file would be about another interface then.
  const { nodes, ...result } = analysisOf(repo, ["src/one.ts"], "agent");
  const plain = { summary: "TypeScript file with 2 functions" };
  applyTo(repo, { ...result, nodes: nodes.map((node) => (node.type === "file" ? { ...node, ...plain } : node)) });
  repo.commit("moved and renamed", {
    "src/one.ts": long("renamed"),
    "src/two.ts": long("second").replace("x + 2", "x + 3"),
  });
  repo.uaJson("run");
  assert.equal(summaries(repo).get("function:src/two.ts:second"), "agent: second");
  assert.equal(summaries(repo).get("function:src/one.ts:renamed"), "agent: first");
});

test("a text about an earlier content says so in the graph, and is never stored for another one", (t) => {
  const repo = describedRepo(t);
  const hashes = (one: Repo) => {
    assert.equal(one.ua("export", "--descriptions", "all.jsonl").code, 0);
    const lines = one.read("all.jsonl").trim().split("\n");
    const rows = lines.map((line) => JSON.parse(line) as { type: string; name: string; hash: string });
    return rows.flatMap(({ type, name, hash }) => (`${type} ${name}` === "function twice" ? [hash] : []));
  };
  const [exact] = hashes(repo);
  assert.equal(nodeOf(repo)?.describes, undefined);
  repo.commit("another body", { "src/b.ts": WIDER.replace("x * by", "by * x") });
  assert.equal(repo.ua("run").code, 0);
  assert.deepEqual([nodeOf(repo)?.summary, nodeOf(repo)?.describes], ["agent: twice", exact]);

  rmSync(join(repo.dir, ".git/ua-hooks"), { recursive: true });
  assert.equal(repo.ua("install", "--yes").code, 0);
  assert.deepEqual(hashes(repo), [exact], "by a clone that knows nothing but the graph");
  repo.commit("as it was", { "src/b.ts": WIDER });
  assert.equal(repo.ua("run").code, 0);
  assert.deepEqual([nodeOf(repo)?.summary, nodeOf(repo)?.describes], ["agent: twice", undefined]);
});

test("ack keeps the text for the new content", (t) => {
  const repo = describedRepo(t);
  repo.commit("wider still", { "src/b.ts": WIDER.replace("by = 2", "by = 2, more = 1") });
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"]);
  repo.ua("ack");
  rmSync(join(repo.dir, GRAPH_FILE));
  repo.ua("install", "--yes", "--rebuild");
  assertDescribed(repo);
});

test("ack in a linked worktree keeps the text for the new content: after the merge nothing is asked", (t) => {
  const repo = describedRepo(t);
  repo.git("worktree", "add", "-q", "-b", "topic", "../tree");
  const tree = repo.at(join(repo.base, "tree"));
  tree.commit("wider still", { "src/b.ts": WIDER.replace("by = 2", "by = 2, more = 1") });
  assert.equal(tree.ua("ack").code, 0);
  repo.git("merge", "-q", "topic");
  assert.equal(repo.marker(), null);
  assertDescribed(repo);
  assert.equal(nodeOf(repo)?.describes, undefined, "it is about this content");
});

test("descriptions move to another clone as a file, and an import is whole or nothing", (t) => {
  const repo = describedRepo(t);
  const file = join(repo.base, "descriptions.jsonl");
  assert.equal(repo.uaJson<{ descriptions: number }>("export", "--descriptions", file).descriptions, 2);
  const lines = repo.read("../descriptions.jsonl");
  assert.doesNotMatch(lines, /x \* by/, "no code");

  repo.git("clone", "-q", repo.dir, "../other");
  const other = repo.at(join(repo.base, "other"));
  other.ua("install", "--yes");
  assert.notEqual(summaries(other).get(FUNCTION), "agent: twice");
  for (const bad of [`${lines}{"type":"file"}\n`, `${lines}nonsense\n`]) {
    other.write({ "../bad.jsonl": bad });
    const { code, stderr } = other.ua("import", join(repo.base, "bad.jsonl"));
    assert.equal(code, 2);
    assert.match(stderr, /line 3.*\n.*nothing was imported/);
  }
  const first = other.uaJson<{ read: number; added: number }>("import", file);
  assert.deepEqual([first.read, first.added], [2, 2]);
  assertDescribed(other);
  assert.equal(other.uaJson<{ added: number }>("import", file).added, 0);
  other.ua("export", "--descriptions", file);
  assert.equal(repo.read("../descriptions.jsonl"), lines, "source, author and time are kept");
});
