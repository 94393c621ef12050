import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type TestContext, test } from "node:test";
import { readHead } from "../../src/git/head.js";
import { isAncestor, namedCommit } from "../../src/git/history.js";
import { GitError, git, gitLineSync, isRefusal, isTimeout } from "../../src/git/run.js";
import { gitTimeout, nextTimeout, recordTimeout } from "../../src/git/time-limit.js";
import { trackedAmong } from "../../src/git/tracked.js";
import { entriesAt, listTree } from "../../src/git/trees.js";
import { clock } from "../../src/platform/clock.js";
import { installedRepo, makeRepo, type Repo, tempDir } from "../support/repo.js";

/** A git that never ends, and has started a program that never ends either. */
function hangingGit(t: TestContext): { folder: string; pids: () => number[] } {
  const folder = tempDir(t);
  const file = join(folder, "pids");
  writeFileSync(join(folder, "git"), `#!/bin/sh\nsleep 600 &\necho $$ $! >>'${file}'\nwait\n`);
  chmodSync(join(folder, "git"), 0o755);
  const pids = () => (existsSync(file) ? readFileSync(file, "utf8").trim().split(/\s+/).map(Number) : []);
  return { folder, pids };
}

/** A process that was killed is there as a zombie until its parent, here init, has looked. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}

function withPath(t: TestContext, folder: string): void {
  const before = process.env.PATH;
  process.env.PATH = `${folder}${delimiter}${before}`;
  t.after(() => {
    process.env.PATH = before;
  });
}

test("a git that does not end is killed with all that it started, and that is no answer", async (t) => {
  const { folder, pids } = hangingGit(t);
  withPath(t, folder);
  await assert.rejects(git(tempDir(t), ["status"], { timeoutMs: 500 }), (error: unknown) => {
    assert.ok(error instanceof GitError);
    assert.equal(error.code, "git");
    assert.match(error.message, /git status failed \(stopped after 1 s\)/);
    assert.ok(!isRefusal(error));
    return true;
  });
  assert.equal(pids().length, 2);
  for (const pid of pids()) assert.ok(!isAlive(pid), `${pid} still runs`);
  process.env.UA_HOOKS_GIT_TIMEOUT = "1";
  t.after(() => delete process.env.UA_HOOKS_GIT_TIMEOUT);
  // What asks git a yes-or-no question does not take silence for no.
  const oid = "1".repeat(40);
  await assert.rejects(isAncestor(tempDir(t), oid, oid), /stopped after 1 s/);
  await assert.rejects(namedCommit(tempDir(t), "main"), /stopped after 1 s/);
});

test("with a git that does not end, status is unknown, and the hook ends", (t) => {
  const repo = installedRepo(t);
  repo.commit("more", { "src/b.ts": "export const b = 2;\n" });
  const { folder } = hangingGit(t);
  Object.assign(repo.env, { PATH: `${folder}${delimiter}${repo.env.PATH}`, UA_HOOKS_GIT_TIMEOUT: "1" });
  const { status, reason } = repo.uaJson<{ status: string; reason: string }>("status");
  assert.equal(status, "unknown");
  assert.match(reason, /stopped after 1 s/);
});

test("after a git that did not end, the calls of the same process wait for a part of the limit only", async (t) => {
  const { folder } = hangingGit(t);
  withPath(t, folder);
  process.env.UA_HOOKS_GIT_TIMEOUT = "8";
  t.after(() => delete process.env.UA_HOOKS_GIT_TIMEOUT);
  const dir = tempDir(t);
  const elevenMinutes = 11 * 60_000;
  assert.equal(nextTimeout(clock() + elevenMinutes), 8_000, "what other tests left is forgotten");
  recordTimeout();
  await assert.rejects(git(dir, ["status"]), (error: unknown) => {
    assert.ok(isTimeout(error));
    assert.match(String(error), /stopped after 2 s/);
    return true;
  });
  assert.throws(() => gitLineSync(dir, ["rev-parse", "HEAD"]), /stopped after 1 s/);
  await assert.rejects(git(dir, ["status"], { timeFactor: 2 }), /stopped after 2 s/);
  assert.equal(nextTimeout(clock() + elevenMinutes), 8_000, "the disk may answer again");
});

test("the time-out can be set within bounds only", () => {
  assert.equal(gitTimeout({}), 120_000);
  assert.equal(gitTimeout({ UA_HOOKS_GIT_TIMEOUT: "5" }), 5_000);
  for (const wrong of ["0", "-1", "1e9", "x", ""]) assert.equal(gitTimeout({ UA_HOOKS_GIT_TIMEOUT: wrong }), 120_000);
});

test("any number of paths can be asked for at once", async (t) => {
  const repo = makeRepo(t);
  repo.commit("one", { "src/a.ts": "a\n", "lib/deep/b.ts": "b\n" });
  const many = Array.from({ length: 72_000 }, (_, at) => `src/some/folder/with/a/long/name/file-${at}.ts`);
  const paths = (found: Iterable<{ path: string }>) => Array.from(found, ({ path }) => path).sort();
  assert.deepEqual(paths(await listTree(repo.dir, "HEAD", [...many, "src/a.ts", "lib"])), [
    "lib/deep/b.ts",
    "src/a.ts",
  ]);
  assert.deepEqual([...(await trackedAmong(repo.dir, [...many, "src/a.ts"]))], ["src/a.ts"]);
  const found = await entriesAt(repo.dir, "HEAD", [...many, "src/a.ts", "lib/deep", ""]);
  assert.deepEqual([...found.keys()].filter((path) => path !== "src" && path !== "lib").sort(), [
    "",
    "lib/deep",
    "lib/deep/b.ts",
    "src/a.ts",
  ]);
});

test("an object is what its name says, whatever git replace shows", async (t) => {
  const repo = makeRepo(t);
  repo.commit("one", { "a.ts": "export const a = 1;\n", "b.ts": "export const b = 2;\n" });
  repo.git("replace", repo.git("rev-parse", "HEAD:a.ts"), repo.git("rev-parse", "HEAD:b.ts"));
  assert.equal((await git(repo.dir, ["cat-file", "blob", "HEAD:a.ts"])).toString(), "export const a = 1;\n");
});

const headOf = (repo: Repo) => readHead(join(repo.dir, ".git"), join(repo.dir, ".git"));

test("a branch that names no commit is damage, and not a branch without commits", async (t) => {
  const repo = installedRepo(t);
  const ref = join(repo.dir, ".git/refs/heads/main");
  const oid = readFileSync(ref, "utf8");
  for (const content of ["", "not an oid at all\n", "\0".repeat(41), oid.slice(0, 20)]) {
    writeFileSync(ref, content);
    await assert.rejects(headOf(repo), { code: "git" }, JSON.stringify(content));
    assert.equal(repo.uaJson<{ status: string }>("status").status, "unknown", JSON.stringify(content));
  }
  writeFileSync(ref, oid);
  writeFileSync(join(repo.dir, ".git/HEAD"), "");
  const { code, stderr } = repo.ua("status");
  assert.ok(code === 0 || code === 6, String(code));
  assert.doesNotMatch(stderr, /defect/);
});

test("an unborn branch has no commit; its files are uncommitted changes", async (t) => {
  const repo = installedRepo(t);
  repo.git("switch", "-q", "--orphan", "other");
  assert.deepEqual(await headOf(repo), { commit: null, branch: "other" });
  assert.equal(repo.uaJson<{ status: string }>("status").status, "fresh");
  repo.write({ "src/new.ts": "export function brandNew(a: number) {}\n" });
  assert.equal(repo.uaJson<{ status: string }>("status").status, "dirty");
});
