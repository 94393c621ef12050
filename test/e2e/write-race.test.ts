import assert from "node:assert/strict";
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { KnowledgeGraph } from "../../src/graph/types.js";
import { artefactStamp, writeArtefact } from "../../src/knowledge/artefacts.js";
import { locateProject } from "../../src/repository/locate.js";
import type { FileStamp } from "../../src/store/files.js";
import { openState } from "../../src/store/state.js";
import { analysisOf } from "../support/agent.js";
import { cli, installedRepo, makeRepo, type Repo, type Result, SMALL_PROJECT, start, until } from "../support/repo.js";

const FOLDER = ".understand-anything";
const GRAPH = `${FOLDER}/knowledge-graph.json`;
const WIDER = { "src/b.ts": (SMALL_PROJECT["src/b.ts"] ?? "").replace("x: number)", "x: number, y = 1)") };

/** Runs a command of ours that stops at `point`; there another program writes, and the command goes on. */
async function whileStopped(repo: Repo, point: string, args: string[], write: () => void): Promise<Result> {
  const go = join(repo.base, `go-${point}`);
  const env = { ...repo.env, UA_HOOKS_FAULT: `${point}:wait=${go}` };
  const running = start(process.execPath, [cli, ...args], { cwd: repo.dir, env });
  await until(`the command is at ${point}`, () => existsSync(`${go}.reached`), 60_000);
  write();
  writeFileSync(go, "");
  return running;
}

/** As most tools write: another file, renamed. */
function replace(repo: Repo, path: string, text: string): void {
  writeFileSync(join(repo.dir, `${path}.other`), text);
  renameSync(join(repo.dir, `${path}.other`), join(repo.dir, path));
}

/** Not of the file that is changing: a description of its old content would stay pending. */
function describeOthers(repo: Repo, words: string): void {
  const graph = JSON.parse(repo.read(GRAPH)) as KnowledgeGraph;
  for (const node of graph.nodes) if (node.filePath !== "src/b.ts") node.summary = `${words} ${node.id}`;
  replace(repo, GRAPH, JSON.stringify(graph, null, 2));
}

const summaries = (repo: Repo) => (JSON.parse(repo.read(GRAPH)) as KnowledgeGraph).nodes.map(({ summary }) => summary);

/** A commit that no hook sees. */
function commitUnseen(repo: Repo): void {
  repo.write(WIDER);
  repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-a", "-m", "wider");
}

for (const point of ["graph.write", "file.rename", "file.renamed", "baseline.write"]) {
  test(`run at ${point}: a graph that another program writes meanwhile is adopted, and the update is made in it`, async (t) => {
    const repo = installedRepo(t);
    commitUnseen(repo);
    const { code, stderr } = await whileStopped(repo, point, ["run"], () => describeOthers(repo, "Of another tool:"));
    assert.equal(code, 0, stderr);
    const kept = summaries(repo).filter((text) => text.startsWith("Of another tool:"));
    const { nodes } = JSON.parse(repo.read(GRAPH)) as KnowledgeGraph;
    assert.equal(kept.length, nodes.filter(({ filePath }) => filePath !== "src/b.ts").length);
    assert.equal(repo.uaJson("status").status, "fresh");
    assert.deepEqual(repo.uaJson<{ differences: string[] }>("verify", "--against-clean").differences, []);
  });
}

test("apply: what was delivered and what another program wrote meanwhile about other files are both in the graph", async (t) => {
  const repo = installedRepo(t);
  commitUnseen(repo);
  const result = join(repo.base, "result.json");
  writeFileSync(result, JSON.stringify(analysisOf(repo, ["src/b.ts"], "Delivered")));
  const { code, stderr } = await whileStopped(repo, "graph.write", ["apply", result], () => {
    const graph = JSON.parse(repo.read(GRAPH)) as KnowledgeGraph;
    for (const node of graph.nodes) if (node.filePath === "src/a.ts") node.summary = "Of another tool";
    replace(repo, GRAPH, JSON.stringify(graph, null, 2));
  });
  assert.equal(code, 0, stderr);
  assert.ok(summaries(repo).includes("Delivered: src/b.ts"), summaries(repo).join());
  assert.ok(summaries(repo).includes("Of another tool"), summaries(repo).join());
  assert.equal(repo.uaJson("status").status, "fresh");
});

test("fingerprints and meta that another program writes meanwhile are not replaced either", async (t) => {
  const repo = installedRepo(t);
  commitUnseen(repo);
  const foreign = (path: string) => {
    const value = { ...(JSON.parse(repo.read(path)) as object), theirs: true };
    replace(repo, path, JSON.stringify(value));
  };
  await whileStopped(repo, "fingerprints.write", ["run"], () => foreign(`${FOLDER}/fingerprints.json`));
  assert.equal(repo.uaJson("status").status, "fresh");
  repo.write({ "src/b.ts": `// a comment\n${WIDER["src/b.ts"]}` });
  repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-a", "-m", "comment");
  await whileStopped(repo, "meta.write", ["status"], () => foreign(`${FOLDER}/meta.json`));
  assert.equal((JSON.parse(repo.read(`${FOLDER}/meta.json`)) as { theirs?: boolean }).theirs, true);
  assert.equal(repo.uaJson("status").status, "fresh");
});

for (const isKnown of [true, false]) {
  const what = isKnown ? "is the baseline, and stays after uninstall --purge" : "stays, though install cannot use it";
  test(`install: a graph that appears while it is at work ${what}`, async (t) => {
    const other = installedRepo(t);
    describeOthers(other, "Of another tool:");
    const repo = makeRepo(t);
    const commit = repo.commit("one", SMALL_PROJECT);
    const theirs = isKnown ? other.read(GRAPH).replaceAll(other.head(), commit) : other.read(GRAPH);
    const appears = () => repo.write({ [GRAPH]: theirs });
    const { code, stdout, stderr } = await whileStopped(repo, "file.rename", ["install", "--json"], appears);
    assert.equal(code, isKnown ? 0 : 6, stderr);
    assert.equal(repo.read(GRAPH), theirs);
    if (!isKnown) return;
    assert.equal((JSON.parse(stdout) as { graph: string }).graph, "found");
    assert.equal(repo.ua("uninstall", "--purge", "--yes").code, 0);
    assert.equal(repo.read(GRAPH), theirs);
  });
}

test("an artefact is replaced only if it is still the one that was read", async (t) => {
  const repo = installedRepo(t);
  const project = await locateProject({ cwd: repo.dir, env: {} });
  const db = await openState(project.stateDir);
  t.after(() => db.close());
  const write = (asRead: FileStamp) => writeArtefact(db, project, "meta.json", {}, { allowTracked: true, asRead });
  const asRead = artefactStamp(project, "meta.json");
  replace(repo, `${FOLDER}/meta.json`, "theirs");
  assert.throws(() => write(asRead), { code: "busy", message: /was written by another program meanwhile/ });
  assert.equal(repo.read(`${FOLDER}/meta.json`), "theirs");
  assert.throws(() => write(null), { code: "busy" }, "there was none, and now there is one");
  write(artefactStamp(project, "meta.json"));
  assert.equal(repo.read(`${FOLDER}/meta.json`), "{}\n");
});
