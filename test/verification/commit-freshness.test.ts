import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type GraphFreshnessResult, getGraphFreshness, getGraphFreshnessBatch } from "../../src/index.js";
import { compareCommits } from "../../src/verification/commit-freshness.js";
import { makeRepo, type Repo } from "../support/repo.js";

const SOURCE = { "src/a.ts": "export const a = 1;\n" };
const NONE = { changedFileCount: 0, changedFiles: [], commitsBehind: 0, commitsAhead: 0 };

/** A repository with one commit, and that commit: what a graph was made from. */
function start(
  t: Parameters<typeof makeRepo>[0],
  files: Record<string, string> = SOURCE,
): [repo: Repo, commit: string] {
  const repo = makeRepo(t);
  return [repo, repo.commit("start", files)];
}

function stale(relation: string, commitsBehind: number, commitsAhead: number, changedFiles: string[]) {
  return {
    status: "stale",
    relation,
    commitsBehind,
    commitsAhead,
    changedFiles,
    changedFileCount: changedFiles.length,
  };
}

test("a graph of HEAD is fresh, by an abbreviated hash too, and the time of the analysis is handed through", async (t) => {
  const [repo, commit] = start(t);
  const fresh = { status: "fresh", graphCommitHash: commit, headCommitHash: commit, ...NONE };
  assert.deepEqual(await getGraphFreshness(repo.dir, { graphCommitHash: commit }), fresh);
  assert.deepEqual(await getGraphFreshness(repo.dir, { graphCommitHash: ` ${commit.slice(0, 9)}\n` }), fresh);
  const lastAnalyzedAt = "2026-01-02T03:04:05.000Z";
  const timed = await getGraphFreshness(repo.dir, { graphCommitHash: commit, lastAnalyzedAt });
  assert.deepEqual(timed, { ...fresh, lastAnalyzedAt });
});

test("staged, unstaged and untracked changes are dirty, each path once and in order", async (t) => {
  const [repo, graphCommitHash] = start(t);
  repo.write({ "src/new.ts": "", "src/a.ts": "export const a = 2;\n", "lib/staged.ts": "" });
  repo.git("add", "src/a.ts", "lib/staged.ts");
  repo.write({ "src/a.ts": "export const a = 3;\n" });
  const changedFiles = ["lib/staged.ts", "src/a.ts", "src/new.ts"];
  assert.deepEqual(await getGraphFreshness(repo.dir, { graphCommitHash }), {
    ...{ status: "dirty", graphCommitHash, headCommitHash: graphCommitHash },
    ...{ changedFileCount: 3, changedFiles, commitsBehind: 0, commitsAhead: 0 },
  });
});

for (const dataDir of [".understand-anything", ".ua"]) {
  test(`what lies in ${dataDir} is no change, committed or not`, async (t) => {
    const [repo, graphCommitHash] = start(t);
    repo.write({ [`${dataDir}/knowledge-graph.json`]: "{}", [`${dataDir}/intermediate/batch.json`]: "{}" });
    assert.equal((await getGraphFreshness(repo.dir, { graphCommitHash })).status, "fresh");
    const headCommitHash = repo.commit("graph");
    const fresh = { status: "fresh", graphCommitHash, headCommitHash, ...NONE };
    assert.deepEqual(await getGraphFreshness(repo.dir, { graphCommitHash }), fresh);
    repo.write({ "src/b.ts": "", [`${dataDir}/meta.json`]: "{}" });
    const beside = await getGraphFreshness(repo.dir, { graphCommitHash });
    assert.deepEqual(["changedFiles" in beside && beside.changedFiles], [["src/b.ts"]]);
  });
}

test("behind, ahead and diverged, with the commits of both sides and uncommitted changes beside the committed", async (t) => {
  const [repo, first] = start(t);
  const second = repo.commit("second", { "src/b.ts": "" });
  const third = repo.commit("third", { "src/a.ts": "export const a = 3;\n" });
  repo.write({ "src/dirty.ts": "" });
  const commits = { graphCommitHash: first, headCommitHash: third };
  const behind = await getGraphFreshness(repo.dir, { graphCommitHash: first });
  assert.deepEqual(behind, { ...commits, ...stale("behind", 2, 0, ["src/a.ts", "src/b.ts", "src/dirty.ts"]) });

  repo.git("clean", "-qfd");
  repo.git("reset", "-q", "--hard", second);
  const ahead = await getGraphFreshness(repo.dir, { graphCommitHash: third });
  assert.deepEqual(ahead, {
    ...{ graphCommitHash: third, headCommitHash: second },
    ...stale("ahead", 0, 1, ["src/a.ts"]),
  });

  const other = repo.commit("other", { "src/c.ts": "" });
  const diverged = await getGraphFreshness(repo.dir, { graphCommitHash: third });
  assert.deepEqual(diverged, {
    ...{ graphCommitHash: third, headCommitHash: other },
    ...stale("diverged", 1, 1, ["src/a.ts", "src/c.ts"]),
  });
});

test("a project that is one folder of a repository: what happens beside it does not count, paths are its own", async (t) => {
  const [repo, graphCommitHash] = start(t, {
    "apps/wéb/src/a.ts": "1\n",
    "apps/api/a.ts": "1\n",
    "apps/api/b.ts": "1\n",
  });
  const dir = join(repo.dir, "apps/wéb");
  repo.commit("beside", { "apps/api/a.ts": "2\n" });
  repo.write({ "apps/api/a.ts": "3\n", "apps/api/b.ts": "2\n", "apps/api/new.ts": "", "top.ts": "" });
  repo.write({ "apps/wéb/.ua/meta.json": "{}" });
  repo.git("add", "apps/api/b.ts");
  const fresh = { status: "fresh", graphCommitHash, headCommitHash: repo.head(), ...NONE };
  assert.deepEqual(await getGraphFreshness(dir, { graphCommitHash }), fresh);

  repo.write({ "apps/wéb/src/new.ts": "" });
  const dirty = await getGraphFreshness(dir, { graphCommitHash });
  assert.deepEqual([dirty.status, "changedFiles" in dirty && dirty.changedFiles], ["dirty", ["src/new.ts"]]);

  repo.commit("within", { "apps/wéb/src/a.ts": "2\n" });
  repo.git("mv", "apps/wéb/src/a.ts", "apps/api/moved.ts");
  repo.commit("moved out");
  const { graphCommitHash: _graph, headCommitHash: _head, ...rest } = await getGraphFreshness(dir, { graphCommitHash });
  assert.deepEqual(rest, stale("behind", 2, 0, ["src/a.ts", "src/new.ts"]));
});

test("a path that only git can spell, and both names of a rename", async (t) => {
  const odd = 'src/a "b"\n文.ts';
  const [repo, graphCommitHash] = start(t, { [odd]: "the same text before and after\n" });
  repo.git("mv", odd, "src/plain.ts");
  repo.commit("renamed");
  const found = await getGraphFreshness(repo.dir, { graphCommitHash });
  assert.deepEqual("changedFiles" in found && found.changedFiles, [odd, "src/plain.ts"]);
});

test("several graphs at once, each against its own commit", async (t) => {
  const [repo, knowledge] = start(t);
  const domain = repo.commit("second", { "src/b.ts": "" });
  const head = repo.commit("third", { "src/c.ts": "" });
  const found = await getGraphFreshnessBatch(repo.dir, {
    knowledge: { graphCommitHash: knowledge },
    domain: { graphCommitHash: domain },
    none: { graphCommitHash: null },
  });
  assert.deepEqual(found, {
    knowledge: { graphCommitHash: knowledge, headCommitHash: head, ...stale("behind", 2, 0, ["src/b.ts", "src/c.ts"]) },
    domain: { graphCommitHash: domain, headCommitHash: head, ...stale("behind", 1, 0, ["src/c.ts"]) },
    none: { status: "unknown", reason: "missing-graph-commit" },
  });
  assert.deepEqual(await getGraphFreshnessBatch(repo.dir, {}), {});
});

test("what cannot be known is unknown, with a code for the reason and what is known all the same", async (t) => {
  const nowhere = makeRepo(t, { init: false });
  const unknown = (dir: string, graphCommitHash?: string): Promise<GraphFreshnessResult> =>
    getGraphFreshness(dir, graphCommitHash === undefined ? {} : { graphCommitHash });
  assert.deepEqual(await unknown(nowhere.dir), { status: "unknown", reason: "missing-graph-commit" });
  assert.deepEqual(await unknown(nowhere.dir, " \t"), { status: "unknown", reason: "missing-graph-commit" });
  const noHead = { status: "unknown", reason: "git-head-unavailable", graphCommitHash: "deadbeef" };
  assert.deepEqual(await unknown(nowhere.dir, "deadbeef"), noHead);
  assert.deepEqual(await unknown(join(nowhere.dir, "not-there"), "deadbeef"), noHead);
  assert.deepEqual(await unknown(makeRepo(t).dir, "deadbeef"), noHead, "no commit yet");
  const [repo, headCommitHash] = start(t);
  for (const graphCommitHash of ["deadbeef", "--output=stolen", "HEAD..HEAD", "HEAD^{tree}"]) {
    assert.deepEqual(await unknown(repo.dir, graphCommitHash), {
      ...{ status: "unknown", reason: "graph-commit-unavailable", graphCommitHash, headCommitHash },
    });
  }
  assert.equal(repo.git("status", "--porcelain"), "");
});

test("a git that does not answer is ended, and the reason says so", async (t) => {
  const { dir, write } = makeRepo(t, { init: false });
  const project = makeRepo(t, { init: false }); // no program below the project is run
  write({ "bin/git": "#!/bin/sh\nexec tail -f /dev/null\n" });
  chmodSync(join(dir, "bin/git"), 0o755);
  const { PATH } = process.env;
  t.after(() => {
    process.env.PATH = PATH;
  });
  process.env.PATH = `${join(dir, "bin")}:${PATH}`;
  const found = await compareCommits(project.dir, { graph: { graphCommitHash: "abc123" } }, 20);
  assert.deepEqual(found, { graph: { status: "unknown", reason: "git-command-timeout", graphCommitHash: "abc123" } });
});
