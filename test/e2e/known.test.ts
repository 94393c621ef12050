import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { storedAnalysis } from "../../src/knowledge/known.js";
import { locateProject } from "../../src/repository/locate.js";
import { analysisOf, applyTo, GRAPH_FILE, graphOf, summaries } from "../support/agent.js";
import { installedRepo, type Repo } from "../support/repo.js";
import { withState } from "../support/sound.js";
import { runs } from "../support/truth.js";
import { checkGraph } from "../support/whole-graph.js";
import { LONG } from "../support/workers.js";

const FIVE = ["one", "two", "three", "four", "five"].map((name) => `src/${name}.ts`);
const texts = (version: number) =>
  Object.fromEntries(FIVE.map((path) => [path, `export function f${version}(x: number): number {\n  return x;\n}\n`]));

/** What was parsed or analysed since, by the hooks' own log. */
const parsesAfter = (repo: Repo, from: number) =>
  runs(repo)
    .slice(from)
    .reduce((sum, { parses }) => sum + parses, 0);

test("what an agent analysed in a linked worktree is in the main graph when its branch is merged", (t) => {
  const repo = installedRepo(t);
  const before = repo.read(GRAPH_FILE);
  repo.git("worktree", "add", "-q", "-b", "topic", "../tree");
  const tree = repo.at(join(repo.base, "tree"));
  tree.commit("five files", texts(1));
  assert.deepEqual(tree.uaJson<{ filesToReanalyze: string[] }>("claim").filesToReanalyze, [...FIVE].sort());
  const { applied, refused, pending } = applyTo(tree, analysisOf(tree, FIVE, "told"));
  assert.deepEqual([applied.sort(), refused, pending], [[...FIVE].sort(), [], null]);
  assert.equal(repo.marker("pending-update.tree.json"), null);
  assert.equal(repo.read(GRAPH_FILE), before, "a linked worktree never touches the graph");
  assert.equal(tree.uaJson("status").status, "fresh");

  repo.commit("meanwhile", { "README.md": "hello\n" });
  const logged = runs(repo).length;
  repo.git("merge", "-q", "--no-edit", "topic");
  assert.equal(repo.marker(), null, "nothing to pay for");
  assert.equal(parsesAfter(repo, logged), 0, "nothing to parse either");
  for (const path of FIVE) assert.equal(summaries(repo).get(`file:${path}`), `told: ${path}`);
  assert.deepEqual(checkGraph(graphOf(repo)), []);
  assert.equal(repo.uaJson("status").status, "fresh");
});

test("a concept delivered in a linked worktree is in the graph after the merge", (t) => {
  const repo = installedRepo(t);
  repo.git("worktree", "add", "-q", "-b", "topic", "../tree");
  const tree = repo.at(join(repo.base, "tree"));
  tree.commit("one file", { "src/one.ts": texts(1)["src/one.ts"] ?? "" });
  const told = analysisOf(tree, ["src/one.ts"], "told");
  const concept = (id: string) => ({ id, type: "concept", name: id, summary: id, tags: [], complexity: "simple" });
  const link = (source: string, target: string) => ({
    source,
    target,
    type: "related",
    direction: "forward",
    weight: 1,
  });
  const nodes = [...told.nodes, concept("concept:x"), concept("concept:y")];
  const edges = [...told.edges, link("concept:x", "concept:y"), link("concept:x", "file:src/one.ts")];
  assert.equal(applyTo(tree, { ...told, nodes, edges }).pending, null);
  repo.git("merge", "-q", "--no-edit", "topic");
  assert.equal(repo.marker(), null);
  assert.equal(summaries(repo).get("concept:y"), "concept:y");
  const ends = graphOf(repo).edges.filter(({ source }) => source === "concept:x");
  assert.deepEqual(ends.map(({ target }) => target).sort(), ["concept:y", "file:src/one.ts"]);
  assert.deepEqual(checkGraph(graphOf(repo)), []);
});

test("the graph follows switches between two analysed branches, byte for byte, with no analyzer and no parse", (t) => {
  const repo = installedRepo(t);
  repo.git("checkout", "-q", "-b", "topic");
  repo.commit("five files", {
    ...texts(1),
    "src/b.ts": "export function half(x: number): number {\n  return x / 2;\n}\n",
  });
  repo.git("rm", "-q", "tools/run.py");
  repo.commit("and one goes");
  const listed = [...FIVE, "src/b.ts"];
  assert.equal(applyTo(repo, analysisOf(repo, listed, "told")).pending, null);
  const onTopic = repo.read(GRAPH_FILE);
  assert.ok(!onTopic.includes("tools/run.py"));
  repo.git("checkout", "-q", "main");
  const onMain = repo.read(GRAPH_FILE);
  assert.equal(summaries(repo).get("function:src/b.ts:twice"), "Exported function with 1 parameter");
  assert.ok(!onMain.includes("src/one.ts") && onMain.includes("tools/run.py"));
  const logged = runs(repo).length;
  for (let at = 0; at < (LONG ? 10 : 4); at++) {
    repo.git("checkout", "-q", "topic");
    assert.equal(repo.read(GRAPH_FILE), onTopic);
    repo.git("checkout", "-q", "main");
    assert.equal(repo.read(GRAPH_FILE), onMain);
    assert.equal(repo.marker(), null);
  }
  assert.equal(parsesAfter(repo, logged), 0);
  assert.deepEqual(checkGraph(graphOf(repo)), []);
});

test("a revert, and content a little further on, find the analysis that was paid for", (t) => {
  const repo = installedRepo(t);
  const wider = "export function twice(x: number, by = 2): number {\n  return x * by;\n}\n";
  repo.commit("wider", { "src/b.ts": wider });
  assert.equal(applyTo(repo, analysisOf(repo, ["src/b.ts"], "wide")).pending, null);
  repo.git("revert", "--no-edit", "HEAD");
  assert.equal(repo.marker(), null);
  assert.equal(summaries(repo).get("file:src/b.ts"), "TypeScript file with 1 function");
  repo.commit("wider again, with a comment", { "src/b.ts": `// doubles, or more\n${wider}` });
  assert.equal(repo.marker(), null, "no further than its comments from what is known");
  assert.equal(summaries(repo).get("file:src/b.ts"), "wide: src/b.ts");
});

test("an analysis is stored deflated, and one that an earlier program stored as text comes back like it", async (t) => {
  const repo = installedRepo(t);
  repo.commit("wider", { "src/b.ts": "export function twice(x: number, by = 2): number {\n  return x * by;\n}\n" });
  applyTo(repo, analysisOf(repo, ["src/b.ts"], "wide"));
  const project = await locateProject({ cwd: repo.dir, env: {} });
  const oid = repo.git("rev-parse", "HEAD:src/b.ts");
  await withState(project, (db) => {
    const row = db.get<{ data: unknown }>("SELECT data FROM analyses WHERE oid = ?", oid);
    assert.ok(row?.data instanceof Uint8Array);
    const text = JSON.stringify(storedAnalysis(db, "src/b.ts", oid)?.analysis);
    assert.ok(row.data.length < text.length / 2);
    db.run("UPDATE analyses SET data = ? WHERE oid = ?", text, oid);
  });
  const graph = repo.read(GRAPH_FILE);
  repo.git("checkout", "-q", "-b", "before", "HEAD~1");
  assert.notEqual(repo.read(GRAPH_FILE), graph);
  repo.git("checkout", "-q", "main");
  assert.equal(repo.read(GRAPH_FILE), graph);
});

test("a file that moves takes along what was said about it; one that changed on the way is handed out", (t) => {
  const repo = installedRepo(t);
  const twice = (params: string) =>
    `export function twice(${params}): number {\n  const first = x;\n  const second = first;\n  const third = second;\n  return third * 2;\n}\n`;
  repo.commit("wider", { "src/b.ts": twice("x: number, by = 2") });
  applyTo(repo, analysisOf(repo, ["src/b.ts"], "told"));
  repo.git("mv", "src/b.ts", "src/c.ts");
  repo.commit("moved", { "src/a.ts": repo.read("src/a.ts").replace("./b.js", "./c.js") });
  assert.equal(repo.marker()?.reason, "1 file has structural changes: 1 modified", "only the importer");
  assert.equal(summaries(repo).get("function:src/c.ts:twice"), "told: twice");
  assert.equal(summaries(repo).has("file:src/b.ts"), false);
  repo.git("mv", "src/c.ts", "src/d.ts");
  repo.commit("moved and changed", { "src/d.ts": twice("x: number") });
  const marker = repo.marker();
  assert.deepEqual(
    marker?.renamedFiles.map(({ from, to }) => [from, to]),
    [["src/c.ts", "src/d.ts"]],
  );
  assert.deepEqual(marker?.filesToReanalyze, ["src/a.ts", "src/d.ts"]);
  assert.equal(applyTo(repo, analysisOf(repo, ["src/d.ts"], "anew")).pending?.filesToReanalyze.length, 1);
  assert.equal(summaries(repo).get("file:src/d.ts"), "anew: src/d.ts");
  assert.equal(summaries(repo).has("file:src/c.ts"), false);
});
