import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Clean } from "../support/clean.js";
import { cli, type Repo, start, until } from "../support/repo.js";
import { detached, detachedRepo, hold, notes, quiet, stateDir, workersOf } from "../support/workers.js";

/** A commit that makes something pending, so that nobody takes "nothing changed" for "seen". */
function parameter(repo: Repo, name: string): string {
  return repo.commit(`parameter ${name}`, {
    "src/b.ts": `export function twice(x: number, ${name}: number): number {\n  return x * 2;\n}\n`,
  });
}

/**
 * The way out of a runner is: unlink runner.pid, release, look once more, end. In each of these instants it is held,
 * and a commit is made. Whoever is to see it, this runner or the next, it is seen without another event or read.
 */
for (const point of ["runner.leaving", "runner.unlinked", "runner.released", "runner.looked"]) {
  test(`a commit while the worker is held at ${point} is not lost`, async (t) => {
    const repo = detachedRepo(t);
    const clean = new Clean(repo);
    const { fault, reached, letGo } = hold(repo, point);
    parameter(detached(repo, { UA_HOOKS_FAULT: fault }), "first");
    await until(`the runner is at ${point}`, reached);
    parameter(repo, "second");
    letGo();
    await quiet(repo);
    await clean.assertEqual(repo, point);
    assert.deepEqual(repo.marker()?.head.commit, repo.head());
  });
}

test("a commit between a second starter's look at the lock and its end is not lost", async (t) => {
  const repo = detachedRepo(t);
  const clean = new Clean(repo);
  const first = hold(repo, "runner.work");
  parameter(detached(repo, { UA_HOOKS_FAULT: first.fault }), "first");
  await until("the first runner works", first.reached);
  const second = hold(repo, "runner.declined");
  repo.write({ ".git/ua-hooks/runner.pid": "1\n" }); // so that a second one is started at all
  parameter(detached(repo, { UA_HOOKS_FAULT: second.fault }), "second");
  await until("the second one found the lock held", second.reached);
  const number = repo.read(".git/ua-hooks/runner.pid");
  first.letGo();
  await until("the first one has gone", () => workersOf(repo).length === 1);
  // The hook that started the second one was slow, and writes its number only now.
  repo.write({ ".git/ua-hooks/runner.pid": number });
  parameter(repo, "third");
  assert.equal(workersOf(repo).length, 1, "and leave it to that one");
  second.letGo();
  await quiet(repo);
  await clean.assertEqual(repo);
});

test("an event during the work costs one line; a starter that lost leaves the worker's pid in the file", async (t) => {
  const repo = detachedRepo(t);
  const clean = new Clean(repo);
  const { fault, reached, letGo } = hold(repo, "runner.work");
  parameter(detached(repo, { UA_HOOKS_FAULT: fault }), "first");
  await until("the runner works", reached);
  const journal = join(stateDir(repo), "journal");
  const [runner] = workersOf(repo);
  for (const name of ["second", "third"]) parameter(repo, name);
  assert.equal(readFileSync(journal, "utf8"), "post-commit .\npost-commit .\n");
  assert.deepEqual(workersOf(repo), [runner], "nobody else was started");
  letGo();
  await quiet(repo);
  assert.ok(!existsSync(journal) || readFileSync(journal, "utf8") === "");
  await clean.assertEqual(repo);
});

test("a starter waits for a reader that has the lock, since a reader verifies one worktree only", async (t) => {
  const repo = detachedRepo(t);
  const clean = new Clean(repo);
  const tree = repo.at(join(repo.base, "tree"));
  repo.git("worktree", "add", "-q", tree.dir);
  await quiet(repo);
  const reader = hold(repo, "verify.save");
  parameter(detached(repo, { UA_HOOKS: "0" }), "unseen");
  const file = join(repo.base, "reader.txt");
  const env = { ...repo.env, UA_HOOKS_FAULT: `${reader.fault};runner.work:note=${file}` };
  const reading = start(process.execPath, [cli, "pending", "--json"], { cwd: repo.dir, env });
  await until("the reader has the lock", reader.reached);
  parameter(tree, "other");
  await until("a runner has started", () => workersOf(repo).length === 1);
  reader.letGo();
  assert.equal((await reading).code, 0);
  await quiet(repo);
  await clean.assertEqual(repo, "the reader's view");
  await clean.assertEqual(tree, "the view of the event");
  assert.deepEqual(notes(file), [], "the reader was no runner");
});

test("a busy worker lets a reader in between two worktrees", async (t) => {
  const repo = detachedRepo(t);
  const trees = ["one", "two", "three"].map((name) => repo.at(join(repo.base, name)));
  for (const tree of trees) detached(repo, { UA_HOOKS: "0" }).git("worktree", "add", "-q", tree.dir);
  const work = hold(repo, "runner.work");
  const order = join(repo.base, "order.txt");
  const faults = `${work.fault};runner.work:note=${order}`;
  parameter(detached(repo, { UA_HOOKS_FAULT: faults }), "first");
  await until("the runner works", work.reached);
  const env = { ...repo.env, UA_HOOKS_FAULT: `verify.save:note=${order}` };
  const reading = start(process.execPath, [cli, "pending", "--json"], { cwd: trees[2]?.dir ?? "", env });
  const wanted = () =>
    repo.has(".git/ua-hooks/state.db-wal") && repo.read(".git/ua-hooks/state.db-wal").includes("lock.wanted");
  await until("the reader waits", wanted);
  work.letGo();
  assert.equal((await reading).code, 0);
  await quiet(repo);
  const points = notes(order).map(({ point }) => point);
  assert.equal(points[1], "verify.save", `the reader comes second: ${points.join(", ")}`);
});
