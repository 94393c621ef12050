import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { locateProject } from "../../src/repository/locate.js";
import { installedRepo, type Repo, repoAt } from "../support/repo.js";
import { installInto, markersIn, wholeRound } from "../support/round.js";

/** The same repository with more in the environment; an empty value is taken out. */
function withEnv(repo: Repo, extra: NodeJS.ProcessEnv, dir = repo.dir): Repo {
  return repoAt(dir, repo.base, { ...repo.env, ...extra });
}

test("UNDERSTAND_NO_WORKTREE_REDIRECT=1 at install keeps a worktree's data in the worktree, for good", (t) => {
  const repo = installedRepo(t);
  const linked = repo.at(join(repo.base, "own"));
  repo.git("worktree", "add", "-q", linked.dir, "-b", "topic");
  installInto(withEnv(linked, { UNDERSTAND_NO_WORKTREE_REDIRECT: "1" }));
  const dataDir = join(linked.dir, ".understand-anything");
  assert.ok(existsSync(join(dataDir, "knowledge-graph.json")));

  // Another shell, without the variable: the pin speaks.
  const marker = wholeRound(linked, { dataDir, id: "own", markerName: "pending-update.json", install: false });
  assert.equal(marker.base.commit, linked.git("rev-parse", "HEAD~1"));
  assert.deepEqual(markersIn(join(repo.dir, ".understand-anything")), [], "the main root has none of it");
  assert.equal(repo.uaJson("status").status, "fresh");

  const other = repo.at(join(repo.base, "other"));
  repo.git("worktree", "add", "-q", other.dir, "-b", "third");
  assert.equal(other.uaJson("status").dataDir, join(repo.dir, ".understand-anything"), "it is that worktree's choice");
});

test("GIT_DIR, GIT_WORK_TREE and GIT_INDEX_FILE of a caller name the project", async (t) => {
  const repo = installedRepo(t);
  const other = repo.at(join(repo.base, "other"));
  mkdirSync(other.dir);
  other.git("init", "-q");
  const linked = repo.at(join(repo.base, "linked"));
  repo.git("worktree", "add", "-q", linked.dir, "-b", "topic");
  const here = await locateProject({ cwd: repo.dir, env: {} });
  const pinned = { UNDERSTAND_NO_WORKTREE_REDIRECT: "1" };
  assert.deepEqual(await locateProject({ cwd: repo.dir, env: pinned }), here, "a main worktree has no redirect");
  const there = await locateProject({ cwd: linked.dir, env: {} });
  const cases: [cwd: string, env: NodeJS.ProcessEnv, expected: typeof here][] = [
    [repo.dir, { GIT_DIR: ".git" }, here],
    [repo.dir, { GIT_DIR: join(repo.dir, ".git"), GIT_WORK_TREE: repo.dir }, here],
    [repo.dir, { GIT_DIR: ".git", GIT_WORK_TREE: ".", GIT_INDEX_FILE: ".git/index.other" }, here],
    [join(repo.dir, "src"), { GIT_DIR: "../.git", GIT_WORK_TREE: ".." }, here],
    [other.dir, { GIT_DIR: join(repo.dir, ".git"), GIT_WORK_TREE: repo.dir }, here],
    [other.dir, { GIT_DIR: "../repo/.git", GIT_WORK_TREE: "../repo" }, here],
    [other.dir, { GIT_DIR: join(repo.dir, ".git") }, here],
    [repo.dir, { GIT_DIR: join(repo.dir, ".git/worktrees/linked") }, there],
    [repo.base, { GIT_DIR: "repo/.git/worktrees/linked", GIT_WORK_TREE: "linked" }, there],
    [linked.dir, { GIT_DIR: ".git" }, there],
  ];
  for (const [cwd, env, expected] of cases) {
    assert.deepEqual(await locateProject({ cwd, env }), expected, JSON.stringify([cwd, env]));
  }
  await assert.rejects(locateProject({ cwd: repo.dir, env: { GIT_DIR: "nowhere" } }), /GIT_DIR is nowhere/);
});

test("a commit made with GIT_DIR, GIT_WORK_TREE and GIT_INDEX_FILE set is verified, and the index stays the caller's", (t) => {
  const repo = installedRepo(t);
  for (const absolute of [true, false]) {
    const at = (path: string) => (absolute ? join(repo.dir, path) : join("repo", path));
    const env = { GIT_DIR: at(".git"), GIT_WORK_TREE: at("."), GIT_INDEX_FILE: join(repo.base, "other-index") };
    const outside = withEnv(repo, env, repo.base);
    repo.write({ "src/b.ts": repo.read("src/b.ts").replace("x: number", "x: number, y: number") });
    const index = readFileSync(join(repo.dir, ".git/index"));
    outside.git("read-tree", "HEAD");
    outside.git("add", "-A");
    assert.deepEqual(outside.tryGit("commit", "-q", "-m", "outside"), { code: 0, stdout: "", stderr: "" });
    assert.equal(repo.marker()?.head.commit, repo.head(), absolute ? "absolute" : "relative");
    assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"]);
    assert.deepEqual(readFileSync(join(repo.dir, ".git/index")), index, "no call of ours wrote the index");
    assert.equal(outside.uaJson("status").status, "pending");
    repo.git("reset", "-q");
  }
});
