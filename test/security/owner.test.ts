import assert from "node:assert/strict";
import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { chmodSync, lchownSync, lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { isOwn, isOwnAlone } from "../../src/platform/owner.js";
import { locateProjectSync } from "../../src/repository/locate.js";
import { cli, dist, installedRepo, type Repo, repoAt, root } from "../support/repo.js";
import { setTraps } from "../support/trap.js";
import { quiet } from "../support/workers.js";

const OWNER = 54_321;
const needsRoot = process.getuid?.() === 0 ? false : "only root can make files of another user";

function everything(dir: string): string[] {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return [dir, ...entries.map(({ parentPath, name }) => join(parentPath, name))];
}

/** The small project, installed by another user; `repo` acts as root, `owner` as that user. */
function othersRepo(t: TestContext): { repo: Repo; run: (program: string, ...args: string[]) => string } {
  const repo = installedRepo(t);
  for (const path of everything(repo.base)) lchownSync(path, OWNER, OWNER);
  chmodSync(repo.base, 0o755);
  const options: SpawnSyncOptions = { cwd: repo.dir, env: repo.env, uid: OWNER, gid: OWNER };
  const run = (program: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(program, args, { ...options, encoding: "utf8" });
    assert.equal(status, 0, `${program} ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  return { repo, run };
}

/** Every file of ours. Not one that goes while they are looked at: SQLite's log goes with the last process that has the database open. */
function ourFiles(repo: Repo): { file: string; mode: number; uid: number; mtimeMs: number }[] {
  const files = [".git/ua-hooks", ".understand-anything"].flatMap((name) => everything(join(repo.dir, name)));
  return files.flatMap((file) => {
    const found = lstatSync(file, { throwIfNoEntry: false });
    return found === undefined ? [] : [{ file, mode: found.mode, uid: found.uid, mtimeMs: found.mtimeMs }];
  });
}

/** Time, mode and owner of every file of ours. */
function picture(repo: Repo): Record<string, string> {
  return Object.fromEntries(ourFiles(repo).map(({ file, mode, uid, mtimeMs }) => [file, `${mode} ${uid} ${mtimeMs}`]));
}

test("owner: a repository that git refuses is refused everywhere; nothing is read, written or run", {
  skip: needsRoot,
}, (t) => {
  const { repo, run } = othersRepo(t);
  const traps = setTraps(repo);
  const config = { mode: "inline", analyzer: { command: ["node", "an.js"] } };
  repo.write({ ".ua-hooksrc.json": JSON.stringify(config), "an.js": traps.javascript("theirs") });
  for (const path of everything(repo.dir)) lchownSync(path, OWNER, OWNER);
  run(process.execPath, cli, "trust");
  run("git", "-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "unseen");
  assert.match(repo.tryGit("status").stderr, /dubious ownership/);
  const before = picture(repo);
  assert.match(repo.ua("status").stdout, /^Status +unknown +git refuses this repository: .*dubious ownership/);
  assert.deepEqual(Object.keys(repo.uaJson("status")), ["schema", "status", "reason"]);
  const { UA_HOOKS_CODE: _shared, ...env } = repo.env; // each clone's own folder of compiled code
  for (const args of [["status"], ["agent", "claude"]]) repoAt(repo.dir, repo.base, env).ua(...args);
  for (const name of ["install", "uninstall", "doctor", "pending", "run", "claim", "trust", "verify", "log", "report"])
    assert.match(repo.ua(name).stderr, /git refuses this repository/, name);
  for (const args of [["registry", "verify"], ["record", "list"], ["check"], ["replay"], ["pause"], ["export"]])
    assert.match(repo.ua(...args).stderr, /git refuses this repository/, args.join(" "));

  const runtime = join(repo.dir, ".git/ua-hooks/runtime");
  const direct = (...args: string[]) =>
    spawnSync(process.execPath, args, { cwd: repo.dir, env: repo.env, input: "{}", encoding: "utf8" }).stdout;
  assert.equal(direct(join(dist, "agent.cjs"), "claude", "SessionStart"), "");
  assert.equal(direct(join(dist, "hook.cjs"), "event", "post-commit"), "");
  assert.equal(direct(join(dist, "hook.cjs"), "run", join(repo.dir, ".git")), "");
  assert.equal(direct(join(runtime, "hook.cjs"), "run", join(repo.dir, ".git")), "");
  repo.write({ "../a.json": "{}", "../b.json": "{}", "../c.json": "{}" });
  const files = ["a", "b", "c"].map((name) => join(repo.base, `${name}.json`));
  direct(join(dist, "hook.cjs"), "merge", ...files, ".understand-anything/meta.json");
  assert.equal(readFileSync(join(repo.base, "b.json"), "utf8"), "{}");
  assert.deepEqual(traps.sprung(), []);
  assert.deepEqual(picture(repo), before);
});

test("owner: root's commit in another user's clone leaves no file that its owner cannot use", {
  skip: needsRoot,
}, async (t) => {
  for (const accept of ["safe.directory", "sudo"]) {
    const { repo, run } = othersRepo(t);
    if (accept === "safe.directory") repo.git("config", "--global", "safe.directory", "*");
    const { UA_HOOKS_FOREGROUND: _, ...detached } = repo.env;
    for (const [at, env] of [repo.env, detached].entries()) {
      const root = repoAt(repo.dir, repo.base, { ...env, ...(accept === "sudo" ? { SUDO_UID: `${OWNER}` } : {}) });
      root.commit("by root", { "src/b.ts": `export const changed = ${at};\n` });
      await quiet(root);
      root.ua("status");
      const shells = /\/(journal|runner\.pid)$/; // written by root's shell; the owner can replace them
      const roots = ourFiles(repo).filter(({ file, uid }) => uid !== OWNER && !shells.test(file));
      assert.deepEqual(roots, [], accept);
    }
    for (const path of everything(repo.dir)) if (!path.includes("/.git/ua-hooks")) lchownSync(path, OWNER, OWNER);
    assert.match(run(process.execPath, cli, "status"), /^Status +pending/);
    run("git", "commit", "-q", "--allow-empty", "-m", "by the owner");
    assert.match(run(process.execPath, cli, "status"), /^Status +pending/);
  }
});

test("owner: files of another user in the state dir are named, with the one command that gives them back", {
  skip: needsRoot,
}, (t) => {
  const { repo, run } = othersRepo(t);
  const state = join(repo.dir, ".git/ua-hooks");
  const command = `sudo chown -R ${OWNER}:${OWNER} '${state}'`;
  lchownSync(join(state, "proofs/main"), 0, 0);
  chmodSync(join(state, "proofs/main"), 0o600);
  assert.ok(run(process.execPath, cli, "status").includes(command));
  assert.ok(run(process.execPath, cli, "doctor").includes(command));
  lchownSync(join(state, "proofs/main"), OWNER, OWNER);
  lchownSync(state, 0, 0);
  assert.ok(
    run(process.execPath, cli, "status").includes(
      `belongs to another user (uid 0) than the repository; give it back to its owner: ${command}`,
    ),
  );
});

/** The published program: the one for tests has its compiled code elsewhere. */
const PUBLISHED = join(root, "dist/cli.cjs");

test("owner: a state dir that is for another user alone is named, where git accepts the repository", {
  skip: needsRoot,
}, (t) => {
  const { repo } = othersRepo(t);
  const other = OWNER + 1;
  const state = join(repo.dir, ".git/ua-hooks");
  const accepting = join(repo.base, "accepting");
  writeFileSync(accepting, "[safe]\n\tdirectory = *\n");
  const options = {
    cwd: repo.dir,
    env: { ...repo.env, GIT_CONFIG_GLOBAL: accepting },
    uid: other,
    gid: other,
    encoding: "utf8",
  } as const;
  const run = (...args: string[]) => spawnSync(process.execPath, [PUBLISHED, ...args], options);
  const status = JSON.parse(run("status", "--json").stdout) as { status: string; reason: string };
  assert.equal(status.status, "unknown");
  assert.ok(status.reason.startsWith(`${state} is for another user alone (uid ${OWNER})`), status.reason);
  for (const command of ["run", "pending", "claim", "doctor", "log"]) {
    const { status: code, stderr } = run(command);
    assert.deepEqual([command, code, stderr.includes(state)], [command, 5, true], stderr);
  }
  assert.deepEqual(spawnSync("git", ["log", "-1", "--format=%s"], options).stderr, "");
});

test("owner: the state dir of another user in a clone of one's own is named by the published program, too", {
  skip: needsRoot,
}, (t) => {
  const { repo } = othersRepo(t);
  const state = join(repo.dir, ".git/ua-hooks");
  for (const path of everything(state)) lchownSync(path, OWNER + 1, OWNER + 1);
  const options = { cwd: repo.dir, env: repo.env, uid: OWNER, gid: OWNER, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [PUBLISHED, "status"], options);
  assert.deepEqual([status, stderr], [0, ""]);
  assert.ok(stdout.includes(`sudo chown -R ${OWNER}:${OWNER} '${state}'`), stdout);
});

test("owner: this user's clone is accepted without a process, and by git's own rule for sudo", {
  skip: needsRoot,
}, (t) => {
  const repo = installedRepo(t);
  const file = join(repo.base, "theirs");
  writeFileSync(file, "");
  assert.deepEqual([isOwn(file, {}), isOwnAlone(file)], [true, true]);
  const path = process.env.PATH;
  process.env.PATH = "/nowhere"; // there is no git to ask
  t.after(() => {
    process.env.PATH = path;
  });
  assert.equal(locateProjectSync({ cwd: repo.dir, env: {} }).worktree.path, repo.dir);
  lchownSync(file, OWNER, OWNER);
  assert.deepEqual(
    [isOwn(file, {}), isOwn(file, { SUDO_UID: `${OWNER}` }), isOwn(file, { SUDO_UID: "1" })],
    [false, true, false],
  );
  assert.equal(isOwnAlone(file), false);
});
