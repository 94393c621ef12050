import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { mount } from "../support/mounts.js";
import { makeRepo, type Repo, repoAt, SMALL_PROJECT } from "../support/repo.js";

/** Hooks folders, exclude files and mounts that are not this clone's alone, or cannot run anything. */

const OWN = "#!/bin/sh\necho own >>.git/ran\n";

function withLinkedHooks(repo: Repo, target: string): void {
  rmSync(join(repo.dir, ".git/hooks"), { recursive: true, force: true });
  symlinkSync(target, join(repo.dir, ".git/hooks"));
}

test(".git/hooks as a link to a tracked folder: nothing tracked is written unasked, nothing untracked shows", (t) => {
  const repo = makeRepo(t);
  repo.write({ ...SMALL_PROJECT, "githooks/post-commit": OWN });
  chmodSync(join(repo.dir, "githooks/post-commit"), 0o755);
  repo.commit("start");
  withLinkedHooks(repo, "../githooks");
  const { code, stdout } = repo.ua("install");
  assert.equal(code, 0);
  assert.equal(repo.git("status", "--porcelain"), "");
  assert.equal(repo.read("githooks/post-commit"), OWN);
  assert.match(stdout, /post-commit was not changed/);
  assert.ok(lstatSync(join(repo.dir, ".git/hooks")).isSymbolicLink());
  repo.git("checkout", "-q", "-b", "side");
  repo.commit("due", { "src/b.ts": "export const b = 1;\n" });
  repo.git("checkout", "-q", "main");
  repo.git("merge", "-q", "side");
  assert.equal(repo.marker()?.head.commit, repo.head(), "the events whose files are ours are seen");
  assert.equal(repo.ua("uninstall", "--purge", "--yes").code, 0);
  assert.equal(repo.git("status", "--porcelain"), "");
  assert.deepEqual(readdirSync(join(repo.dir, "githooks")), ["post-commit"]);
});

test(".git/hooks as a link to a folder outside: install is refused, and says which folder", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", SMALL_PROJECT);
  const shared = join(repo.base, "shared");
  mkdirSync(shared);
  writeFileSync(join(shared, "pre-commit"), OWN);
  withLinkedHooks(repo, shared);
  const { code, stderr } = repo.ua("install", "--yes");
  assert.equal(code, 5);
  assert.match(stderr, new RegExp(`hooks from ${shared} \\(which is a link\\)`));
  assert.deepEqual(readdirSync(shared), ["pre-commit"]);
  assert.equal(repo.ua("install", "--yes", "--manager", "hooks-path").code, 0, "named, it is written");
  assert.equal(readdirSync(shared).length, 5);
  assert.equal(repo.ua("uninstall", "--purge", "--yes").code, 0);
  assert.deepEqual(readdirSync(shared), ["pre-commit"]);
});

for (const linked of ["info/exclude", "info"]) {
  test(`.git/${linked} as a link is left alone, and install says what to do`, (t) => {
    const repo = makeRepo(t);
    repo.commit("start", SMALL_PROJECT);
    const target = join(repo.base, "dotfiles");
    mkdirSync(target);
    writeFileSync(join(target, "exclude"), "*.o\n");
    rmSync(join(repo.dir, ".git", linked), { recursive: true, force: true });
    symlinkSync(linked === "info" ? target : join(target, "exclude"), join(repo.dir, ".git", linked));
    const { code, stdout } = repo.ua("install");
    assert.equal(code, 0);
    assert.match(stdout, /is a link and was left as it is.*\/\.understand-anything\/pending-update\*\.json/s);
    assert.equal(readFileSync(join(target, "exclude"), "utf8"), "*.o\n");
    assert.equal(repo.ua("uninstall", "--purge", "--yes").code, 0);
    assert.ok(lstatSync(join(repo.dir, ".git", linked)).isSymbolicLink());
    assert.equal(readFileSync(join(target, "exclude"), "utf8"), "*.o\n");
  });
}

test("on a mount without run rights git prints nothing more than before, and install and status say why", (t) => {
  const around = makeRepo(t);
  const dir = join(around.base, "mounted");
  mkdirSync(dir);
  if (!mount("-t", "tmpfs", "-o", "size=100m,noexec", "none", dir)) return t.skip("only root can mount");
  try {
    const repo = repoAt(join(dir, "repo"), around.base, around.env);
    mkdirSync(repo.dir);
    repo.git("init", "-q");
    repo.commit("start", SMALL_PROJECT);
    const { code, stdout } = repo.ua("install");
    assert.equal(code, 0);
    assert.match(stdout, /programs cannot run there/);
    repo.write({ "src/b.ts": "export const b = 1;\n" });
    const said = repo.tryGit("commit", "-q", "-a", "-m", "due");
    assert.deepEqual([said.stdout, said.stderr], ["", ""]);
    const status = repo.uaJson<{ status: string; hooks: { warning: string } }>("status");
    assert.equal(status.status, "pending", "reads verify");
    assert.match(status.hooks.warning, /programs cannot run there/);
    assert.ok(!readdirSync(join(repo.dir, ".git/hooks")).includes("post-commit"));
  } finally {
    spawnSync("umount", ["--lazy", dir]); // before the folder goes
  }
});
