import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openState } from "../../src/store/state.js";
import { Clean } from "../support/clean.js";
import { openFiles } from "../support/open-files.js";
import { type Repo, type Result, start, until } from "../support/repo.js";
import { detached, detachedRepo, hold, kill, LONG, quiet, stateDir, unseen, workersOf } from "../support/workers.js";

const COMMITS = LONG ? 500 : 30;
const WORKTREES = LONG ? 20 : 8;

function structural(name: string): Record<string, string> {
  return { "src/b.ts": `export function twice(x: number, ${name}: number): number {\n  return x * 2;\n}\n` };
}

/** yash makes two processes of `( … ) &`. */
for (const shell of ["sh", "yash"]) {
  const path = spawnSync("sh", ["-c", `command -v ${shell}`], { encoding: "utf8" }).stdout.trim();
  const skip = path === "" ? `${shell} is not here` : false;
  test(`who captures git's output gets it at once, though the worker is held: ${shell}`, { skip }, async (t) => {
    const repo = detachedRepo(t);
    const hook = join(repo.dir, ".git/hooks/post-commit");
    writeFileSync(hook, readFileSync(hook, "utf8").replace(/^#!.*/, `#!${path}`));
    const { fault, reached, letGo } = hold(repo, "runner.work");
    const { env, dir: cwd } = detached(repo, { UA_HOOKS_FAULT: fault });
    repo.write(structural("captured"));
    // $(…) reads to the end of the pipe; so does `flock`'s user on a descriptor above 9, which sh cannot close.
    const script = `exec 200>"$HOME/lock file" 3>&1; out=$(git commit -qam captured 3>&1 4>&1 2>&1); echo "[$out]"`;
    let result: Result | undefined;
    void start("bash", ["-c", script], { cwd, env }).then((ended) => {
      result = ended;
    });
    t.after(letGo);
    await until("the runner stands still", reached);
    await until("git's output is at its end", () => result !== undefined);
    assert.deepEqual(result, { code: 0, stdout: "[]\n", stderr: "" });
    assert.equal(workersOf(repo).length, 1, "and it is still there");
    letGo();
    await quiet(repo);
    assert.equal(repo.marker()?.head.commit, repo.head());
  });
}

test("a worker keeps no descriptor of the caller's open", { skip: noProc() }, async (t) => {
  const repo = detachedRepo(t);
  const { fault, reached, letGo } = hold(repo, "runner.work");
  const { env, dir: cwd } = detached(repo, { UA_HOOKS_FAULT: fault });
  repo.write(structural("descriptor"));
  const script = `exec 200>"$HOME/held" 12>"$HOME/held" 7>"$HOME/held"; git commit -qam descriptor`;
  assert.equal((await start("bash", ["-c", script], { cwd, env })).code, 0);
  await until("the runner stands still", reached);
  const [pid] = workersOf(repo);
  const open = openFiles(Number(pid));
  assert.deepEqual(
    open.filter((target) => target.endsWith("/held")),
    [],
  );
  letGo();
  await quiet(repo);
});

function noProc(): string | false {
  return existsSync("/proc/self/fd") ? false : "no /proc to look at a process's descriptors";
}

test("a process group killed while the worker starts is repaired at the next read", async (t) => {
  const repo = detachedRepo(t);
  const clean = new Clean(repo);
  for (const delay of [5, 20, 60]) {
    repo.write(structural(`after${delay}`));
    const child = spawn("git", ["commit", "-qam", "killed"], {
      cwd: repo.dir,
      env: repo.env,
      detached: true,
      stdio: "ignore",
    });
    const ended = new Promise((resolve) => child.on("close", resolve));
    await new Promise((resolve) => setTimeout(resolve, delay));
    if (child.pid !== undefined) kill(-child.pid);
    await ended;
    await quiet(repo);
    unseen(repo).tryGit("commit", "-qam", "killed");
    const lock = join(repo.dir, ".git/index.lock"); // git's own: it was killed before it came to the hook
    if (existsSync(lock)) (await import("node:fs")).rmSync(lock);
    assert.equal(repo.ua("pending").code, 0);
    await clean.assertEqual(repo, `killed after ${delay} ms`);
  }
});

test("removing a worktree while the worker works on it is harmless, and nothing of it stays", async (t) => {
  const repo = detachedRepo(t);
  const clean = new Clean(repo);
  const tree = repo.at(join(repo.base, "tree"));
  for (const point of ["runner.work", "marker.render", "verify.save", "verify.saved"]) {
    unseen(repo).git("worktree", "add", "-q", "--detach", tree.dir);
    unseen(tree).commit("unseen", structural("unseen"));
    const { fault, reached, letGo } = hold(repo, point);
    detached(tree, { UA_HOOKS_FAULT: fault }).commit("in the worktree", structural("removed"));
    await until(`the runner is at ${point}`, reached);
    repo.git("worktree", "remove", "--force", tree.dir);
    letGo();
    await quiet(repo);
    repo.commit("afterwards", { "src/a.ts": `// ${point}\n${repo.read("src/a.ts")}` });
    await quiet(repo);
    await clean.assertEqual(repo, point);
    await assertForgotten(repo, "tree");
  }
});

async function assertForgotten(repo: Repo, id: string): Promise<void> {
  const state = stateDir(repo);
  assert.deepEqual(
    readdirSync(join(repo.dir, ".understand-anything")).filter((name) => name.includes(id)),
    [],
  );
  assert.deepEqual(
    readdirSync(join(state, "proofs")).filter((name) => name.includes(id)),
    [],
  );
  const db = await openState(state);
  try {
    for (const table of ["drift", "markers", "generations", "attempts", "view_baseline"]) {
      assert.equal(db.get(`SELECT view FROM ${table} WHERE view = ?`, id), undefined, table);
    }
    assert.equal(db.get("SELECT id FROM views WHERE id = ?", id), undefined);
  } finally {
    db.close();
  }
}

test(`a worktree added, committed in and removed, ${WORKTREES} times`, async (t) => {
  const repo = detachedRepo(t);
  const clean = new Clean(repo);
  const tree = repo.at(join(repo.base, "a tree"));
  for (let at = 0; at < WORKTREES; at++) {
    repo.git("worktree", "add", "-q", "--detach", tree.dir);
    tree.write(structural(`round${at}`));
    tree.git("commit", "-qam", `round ${at}`);
    repo.git("worktree", "remove", "--force", tree.dir);
  }
  await quiet(repo);
  repo.commit("the last event", structural("last"));
  await quiet(repo);
  await clean.assertEqual(repo);
  await assertForgotten(repo, "a-tree");
  assert.equal(repo.git("status", "--porcelain"), "");
});

test(`${COMMITS} commits with readers and workers at the same time: none fails`, async (t) => {
  const repo = detachedRepo(t);
  const clean = new Clean(repo);
  let going = true;
  const failures: unknown[] = [];
  let reads = 0;
  const read = async (...args: string[]) => {
    const { cli } = await import("../support/repo.js");
    while (going) {
      const result = await start(process.execPath, [cli, ...args], { cwd: repo.dir, env: repo.env });
      reads++;
      if (result.code !== 0 || result.stderr !== "") failures.push({ args, ...result });
    }
  };
  const readers = [read("status", "--json"), read("pending", "--json"), read("status")];
  // `add -A` meets whatever is in the work tree at that moment; every third commit is structural.
  const script = `i=0; while [ $i -lt ${COMMITS} ]; do i=$((i+1))
    if [ $((i % 3)) = 0 ]; then echo "export const c$i = $i;" >>src/b.ts; else echo "// $i" >>src/a.ts; fi
    git add -A && git commit -qm "step $i" || exit 1; git status >/dev/null || exit 1; done`;
  const commits = await start("sh", ["-c", script], { cwd: repo.dir, env: repo.env });
  going = false;
  await Promise.all(readers);
  assert.deepEqual(commits, { code: 0, stdout: "", stderr: "" });
  assert.deepEqual(failures, []);
  await quiet(repo);
  await clean.assertEqual(repo);
  const touched = repo.git("log", "--name-only", "--format=", "-n", String(COMMITS)).split("\n");
  assert.deepEqual([...new Set(touched)].filter((name) => name !== "").sort(), ["src/a.ts", "src/b.ts"]);
  t.diagnostic(`${COMMITS} commits, ${reads} reads`);
});
