import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { whileReadOnly } from "../support/mounts.js";
import { installedRepo, makeRepo, type Repo, repoAt } from "../support/repo.js";
import { installInto, startProject } from "../support/round.js";
import { setTraps } from "../support/trap.js";
import { snapshot } from "../support/tree.js";
import { husky, lefthook, withManagers } from "./managers.js";

interface Doctor {
  healthy: boolean;
  checks: { name: string; state: string; said: string }[];
  fixed: string[];
}

const doctor = (repo: Repo, ...args: string[]) => repo.uaJson<Doctor>("doctor", ...args);
const said = ({ checks }: Doctor, name: string) =>
  checks
    .filter((check) => check.name === name)
    .map((check) => `${check.state}: ${check.said}`)
    .join("\n");
const EVENTS = ["post-commit", "post-merge", "post-checkout", "post-rewrite"];

test("every hook is tested by firing it, and nothing is left behind", (t) => {
  const installed = installedRepo(t);
  const own = join(installed.base, "tmp"); // other tests run doctor at the same time
  mkdirSync(own);
  const repo = repoAt(installed.dir, installed.base, { ...installed.env, TMPDIR: own });
  repo.write({ ".git/hooks/pre-commit": "#!/bin/sh\necho ran >>../foreign\n" });
  spawnSync("chmod", ["+x", join(repo.dir, ".git/hooks/pre-commit")]);
  doctor(repo); // makes what any read makes
  const before = snapshot(repo.dir, (path) => /ua-hooks\/(state\.db|code)/.test(path));
  const found = doctor(repo);
  assert.equal(found.healthy, true);
  for (const event of EVENTS) assert.match(said(found, event), /^ok: live: fired just now/);
  assert.deepEqual(
    snapshot(repo.dir, (path) => /ua-hooks\/(state\.db|code)/.test(path)),
    before,
    "no object, ref, reflog, worktree or event",
  );
  assert.deepEqual(readdirSync(own), []);
  assert.equal(existsSync(join(repo.base, "foreign")), false, "nobody else's hook ran");
  assert.equal(repo.uaJson<{ worktrees: unknown[] }>("status").worktrees.length, 1);
});

test("a file where the state dir has a folder: named, and --fix puts the folder back", (t) => {
  const repo = installedRepo(t);
  for (const name of ["proofs", "rewrites"]) {
    const path = join(repo.dir, ".git/ua-hooks", name);
    rmSync(path, { recursive: true });
    writeFileSync(path, "a file\n");
  }
  const found = doctor(repo);
  assert.equal(found.healthy, false);
  for (const name of ["proofs", "rewrites"])
    assert.match(said(found, "state dir"), new RegExp(`^problem: .*/${name} is a file, where a folder belongs$`, "m"));
  assert.match(doctor(repo, "--fix").fixed.join("\n"), /^removed rewrites, a file where a folder belongs\n/);
  assert.equal(doctor(repo).healthy, true);
  assert.equal(repo.uaJson<{ status: string }>("status").status, "fresh");
});

test("it starts no fsmonitor program of the git config", (t) => {
  const repo = installedRepo(t);
  const traps = setTraps(repo);
  repo.git("config", "core.fsmonitor", traps.program("fsmonitor"));
  assert.match(said(doctor(repo), "post-commit"), /fired just now/);
  assert.deepEqual(traps.sprung(), []);
});

test("on an unborn branch, in a linked worktree and in a clone that is shallow, too", (t) => {
  const repo = makeRepo(t);
  installInto(repo, "--no-init");
  assert.match(said(doctor(repo), "post-rewrite"), /fired just now/);
  startProject(repo);
  repo.git("worktree", "add", "-q", join(repo.base, "linked"));
  assert.match(said(doctor(repo.at(join(repo.base, "linked"))), "post-merge"), /fired just now/);
  repo.git("clone", "-q", "--depth=1", `file://${repo.dir}`, join(repo.base, "shallow"));
  const shallow = repo.at(join(repo.base, "shallow"));
  installInto(shallow, "--no-init");
  assert.match(said(doctor(shallow), "post-commit"), /fired just now/);
});

test("who bypasses us is named with scope, and --fix puts it right", { skip: husky.missing ?? false }, (t) => {
  const repo = withManagers(installedRepo(t));
  husky.install(repo);
  const found = doctor(repo);
  assert.equal(found.healthy, false);
  for (const event of EVENTS)
    assert.match(
      said(found, event),
      /^problem: in the clone's hook files, bypassed by husky \(core\.hooksPath = \.husky\/_, local\)/,
    );
  assert.match(said(found, "core.hooksPath"), /local \(.*config\): \.husky\/_, in effect/);
  assert.equal(repo.ua("doctor", "--exit-code").code, 1);
  const fixed = doctor(repo, "--fix");
  assert.equal(fixed.healthy, true);
  assert.match(said(fixed, "post-merge"), /fired just now/);
});

test("core.hooksPath in every scope: global, local and one worktree's own", (t) => {
  const repo = installedRepo(t);
  repo.git("config", "--global", "core.hooksPath", join(repo.base, "shared-hooks"));
  assert.match(said(doctor(repo), "core.hooksPath"), /warning: global .*other repositories use it too/);
  assert.match(repo.uaJson<{ hooks: { warning: string } }>("status").hooks.warning, /all hooks bypassed by .*global/);
  repo.git("config", "extensions.worktreeConfig", "true");
  repo.git("config", "--worktree", "core.hooksPath", "elsewhere");
  const lines = said(doctor(repo), "core.hooksPath").split("\n");
  assert.equal(lines.length, 2);
  assert.match(lines[1] ?? "", /worktree .*elsewhere, in effect/);
  repo.git("config", "--worktree", "core.hooksPath", ".git/hooks");
  assert.match(said(doctor(repo), "post-commit"), /fired just now/);
});

test("a hook that lost its run bit, a damaged block, a deleted file: --fix", (t) => {
  const repo = installedRepo(t);
  rmSync(join(repo.dir, ".git/hooks/post-merge"));
  writeFileSync(join(repo.dir, ".git/hooks/post-commit"), "#!/bin/sh\n: mine\n");
  spawnSync("chmod", ["-x", join(repo.dir, ".git/hooks/post-checkout")]);
  const found = doctor(repo);
  assert.match(said(found, "post-merge"), /problem: not installed/);
  assert.match(said(found, "post-commit"), /problem: not installed: another hook file/);
  assert.match(said(found, "post-checkout"), /problem/);
  const fixed = doctor(repo, "--fix");
  assert.equal(fixed.healthy, true, JSON.stringify(fixed.checks));
  assert.match(repo.read(".git/hooks/post-commit"), /: mine/);
});

test("node gone, program gone, another version, a dead holder's lock, a torn store", (t) => {
  const repo = installedRepo(t);
  const state = join(repo.dir, ".git/ua-hooks");
  const [, entry = "", mode] = readFileSync(join(state, "env"), "utf8").split("\n");
  writeFileSync(join(state, "env"), `/nowhere/node\n${entry}\n${mode}\n`);
  assert.match(said(doctor(repo), "node"), /problem: \/nowhere\/node is missing/);
  writeFileSync(join(state, "env"), `${process.execPath}\nnowhere.cjs\n${mode}\n`);
  writeFileSync(join(state, "shim.sh"), ": older\n");
  mkdirSync(join(state, "runner.lock"));
  writeFileSync(join(state, "runner.pid"), "999999999\n");
  const found = doctor(repo);
  assert.match(said(found, "program"), /problem: .*nowhere\.cjs is missing/);
  assert.match(said(found, "version"), /warning/);
  assert.match(said(found, "locks"), /warning: .*runner\.lock, runner\.pid/);
  assert.equal(
    doctor(repo, "--fix").checks.every((check) => check.state === "ok"),
    true,
  );
  for (const name of ["state.db-wal", "state.db-shm"]) rmSync(join(state, name), { force: true });
  writeFileSync(join(state, "state.db"), "torn");
  assert.match(said(doctor(repo), "store"), /problem/);
  const fixed = doctor(repo, "--fix");
  assert.equal(fixed.healthy, true, JSON.stringify(fixed.checks));
  assert.ok(
    readdirSync(state).some((name) => name.startsWith("state.db.damaged-")),
    "kept aside",
  );
  assert.equal(repo.uaJson("status").status, "fresh");
});

test("where a manager's own jobs would run along, nothing is fired, and it says so", {
  skip: lefthook.missing ?? false,
}, (t) => {
  const made = makeRepo(t);
  const repo = withManagers(repoAt(made.dir, made.base, made.env));
  startProject(repo);
  repo.commit("theirs", lefthook.files);
  lefthook.install(repo);
  installInto(repo, "--no-init");
  assert.match(
    said(doctor(repo), "post-commit"),
    /fired just now \(in lefthook's local config and the clone's hook files\)/,
  );
  lefthook.install(repo);
  rmSync(join(repo.base, "theirs"), { force: true });
  assert.match(said(doctor(repo), "post-commit"), /warning: in lefthook's local config; not tested/);
  assert.equal(existsSync(join(repo.base, "theirs")), false);
});

test("in a read-only git dir no hook can be fired: it says why, and names no manager where there is none", async (t) => {
  const repo = installedRepo(t);
  await whileReadOnly(t, join(repo.dir, ".git"), () => {
    const found = doctor(repo);
    for (const event of EVENTS)
      assert.match(said(found, event), /^warning: in the clone's hook files; not tested, because the test failed$/);
    assert.match(said(found, "live-fire"), /^warning: the test failed: .*Read-only file system/s);
  });
});

test("not installed: said, and --fix points to install", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  assert.match(said(doctor(repo), "post-commit"), /not installed/);
  const { code, stderr } = repo.ua("doctor", "--fix");
  assert.equal(code, 3);
  assert.match(stderr, /run `ua-hooks install`/);
});
