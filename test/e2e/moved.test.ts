import assert from "node:assert/strict";
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { installedRepo, makeRepo, type Repo, repoAt } from "../support/repo.js";
import { startProject, wholeRound } from "../support/round.js";

function move(repo: Repo, name: string): Repo {
  const dir = join(repo.base, name);
  renameSync(repo.dir, dir);
  return repo.at(dir);
}

test("a repository that was moved goes on, and its marker has the new path", (t) => {
  const repo = installedRepo(t);
  const moved = move(repo, "moved to ä place");
  assert.equal(moved.uaJson("status").status, "fresh");
  wholeRound(moved, { install: false });
  const again = move(moved, "again");
  assert.equal(again.uaJson<{ worktree: { path: string } }>("pending").worktree.path, again.dir);
  assert.equal(again.marker()?.worktree.path, again.dir, "a read brings the marker up to date");
});

test("a repository with a linked worktree goes on after the move and git worktree repair", (t) => {
  const repo = installedRepo(t);
  const linked = repo.at(join(repo.base, "linked"));
  repo.git("worktree", "add", "-q", linked.dir, "-b", "topic");
  const moved = move(repo, "moved");
  moved.git("worktree", "repair", linked.dir);
  const dataDir = join(moved.dir, ".understand-anything");
  wholeRound(linked, { dataDir, id: "linked", install: false });
  moved.git("worktree", "move", linked.dir, join(repo.base, "linked too"));
  const too = moved.at(join(repo.base, "linked too"));
  assert.equal(too.uaJson<{ worktree: { path: string } }>("pending").worktree.path, too.dir);
  wholeRound(moved, { install: false });
});

test("a separate git dir whose work tree moved with it still finds it", (t) => {
  const base = makeRepo(t, { init: false, name: "both" });
  const repo = base.at(join(base.dir, "tree"));
  mkdirSync(repo.dir);
  repo.git("init", "-q", "--separate-git-dir", "../store");
  startProject(repo);
  assert.equal(repo.ua("install").code, 0);
  const moved = move(base, "elsewhere");
  const tree = moved.at(join(moved.dir, "tree"));
  tree.write({ ".git": "gitdir: ../store\n" });
  wholeRound(tree, { install: false });
});

test("where the program is gone the hooks are silent, and status says what to do", (t) => {
  const repo = installedRepo(t);
  rmSync(join(repo.dir, ".git/ua-hooks/runtime"), { recursive: true });
  repo.write({ "src/c.ts": "export const c = 1;\n" });
  repo.git("add", "-A");
  assert.deepEqual(repo.tryGit("commit", "-q", "-m", "without"), { code: 0, stdout: "", stderr: "" });
  assert.match(repo.ua("status").stdout, /the program that the hooks start is missing: run `ua-hooks install` again/);
});

test("a node that went is replaced by the one on PATH, and without any the hooks are silent", (t) => {
  const repo = installedRepo(t);
  const env = repo.read(".git/ua-hooks/env").split("\n");
  repo.write({ ".git/ua-hooks/env": ["/nowhere/node", ...env.slice(1)].join("\n") });
  wholeRound(repo, { install: false });
  const bin = join(repo.base, "bin");
  mkdirSync(bin);
  for (const name of ["git", "sh"]) {
    const found = (repo.env.PATH ?? "").split(":").find((dir) => existsSync(join(dir, name)));
    symlinkSync(join(found ?? "/usr/bin", name), join(bin, name));
  }
  const bare = repoAt(repo.dir, repo.base, { ...repo.env, PATH: bin });
  bare.write({ "src/c.ts": "export const c = 1;\n" });
  bare.git("add", "-A");
  assert.deepEqual(bare.tryGit("commit", "-q", "-m", "no node"), { code: 0, stdout: "", stderr: "" });
  assert.deepEqual(repo.uaJson("pending").filesToReanalyze, ["src/b.ts", "src/c.ts"], "the next read knows");
});
