import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { Clean } from "../support/clean.js";
import { noNamespace } from "../support/mounts.js";
import { makeRepo, type Repo, repoAt, SMALL_PROJECT, until } from "../support/repo.js";
import { detached, detachedRepo, hold, kill, quiet, workersOf } from "../support/workers.js";

const EVENTS = ["post-commit", "post-merge", "post-checkout", "post-rewrite"];
const SHELLS = [["dash"], ["bash"], ["bash", "--posix"], ["busybox", "sh"], ["mksh"], ["zsh", "--emulate", "sh"]];

function where(program: string): string | null {
  const { status, stdout } = spawnSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}

/** Runs every hook of a repository in this shell, with these options, in the middle of someone's own hook. */
function runIn(repo: Repo, shell: string[], options: string): void {
  for (const event of EVENTS) {
    const file = join(repo.dir, ".git/hooks", event);
    const own = readFileSync(file, "utf8").replace(/^#!.*\n/, "");
    const after = event === "post-rewrite" ? `cat >"${join(repo.base, "stdin")}"\n` : "";
    writeFileSync(
      `${file}.sh`,
      `set ${options}\n${own}echo "${event} \${1-}" >>"${join(repo.base, "after")}"\n${after}`,
    );
    writeFileSync(file, `#!/bin/sh\nexec ${shell.join(" ")} "$0.sh" "$@"\n`);
    chmodSync(file, 0o755);
  }
}

for (const shell of SHELLS) {
  const program = where(shell[0] ?? "");
  const skip = program === null ? `${shell[0]} is not here` : false;
  test(`the hooks work in ${shell.join(" ")}, under -eu and noclobber, inside another tool's hook`, {
    skip,
  }, async (t) => {
    const repo = detachedRepo(t);
    const clean = new Clean(repo);
    runIn(repo, [program ?? "", ...shell.slice(1)], "-euC");
    const old = repo.commit("parameter", {
      "src/b.ts": "export function twice(y: number): number {\n  return y;\n}\n",
    });
    await quiet(repo);
    await clean.assertEqual(repo, "after a commit");
    const { stdout, stderr } = repo.tryGit("commit", "-q", "--amend", "-m", "amended");
    assert.deepEqual({ stdout, stderr }, { stdout: "", stderr: "" });
    await quiet(repo);
    await clean.assertEqual(repo, "after an amend");
    assert.equal(
      readFileSync(join(repo.base, "stdin"), "utf8"),
      `${old} ${repo.head()}\n`,
      "stdin for who comes after us",
    );
    assert.match(readFileSync(join(repo.base, "after"), "utf8"), /^post-commit \npost-commit \npost-rewrite amend\n/);
    const tree = repo.at(join(repo.base, 'it\'s a "tree"\nof two lines'));
    repo.git("worktree", "add", "-q", "-b", "side", tree.dir); // here .git is a file, and GIT_DIR is not set
    tree.commit("in it", { "src/b.ts": "export const b = 1;\n" });
    await quiet(repo);
    await clean.assertEqual(tree, "in a worktree");
  });
}

for (const shell of SHELLS.slice(0, 3)) {
  const skip = where(shell[0] ?? "") === null ? `${shell[0]} is not here` : noNamespace();
  test(`a hook in ${shell.join(" ")} that runs after ours gets post-rewrite's stdin, though the folder for temporary files is full`, {
    skip,
  }, async (t) => {
    const repo = detachedRepo(t);
    runIn(repo, [where(shell[0] ?? "") ?? "", ...shell.slice(1)], "-eu");
    const full = join(repo.base, "full");
    mkdirSync(full);
    // More than a pipe holds: then bash writes a here-document to a file.
    const pairs = Array.from({ length: 900 }, (_, at) => `${String(at).padStart(40, "0")} ${"1".repeat(40)}\n`).join(
      "",
    );
    const line = `mount -t tmpfs -o size=4k none '${full}' && head -c 4096 /dev/zero >'${full}/x'; exec .git/hooks/post-rewrite rebase`;
    const options = { cwd: repo.dir, env: { ...repo.env, TMPDIR: full }, input: pairs, encoding: "utf8" } as const;
    const { status, stdout, stderr } = spawnSync("unshare", ["--mount", "sh", "-c", line], options);
    assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: "", stderr: "" });
    assert.equal(readFileSync(join(repo.base, "stdin"), "utf8"), pairs);
    const left = readdirSync(join(repo.dir, ".git/ua-hooks")).filter((name) => name.startsWith(".stdin"));
    assert.deepEqual(left, []);
    await quiet(repo);
  });
}

test("a repository in a folder with spaces, quotes and a newline, and after it was moved", async (t) => {
  const repo = detached(makeRepo(t, { name: 'it\'s "my" project\n$(of) two lines' }));
  t.after(() => workersOf(repo).forEach(kill));
  repo.commit("start", SMALL_PROJECT);
  assert.equal(repo.ua("install").code, 0);
  const clean = new Clean(repo);
  repo.commit("due", { "src/b.ts": "export const b = 1;\n" });
  await quiet(repo);
  await clean.assertEqual(repo);
  const moved = repoAt(join(repo.base, "moved here"), repo.base, repo.env);
  renameSync(repo.dir, moved.dir);
  moved.commit("more", { "src/b.ts": "export const c = 1;\n" });
  await quiet(moved);
  assert.equal(moved.marker()?.worktree.path, moved.dir);
  assert.equal(moved.marker()?.head.commit, moved.head());
});

/** A PATH with git on it and nothing else. */
function onlyGit(repo: Repo): string {
  const bin = join(repo.base, "bin");
  mkdirSync(bin, { recursive: true });
  if (!existsSync(join(bin, "git"))) symlinkSync(where("git") ?? "", join(bin, "git"));
  return bin;
}

test("without setsid and without node on PATH, as on a Mac's GUI client: the worker is in a session of its own", async (t) => {
  const repo = detachedRepo(t);
  const clean = new Clean(repo);
  const { fault, reached, letGo } = hold(repo, "runner.work");
  const git = repo.git("--exec-path");
  assert.ok(!existsSync(join(git, "setsid")));
  const poor = detached(repo, { PATH: onlyGit(repo), UA_HOOKS_FAULT: fault });
  poor.commit("due", { "src/b.ts": "export const b = 1;\n" });
  await until("the runner works", reached);
  const [pid] = workersOf(repo);
  const first = Number(repo.read(".git/ua-hooks/runner.pid"));
  assert.equal(first, pid, "and its number is where the hooks look");
  const session = spawnSync("ps", ["-o", "sess=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();
  if (session !== "") assert.equal(Number(session), pid);
  letGo();
  await quiet(repo);
  await clean.assertEqual(repo);
});

test("no node, no program, no state dir, a pid that is none: silence", async (t) => {
  const repo = detachedRepo(t);
  const state = join(repo.dir, ".git/ua-hooks");
  const [node = "", entry = ""] = readFileSync(join(state, "env"), "utf8").split("\n");
  const say = (message: string) => {
    repo.write({ "src/b.ts": `// ${message}\n` });
    const { code, stdout, stderr } = detached(repo, { PATH: onlyGit(repo) }).tryGit("commit", "-qam", message);
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "", stderr: "" }, message);
  };
  writeFileSync(join(state, "env"), `/nowhere/node\n${entry}\ndetached\n`);
  say("no node");
  await quiet(repo); // one of the usual places may have had one
  writeFileSync(join(state, "env"), `${node}\nua-hooks/runtime/gone.cjs\ndetached\n`);
  say("no program");
  writeFileSync(join(state, "env"), "");
  say("an empty env");
  writeFileSync(join(state, "runner.pid"), "-1\n");
  say("a pid that is none");
  renameSync(state, join(dirname(state), "away"));
  say("no state dir");
  assert.deepEqual(
    readdirSync(join(repo.dir, ".git")).filter((name) => name === "ua-hooks"),
    [],
  );
});

/** A process that has ended, and whose parent never asks for it: as in a container without an init. */
async function zombie(t: TestContext): Promise<number> {
  const parent = spawn("sh", ["-c", "sleep 0.1 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] });
  t.after(() => parent.kill("SIGKILL"));
  const pid = Number(await new Promise((resolve) => parent.stdout.once("data", resolve)));
  const isZombie = () => / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  await until("it is a zombie", isZombie);
  return pid;
}

test("a number that is another process's by now, or a zombie's, starts a worker", { skip: noProc() }, async (t) => {
  const repo = detachedRepo(t);
  const clean = new Clean(repo);
  const dead = await zombie(t);
  // The number of a worker in another container is another clone's worker here.
  const stranger = spawn("sh", ["-c", "sleep 600; :", "hook.cjs"], { cwd: repo.base, stdio: "ignore", detached: true });
  t.after(() => process.kill(-(stranger.pid ?? 0), "SIGKILL"));
  for (const line of [
    `${dead}\n`,
    `${stranger.pid}\n`,
    `${process.pid}\n`,
    `${process.pid} 12345\n`,
    "0 \n",
    "x\n",
    "",
  ]) {
    repo.write({ ".git/ua-hooks/runner.pid": line });
    const { fault, reached, letGo } = hold(repo, "runner.work"); // it may be done before it is looked for
    const files = { "src/b.ts": `export const b${line.length} = "${line.trim()}";\n` };
    detached(repo, { UA_HOOKS_FAULT: fault }).commit(`after ${line}`, files);
    await until(`a worker works after ${JSON.stringify(line)}`, reached);
    assert.equal(workersOf(repo).length, 1, JSON.stringify(line));
    letGo();
    await quiet(repo);
    await clean.assertEqual(repo, JSON.stringify(line));
  }
});

function noProc(): string | false {
  return existsSync("/proc/self/stat") ? false : "no /proc: a number is all there is";
}

test("execution: foreground in the config is followed once it is trusted, without another install, and back", async (t) => {
  const repo = detachedRepo(t);
  const clean = new Clean(repo);
  repo.commit("config", { ".ua-hooksrc.json": '{ "execution": "foreground" }\n' });
  await quiet(repo);
  assert.equal(repo.ua("trust").code, 0);
  repo.commit("due", { "src/b.ts": "export const b = 1;\n" });
  assert.equal(repo.marker()?.head.commit, repo.head(), "git has waited");
  assert.equal(workersOf(repo).length, 0);
  await clean.assertEqual(repo);
  repo.commit("config", { ".ua-hooksrc.json": '{ "execution": "detached" }\n' });
  await quiet(repo);
  const { fault, reached, letGo } = hold(repo, "runner.work");
  detached(repo, { UA_HOOKS_FAULT: fault }).commit("more", { "src/b.ts": "export const c = 1;\n" });
  await until("a worker stands still, and git has not waited for it", reached);
  letGo();
  await quiet(repo);
});
