import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { mount } from "../support/mounts.js";
import { cli, installedRepo, makeRepo, type Repo, repoAt, start, until } from "../support/repo.js";
import { installInto, startProject } from "../support/round.js";
import { gitsOwn, snapshot } from "../support/tree.js";
import { gitLfs, simpleGitHooks, withManagers } from "./managers.js";

const isRoot = process.getuid?.() === 0;

/** A file system of its own, which can be filled or made read-only; false where this machine does not let us. */
function onDisk(dir: string, size: string, act: () => void): boolean {
  mkdirSync(dir, { recursive: true });
  if (!isRoot || !mount("-t", "tmpfs", "-o", `size=${size}`, "tmpfs", dir)) return false;
  try {
    act();
  } finally {
    spawnSync("umount", ["--lazy", dir]); // libsql lets go of a file at the process's end only
  }
  return true;
}

test("any step that fails undoes the ones before it", (t) => {
  const made = makeRepo(t, { args: ["--template="] });
  startProject(made);
  made.write({ ".husky/post-commit": ": theirs\n", ".git/hooks/post-merge": "#!/bin/sh\n: theirs\n" });
  chmodSync(join(made.dir, ".git/hooks/post-merge"), 0o755);
  const before = snapshot(made.dir, gitsOwn);
  const all = repoAt(made.dir, made.base, made.env);
  const { written } = all.uaJson<{ written: unknown[] }>("install", "--yes", "--team");
  assert.equal(all.ua("uninstall", "--purge", "--yes").code, 0);
  assert.deepEqual(snapshot(made.dir, gitsOwn), before, "byte for byte after an ordinary round");
  for (const at of [1, 3, Math.ceil(written.length / 2), written.length]) {
    const repo = repoAt(made.dir, made.base, { ...made.env, UA_HOOKS_FAULT: `install.step${at}:EACCES` });
    const { code, stderr } = repo.ua("install", "--yes", "--team");
    assert.equal(code, 6, `step ${at} of ${written.length}`);
    assert.match(stderr, /EACCES.*\n {2}make the file and its folder writable.*; nothing was changed/);
    assert.deepEqual(snapshot(made.dir, gitsOwn), before, `step ${at}`);
  }
});

test("a read-only .git: a clear error, nothing half-written", (t) => {
  const repo = makeRepo(t);
  const disk = join(repo.base, "disk");
  const refused = (home: Repo, lock: () => void, unlock: () => void) => {
    const before = snapshot(home.dir);
    lock();
    const { code, stderr } = home.ua("install");
    unlock();
    assert.equal(code, 6, stderr);
    assert.match(stderr, /writable for you.*; nothing was changed/);
    assert.doesNotMatch(stderr, /defect/);
    assert.deepEqual(snapshot(home.dir), before);
  };
  if (!isRoot) {
    startProject(repo);
    const modes = (change: string) => () => spawnSync("chmod", ["-R", change, join(repo.dir, ".git")]);
    return refused(repo, modes("a-w"), modes("u+w"));
  }
  const home = repo.at(disk);
  const done = onDisk(disk, "8m", () => {
    home.git("init", "-q");
    startProject(home);
    const remount = (how: string) => () => mount("-o", `remount,${how}`, disk);
    refused(home, remount("ro"), remount("rw"));
  });
  if (!done) t.skip("cannot mount a file system here");
});

test("a full disk, wherever it fills up: a clear error, nothing half-written", (t) => {
  const repo = makeRepo(t);
  const disk = join(repo.base, "disk");
  const home = repo.at(disk);
  const done = onDisk(disk, "24m", () => {
    home.git("init", "-q");
    startProject(home);
    const before = snapshot(disk, gitsOwn);
    const free = () => statfsSync(disk).bfree * statfsSync(disk).bsize;
    for (const left of [0, 40_000, 300_000, 6_000_000]) {
      writeFileSync(join(disk, "filler"), Buffer.alloc(Math.max(0, free() - left)));
      const { code, stderr } = home.ua("install");
      rmSync(join(disk, "filler"));
      assert.equal(code, 6, `${left} bytes left: ${stderr}`);
      assert.match(stderr, /free some disk space.*; nothing was changed/, `${left} bytes left`);
      assert.deepEqual(snapshot(disk, gitsOwn), before, `${left} bytes left`);
    }
    assert.equal(home.ua("install").code, 0, "with room it goes");
  });
  if (!done) t.skip("cannot mount a file system here");
});

test("three installs at the same time leave one good install", async (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  const one = () => start(process.execPath, [cli, "install"], { cwd: repo.dir, env: repo.env });
  const ended = await Promise.all([one(), one(), one()]);
  for (const { code, stderr } of ended) assert.equal(code, 0, stderr);
  for (const event of ["post-commit", "post-merge", "post-checkout", "post-rewrite"])
    assert.equal(repo.read(`.git/hooks/${event}`).match(/>>> ua-hooks >>>/g)?.length, 1);
  assert.equal(repo.read(".git/info/exclude").match(/>>> ua-hooks >>>/g)?.length, 1);
  const doctor = repo.uaJson<{ healthy: boolean; checks: { state: string }[] }>("doctor");
  assert.ok(
    doctor.checks.every(({ state }) => state === "ok"),
    JSON.stringify(doctor),
  );
});

const ourBlock = (repo: Repo) => repo.read(".git/hooks/post-commit").includes(">>> ua-hooks >>>");

test("with selfRepair the next status, or a worker, restores hooks that a manager's install removed", {
  skip: simpleGitHooks.missing ?? false,
}, async (t) => {
  const made = installedRepo(t);
  made.commit("theirs", { ...simpleGitHooks.files, ".ua-hooksrc.json": '{ "selfRepair": true }\n' });
  const repo = withManagers(made);
  simpleGitHooks.install(repo);
  assert.equal(ourBlock(repo), false);
  const { stderr } = repo.ua("status");
  assert.match(stderr, /The hooks that another tool's install had removed are restored/);
  assert.equal(ourBlock(repo), true);
  assert.equal(
    repo.read("package.json"),
    simpleGitHooks.files["package.json"],
    "nothing that would have to be asked for",
  );

  repo.write({ ".git/hooks/post-commit": "#!/bin/sh\n: replaced\n" });
  const background = repoAt(repo.dir, repo.base, { ...repo.env, UA_HOOKS_FOREGROUND: "0" });
  repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "unseen");
  background.git("checkout", "-q", "-b", "other", "HEAD~1"); // one hook is still there, and wakes a runner
  await until("the runner has repaired it", () => ourBlock(repo));
  await until("and told it", () =>
    /"repaired"/.test(readFileSync(join(repo.dir, ".git/ua-hooks/ua-hooks.log"), "utf8")),
  );
});

test("without selfRepair a worker logs it, once", { skip: gitLfs.missing ?? false }, async (t) => {
  const repo = withManagers(installedRepo(t));
  gitLfs.install(repo);
  const background = repoAt(repo.dir, repo.base, { ...repo.env, UA_HOOKS_FOREGROUND: "0" });
  for (const name of ["x", "y"]) {
    background.git("commit", "-q", "--amend", "--allow-empty", "-m", name); // git-lfs has no post-rewrite
    await until("the runner is through", () => {
      const { stdout } = repo.ua("log", "--json");
      return stdout.includes("bypassed by git-lfs") && !repo.has(".git/ua-hooks/runner.pid");
    });
  }
  assert.equal(repo.ua("log").stdout.match(/bypassed by git-lfs/g)?.length, 1);
  assert.match(
    repo.ua("status").stdout,
    /post-commit, post-merge, post-checkout bypassed by git-lfs: run `ua-hooks install` again/,
  );
  installInto(repo);
  assert.doesNotMatch(repo.ua("status").stdout, /bypassed/);
});

test("--dry-run is a diff that patch(1) can apply, and asks nothing", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  repo.write({ ".git/hooks/post-commit": "#!/bin/sh\n: theirs\n: more\n: and\n: more\n" });
  chmodSync(join(repo.dir, ".git/hooks/post-commit"), 0o755);
  const before = snapshot(repo.dir);
  const { stdout } = repo.ua("install", "--dry-run", "--no-init");
  assert.deepEqual(snapshot(repo.dir), before);
  assert.match(
    stdout,
    /^--- a\/\.git\/hooks\/post-commit\n\+\+\+ b\/\.git\/hooks\/post-commit\n@@ -1,4 \+1,\d+ @@\n #!\/bin\/sh\n\+# >>> ua-hooks/m,
  );
  const copy = join(repo.base, "copy");
  spawnSync("cp", ["-r", repo.dir, copy]);
  const applied = spawnSync("git", ["apply", "--unsafe-paths", "-p1", `--directory=${copy}`], {
    cwd: repo.base,
    input: stdout,
    encoding: "utf8",
    env: repo.env,
  });
  assert.equal(applied.status, 0, applied.stderr);
  installInto(repo, "--no-init");
  assert.equal(readFileSync(join(copy, ".git/hooks/post-commit"), "utf8"), repo.read(".git/hooks/post-commit"));
});

test("a global hooks folder is not written to unless asked for by name", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  const shared = join(repo.base, "shared-hooks");
  mkdirSync(shared);
  writeFileSync(join(shared, "post-commit"), '#!/bin/sh\necho shared >>"$HOME/ran"\n', { mode: 0o755 });
  repo.git("config", "--global", "core.hooksPath", shared);
  const before = [snapshot(repo.dir, gitsOwn), snapshot(shared)];
  const refused = repo.ua("install", "--yes");
  assert.equal(refused.code, 5);
  assert.match(refused.stderr, /core\.hooksPath, global.*\n.*--manager hooks-path/);
  assert.deepEqual([snapshot(repo.dir, gitsOwn), snapshot(shared)], before);
  installInto(repo, "--manager", "hooks-path");
  repo.commit("parameter", { "src/b.ts": "export const b = 1;\n" });
  assert.notEqual(repo.marker(), null);
  assert.match(readFileSync(join(repo.base, "ran"), "utf8"), /shared/);
  const other = repo.at(join(repo.base, "other"));
  mkdirSync(other.dir);
  other.git("init", "-q");
  assert.deepEqual(other.tryGit("commit", "-q", "--allow-empty", "-m", "x"), { code: 0, stdout: "", stderr: "" });
  assert.equal(repo.ua("uninstall", "--purge", "--yes").code, 0);
  assert.deepEqual(snapshot(shared), before[1]);
});
