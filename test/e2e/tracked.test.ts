import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { analysisOf, applyTo, summaries } from "../support/agent.js";
import { installedRepo, type Repo } from "../support/repo.js";

const FOLDER = ".understand-anything";
const NAMES = ["knowledge-graph.json", "fingerprints.json", "meta.json", "config.json"];

/** An installed repository whose artefacts are committed, with a branch `old` that has none of them. */
function trackedRepo(t: TestContext): Repo {
  const repo = installedRepo(t);
  repo.git("branch", "old");
  repo.write({ [`${FOLDER}/config.json`]: '{ "outputLanguage": "de" }\n' });
  repo.git("add", "-f", ...NAMES.map((name) => join(FOLDER, name)));
  repo.commit("the artefacts");
  assert.equal(repo.git("ls-files", FOLDER).split("\n").length, 4);
  return repo;
}

const clean = (repo: Repo, when: string) => assert.equal(repo.git("status", "--porcelain"), "", when);
const liveMeta = (repo: Repo) =>
  JSON.parse(readFileSync(join(repo.dir, ".git/ua-hooks/data/meta.json"), "utf8")) as { gitCommitHash: string };
const withComment = (repo: Repo, text: string) => ({ "src/b.ts": `// ${text}\n${repo.read("src/b.ts")}` });
const withParameter = (repo: Repo, name: string) => ({
  "src/b.ts": repo.read("src/b.ts").replace("x: number", `x: number, ${name} = 1`),
});

test("tracked artefacts: committing them is no change, and a comment commit leaves the tree clean", (t) => {
  const repo = trackedRepo(t);
  assert.equal(repo.marker(), null);
  clean(repo, "after committing the artefacts");
  const meta = repo.read(`${FOLDER}/meta.json`);
  for (const text of ["one", "two"]) {
    const head = repo.commit(text, withComment(repo, text));
    clean(repo, text);
    assert.equal(repo.read(`${FOLDER}/meta.json`), meta, "the tracked file is not ours to write");
    assert.equal(liveMeta(repo).gitCommitHash, head, "the live copy is in the state dir");
    const status = repo.uaJson("status");
    assert.equal(status.status, "fresh");
    assert.equal(status.lastVerifiedSha, head);
  }
  repo.commit("parameter", withParameter(repo, "y"));
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"]);
  clean(repo, "with a marker");
});

test("tracked artefacts: checkout of a branch without them and back goes on", (t) => {
  const repo = trackedRepo(t);
  const comment = repo.commit("comment", withComment(repo, "one"));
  repo.git("checkout", "-q", "old");
  clean(repo, "on the old branch");
  assert.ok(existsSync(join(repo.dir, FOLDER, "knowledge-graph.json")), "ignored there, it comes back from the store");
  repo.commit("old", withComment(repo, "old"));
  clean(repo, "a commit on the old branch");
  repo.git("checkout", "-q", "main");
  clean(repo, "back on main");
  const status = repo.uaJson("status");
  assert.equal(status.status, "fresh");
  assert.equal(status.lastVerifiedSha, comment);
  repo.commit("parameter", withParameter(repo, "y"));
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"]);
  repo.git("checkout", "-q", "old");
  clean(repo, "a marker in the data dir is in nobody's way");
  repo.git("checkout", "-q", "main");
  assert.deepEqual(repo.uaJson("pending").filesToReanalyze, ["src/b.ts"]);
});

test("tracked artefacts: rebase and merge go on", (t) => {
  const repo = trackedRepo(t);
  repo.git("checkout", "-q", "-b", "topic");
  repo.commit("topic comment", withComment(repo, "topic"));
  repo.commit("topic file", { "src/c.ts": "export const c = 1;\n" });
  repo.git("checkout", "-q", "main");
  repo.commit("main", { "README.md": "hello\n" });
  repo.git("checkout", "-q", "topic");
  repo.git("rebase", "-q", "main");
  clean(repo, "after the rebase");
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/c.ts"]);
  assert.equal(repo.marker()?.head.commit, repo.head());
  repo.git("checkout", "-q", "main");
  repo.git("merge", "-q", "--no-ff", "topic", "-m", "merge");
  clean(repo, "after the merge");
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/c.ts"]);
  repo.git("checkout", "-q", "--detach", "old");
  repo.git("rebase", "-q", "main");
  clean(repo, "a rebase from where they are not to where they are");
});

test("tracked artefacts: install on a branch without them does not forget that others have them", (t) => {
  const repo = trackedRepo(t);
  repo.git("checkout", "-q", "old");
  assert.equal(repo.ua("install", "--no-init").code, 0);
  repo.git("checkout", "-q", "main");
  repo.commit("comment", withComment(repo, "one"));
  clean(repo, "the next comment commit");
});

test("tracked artefacts: those that another tool commits are taken as the new baseline", (t) => {
  const repo = trackedRepo(t);
  repo.commit("comment", withComment(repo, "one"));
  const analysed = repo.commit("new file", { "src/c.ts": "export const c = 1;\n" });
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/c.ts"]);
  // Another tool re-analyses: graph, then meta, in the tracked files; its own fingerprints know nothing of ours.
  const graph = JSON.parse(repo.read(`${FOLDER}/knowledge-graph.json`));
  const node = { id: "file:src/c.ts", type: "file", name: "c.ts", filePath: "src/c.ts", summary: "", tags: [] };
  graph.nodes.push({ ...node, complexity: "simple" });
  graph.layers[0].nodeIds.push(node.id);
  graph.project.gitCommitHash = analysed;
  const meta = { ...JSON.parse(repo.read(`${FOLDER}/meta.json`)), gitCommitHash: analysed, lastAnalyzedAt: "later" };
  const files = { [`${FOLDER}/knowledge-graph.json`]: graph, [`${FOLDER}/meta.json`]: meta };
  for (const [path, value] of Object.entries(files)) repo.write({ [path]: JSON.stringify(value) });
  const head = repo.commit("re-analysed");
  assert.equal(repo.marker(), null);
  const status = repo.uaJson("status");
  assert.deepEqual([status.status, status.lastVerifiedSha], ["fresh", head]);
  clean(repo, "in the end");
});

test("tracked artefacts: a branch whose graph is older than the store says so, and export writes what was described", (t) => {
  const repo = installedRepo(t);
  repo.write({ [`${FOLDER}/config.json`]: "{}" });
  repo.commit("parameter", withParameter(repo, "y"));
  repo.git("checkout", "-q", "-b", "tracks");
  repo.git("add", "-f", ...NAMES.map((name) => join(FOLDER, name)));
  repo.commit("the artefacts, before anybody described the change");
  repo.git("checkout", "-q", "main");
  assert.deepEqual(repo.uaJson("status").unwritten, []);
  applyTo(repo, analysisOf(repo, ["src/b.ts"], "described"));
  repo.git("checkout", "-q", "tracks");
  const { status, unwritten } = repo.uaJson("status");
  assert.deepEqual([status, unwritten], ["fresh", ["knowledge-graph.json", "fingerprints.json"]]);
  clean(repo, "readers do not write tracked files");
  assert.match(repo.ua("status").stdout, /Tracked +knowledge-graph\.json.*older than what is stored.*ua-hooks export/);
  assert.equal(repo.ua("export").code, 0);
  assert.equal(summaries(repo).get("file:src/b.ts"), "described: src/b.ts");
  assert.deepEqual(repo.uaJson("status").unwritten, []);
});
