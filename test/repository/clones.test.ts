import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { installedRepo, makeRepo, type Repo, SMALL_PROJECT } from "../support/repo.js";
import { installInto, startProject, wholeRound } from "../support/round.js";

test("a sha256 repository goes the whole round, without info/ and hooks/ folders too", (t) => {
  const repo = makeRepo(t, { args: ["--object-format=sha256", "--template="] });
  startProject(repo);
  assert.equal(repo.has(".git/info") || repo.has(".git/hooks"), false);
  const marker = wholeRound(repo);
  assert.equal(marker.head.commit.length, 64);
});

test("a reftable repository goes the whole round", (t) => {
  const repo = makeRepo(t, { init: false });
  const { code, stderr } = repo.tryGit("init", "-q", "--ref-format=reftable");
  if (code !== 0) return t.skip(`this git knows no reftable: ${stderr.split("\n")[0]}`);
  startProject(repo);
  wholeRound(repo);
  const linked = repo.at(join(repo.base, "linked"));
  repo.git("worktree", "add", "-q", linked.dir, "-b", "topic", "HEAD~2");
  wholeRound(linked, { dataDir: join(repo.dir, ".understand-anything"), id: "linked", install: false });
});

test("before the first commit install works, and the first commits are verified", (t) => {
  const repo = makeRepo(t);
  installInto(repo);
  assert.equal(repo.uaJson("status").lastVerifiedSha, null);
  assert.equal(repo.uaJson("pending").state, "none");
  const first = repo.commit("first", SMALL_PROJECT);
  assert.deepEqual(repo.marker()?.filesToReanalyze, Object.keys(SMALL_PROJECT).sort(), "all of it is new");
  assert.equal(repo.marker()?.base.commit, null);
  assert.equal(repo.uaJson("status").lastVerifiedSha, first);
  const second = repo.commit("second", { "src/c.ts": "export const c = 1;\n" });
  assert.equal(repo.marker()?.filesToReanalyze.length, 4);
  assert.equal(repo.uaJson("status").lastVerifiedSha, second);
  repo.git("checkout", "-q", "--orphan", "empty");
  assert.equal(repo.uaJson("pending").state, "none", "an orphan branch has nothing yet");
});

test("a detached HEAD goes the whole round, and its marker names no branch", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  repo.git("checkout", "-q", "--detach");
  const marker = wholeRound(repo);
  assert.deepEqual(Object.keys(marker.head), ["commit"]);
});

/** A remote with three commits and everything a partial clone asks for; cloned over the git protocol's own way. */
function cloneOf(t: TestContext, ...args: string[]): { clone: Repo; remote: Repo } {
  const remote = makeRepo(t, { name: "remote" });
  startProject(remote);
  remote.commit("more", { "docs/a.ts": "export const a = 1;\n", "src/b.ts": `// more\n${remote.read("src/b.ts")}` });
  remote.git("config", "uploadpack.allowFilter", "true");
  remote.git("config", "uploadpack.allowAnySHA1InWant", "true");
  const clone = remote.at(join(remote.base, "clone"));
  remote.git("clone", "-q", ...args, `file://${remote.dir}`, clone.dir);
  return { clone, remote };
}

test("a shallow clone goes the whole round", (t) => {
  const { clone } = cloneOf(t, "--depth=1");
  assert.equal(clone.git("rev-parse", "--is-shallow-repository"), "true");
  wholeRound(clone);
});

const missing = (repo: Repo) =>
  repo
    .git("rev-list", "--objects", "--all", "--missing=print")
    .split("\n")
    .filter((line) => line.startsWith("?"));

test("a partial clone goes the whole round, and nothing is fetched for us", (t) => {
  const { clone } = cloneOf(t, "--filter=blob:none");
  const before = missing(clone);
  assert.equal(before.length, 1, "the blob of the first commit was never fetched");
  wholeRound(clone);
  assert.deepEqual(missing(clone), before);
});

test("a partial, sparse clone compares missing blobs by content, without a fetch", (t) => {
  const { clone, remote } = cloneOf(t, "--filter=blob:none", "--sparse");
  clone.git("sparse-checkout", "set", "src");
  const before = missing(clone);
  assert.ok(before.length >= 3, "blobs outside the cone are not there");
  wholeRound(clone);
  assert.deepEqual(missing(clone), before, "install fetched nothing");

  remote.commit("outside the cone", { "docs/a.ts": "export const a = 2;\n" });
  clone.git("pull", "-q", "--rebase");
  const marker = clone.marker();
  assert.deepEqual(marker?.filesToReanalyze, ["docs/a.ts", "src/b.ts"]);
  assert.match(marker?.fileChanges[0]?.details[0] ?? "", /^content changed/);
  assert.equal(existsSync(join(clone.dir, "docs")), false);
});

test("what a partial clone does not have stays pending after `run`, until its content is there", (t) => {
  const { clone, remote } = cloneOf(t, "--filter=blob:none");
  installInto(clone);
  clone.git("sparse-checkout", "set", "src");
  remote.commit("outside the cone", { "docs/a.ts": "export function later(): void {}\n" });
  clone.git("pull", "-q");
  for (const args of [["run"], ["run", "--full"]]) {
    assert.equal(clone.ua(...args).code, 0);
    assert.deepEqual(clone.marker()?.filesToReanalyze, ["docs/a.ts"], args.join(" "));
    assert.equal(clone.uaJson("status").status, "pending");
  }
  clone.git("sparse-checkout", "disable");
  assert.equal(clone.ua("run").code, 0);
  assert.equal(clone.uaJson("status").status, "fresh");
  assert.match(clone.read(".understand-anything/knowledge-graph.json"), /function:docs\/a\.ts:later/);
  assert.deepEqual(clone.uaJson("verify", "--against-clean").differences, []);
});

test("a sparse checkout is compared by its commits, not by what is checked out", (t) => {
  const repo = installedRepo(t);
  repo.git("sparse-checkout", "set", "src");
  assert.equal(repo.has("tools"), false);
  assert.equal(repo.uaJson("status").status, "fresh", "what is not checked out is not deleted");
  wholeRound(repo, { install: false });
});
