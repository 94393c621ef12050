import assert from "node:assert/strict";
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { installedRepo, makeRepo, type Repo, repoAt, SMALL_PROJECT } from "../support/repo.js";

/** Our own files in the work tree must never be in git's way (invariant "git never notices"). */

const DUE = { "src/b.ts": "export function twice(x: number, y: number): number {\n  return x * y;\n}\n" };
const body = (text: string) => ({
  "src/b.ts": `export function twice(x: number, y: number): number {\n  ${text}\n}\n`,
});

function assertClean(repo: Repo, when: string): void {
  assert.equal(repo.git("status", "--porcelain"), "", when);
}

test("a committed marker is never rewritten by a hook: the one that counts is in the state dir", (t) => {
  const repo = installedRepo(t);
  const start = repo.head();
  repo.commit("due", DUE);
  repo.git("worktree", "add", "-q", "-b", "side", join(repo.base, "tree"));
  assert.ok(repo.has(".understand-anything/pending-update.tree.json"), "another worktree's, which is not committed");
  repo.git("add", "-f", ".understand-anything/pending-update.json", ".understand-anything/meta.json");
  repo.git("commit", "-q", "-m", "share all of it");
  const committed = repo.read(".understand-anything/pending-update.json");
  assertClean(repo, "after the commit that tracks it");
  assert.ok(!repo.has(".understand-anything/pending-update.tree.json"));

  repo.commit("more", { "src/new.ts": "export const n = 1;\n" });
  assertClean(repo, "after a commit that changes what is pending");
  assert.equal(repo.read(".understand-anything/pending-update.json"), committed);
  const { status, pending } = repo.uaJson<{ status: string; pending: { head: { commit: string } } }>("status");
  assert.deepEqual([status, pending.head.commit], ["pending", repo.head()], "commands answer from the one that counts");
  const tree = repo.at(join(repo.base, "tree"));
  assert.equal(tree.uaJson<{ pending: { worktree: { id: string } } }>("status").pending.worktree.id, "tree");

  repo.git("switch", "-q", "--detach", start);
  assert.equal(repo.uaJson("status").status, "fresh");
  repo.git("switch", "-q", "main");
  assertClean(repo, "after two checkouts");
  assert.equal(repo.ua("run").code, 0);
  assert.equal(repo.uaJson("status").pending, null);
  assert.equal(repo.read(".understand-anything/pending-update.json"), committed, "nor by a command");
  const { code } = repo.ua("uninstall", "--purge", "--yes");
  assert.equal(code, 0);
  assert.ok(!repo.has(".git/ua-hooks"));
});

test("a clone of a repository whose marker is committed leaves it alone from the start", (t) => {
  const repo = installedRepo(t);
  repo.commit("due", DUE);
  repo.git("add", "-f", ".understand-anything/pending-update.json");
  repo.git("commit", "-q", "-m", "share it");
  const clone = repoAt(join(repo.base, "clone"), repo.base, repo.env);
  repo.git("clone", "-q", repo.dir, clone.dir);
  assert.equal(clone.ua("install").code, 0);
  assertClean(clone, "after install");
  clone.commit("more", { "src/new.ts": "export const n = 1;\n" });
  assertClean(clone, "after a commit");
  assert.equal(clone.uaJson("status").status, "pending");
});

test("a data dir that is a link inside of the project is refused, and nothing is written through it", (t) => {
  const repo = makeRepo(t);
  mkdirSync(join(repo.dir, "docs/ua"), { recursive: true });
  symlinkSync("docs/ua", join(repo.dir, ".understand-anything"));
  repo.commit("start", SMALL_PROJECT);
  const { code, stderr } = repo.ua("install");
  assert.equal(code, 5);
  assert.match(stderr, /\.understand-anything is a symbolic link/);
  assert.deepEqual(readdirSync(join(repo.dir, "docs/ua")), []);
  assert.ok(!repo.has(".git/ua-hooks/env"));
});

test("a data dir that a checkout made a tracked link is refused by hooks, which say why and write nothing", (t) => {
  const repo = installedRepo(t);
  repo.git("add", "-f", ".understand-anything");
  repo.git("commit", "-q", "-m", "share");
  repo.git("mv", ".understand-anything", "shared");
  symlinkSync("shared", join(repo.dir, ".understand-anything"));
  repo.commit("a link");
  const before = readdirSync(join(repo.dir, "shared")).map((name) => [
    name,
    readFileSync(join(repo.dir, "shared", name)),
  ]);
  repo.commit("due", DUE);
  assertClean(repo, "after a commit");
  const after = readdirSync(join(repo.dir, "shared")).map((name) => [
    name,
    readFileSync(join(repo.dir, "shared", name)),
  ]);
  assert.deepEqual(after, before);
  assert.ok(lstatSync(join(repo.dir, ".understand-anything")).isSymbolicLink());
  const { code, stderr } = repo.ua("status");
  assert.equal(code, 5);
  assert.match(stderr, /is a symbolic link/);
});

test("a data dir that is a submodule is refused, by install and by hooks that find one: nothing in it changes", (t) => {
  const repo = installedRepo(t);
  const kept = makeRepo(t);
  kept.commit("knowledge", { "knowledge-graph.json": repo.read(".understand-anything/knowledge-graph.json") });
  rmSync(join(repo.dir, ".understand-anything"), { recursive: true });
  repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", kept.dir, ".understand-anything");
  repo.git("commit", "-q", "-m", "submodule");
  repo.commit("due", DUE);
  assert.equal(repo.git("status", "--porcelain"), "", "git reports no change in the submodule");
  for (const command of ["status", "install"]) {
    const { code, stderr } = repo.ua(command);
    assert.equal(code, 5);
    assert.match(stderr, /\.understand-anything is a git repository of its own, a submodule for example/);
  }
  assert.equal(repo.git("status", "--porcelain"), "");
});

for (const read of [false, true]) {
  test(`git stash --all, a commit${read ? " and a read" : ""}, git stash pop: everything is back`, (t) => {
    const repo = installedRepo(t);
    const graph = repo.read(".understand-anything/knowledge-graph.json");
    repo.commit("due", DUE);
    repo.write({ "notes.txt": "work\n" });
    repo.git("stash", "-q", "--all");
    repo.git("commit", "-q", "--allow-empty", "-m", "between");
    repo.commit("and more", body("return y;"));
    if (read) {
      const { status, reason } = repo.uaJson<{ status: string; reason: string }>("status");
      assert.equal(status, "unknown");
      assert.match(reason, /is in a stash/);
    }
    const { code, stderr } = repo.tryGit("stash", "pop");
    assert.equal(code, 0, stderr);
    assert.equal(repo.read("notes.txt"), "work\n");
    assert.equal(repo.read(".understand-anything/knowledge-graph.json"), graph);
    assert.equal(repo.uaJson("status").status, "pending");
  });
}

test("once the stash is dropped, the data dir comes back by itself", (t) => {
  const repo = installedRepo(t);
  const graph = repo.read(".understand-anything/knowledge-graph.json");
  repo.git("stash", "-q", "--all");
  assert.equal(repo.uaJson("status").status, "unknown");
  repo.git("stash", "drop", "-q");
  assert.equal(repo.uaJson("status").status, "fresh");
  assert.equal(repo.read(".understand-anything/knowledge-graph.json"), graph);
});

test("git clean -xfd and git worktree remove meet nothing of ours", (t) => {
  const repo = installedRepo(t);
  const own = repoAt(join(repo.base, "own"), repo.base, { ...repo.env, UNDERSTAND_NO_WORKTREE_REDIRECT: "1" });
  repo.git("worktree", "add", "-q", "-b", "own", own.dir);
  assert.equal(own.ua("install").code, 0);
  own.commit("due", DUE);
  assert.ok(own.has(".understand-anything/pending-update.json"), "a worktree that keeps its data to itself");
  repo.git("clean", "-q", "-xfd");
  repo.commit("due here", DUE);
  assertClean(repo, "after a commit");
  assert.equal(repo.uaJson("status").status, "pending");
  const { code, stderr } = repo.tryGit("worktree", "remove", own.dir);
  assert.equal(code, 0, stderr);
});
