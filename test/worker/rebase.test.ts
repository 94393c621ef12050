import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readLog } from "../../src/store/log.js";
import { openState } from "../../src/store/state.js";
import type { WorktreeRow } from "../../src/verification/worktree-rows.js";
import { Clean } from "../support/clean.js";
import { type Repo, start, until } from "../support/repo.js";
import { detached, detachedRepo, hold, notes, quiet, stateDir, unseen, workersOf } from "../support/workers.js";

const FILE = "src/b.ts";
const body = (name: string) => `export function twice(${name}: number): number {\n  return ${name} * 2;\n}\n`;

/** main and side both changed the same line, and side has a file of its own before that. */
function conflicting(repo: Repo): void {
  const off = unseen(repo);
  off.git("checkout", "-q", "-b", "side");
  off.commit("own file", { "src/own.ts": "export const own = 1;\n" });
  off.commit("side's line", { [FILE]: body("side") });
  off.git("checkout", "-q", "main");
  off.commit("main's line", { [FILE]: body("ours") });
  off.git("checkout", "-q", "side");
  assert.equal(repo.ua("pending").code, 0, "verified where it starts from");
}

async function rows<T>(repo: Repo, sql: string): Promise<T[]> {
  const db = await openState(stateDir(repo));
  try {
    return db.all<T>(sql);
  } finally {
    db.close();
  }
}

test("while a rebase is stopped the worker writes nothing for that worktree, and ends; after --continue it is verified", async (t) => {
  const repo = detachedRepo(t);
  const clean = new Clean(repo);
  conflicting(repo);
  const before = { marker: repo.marker(), rows: await rows(repo, "SELECT * FROM views") };
  const file = join(repo.base, "writes.txt");
  const stopped = detached(repo, { UA_HOOKS_FAULT: `marker.render:note=${file};runner.work:note=${file}` });
  assert.notEqual(stopped.tryGit("rebase", "main").code, 0, "there is a conflict");
  assert.equal(workersOf(repo).length, 1, "a runner waits for the end");
  repo.write({ [FILE]: body("both") });
  repo.git("add", "-A");
  stopped.git("commit", "-q", "-m", "the conflict, solved by hand"); // inside a rebase it only writes a line
  await quiet(repo);
  assert.deepEqual(notes(file), [], "no work, no marker");
  assert.deepEqual({ marker: repo.marker(), rows: await rows(repo, "SELECT * FROM views") }, before);

  repo.git("rebase", "--continue");
  await quiet(repo);
  await clean.assertEqual(repo);
});

test("--abort while the worker waits is seen by it; later, by the next read", async (t) => {
  const repo = detachedRepo(t);
  const clean = new Clean(repo);
  conflicting(repo);
  assert.notEqual(repo.tryGit("rebase", "main").code, 0);
  repo.git("rebase", "--abort");
  await quiet(repo);
  await clean.assertEqual(repo, "the runner was still there");

  assert.notEqual(unseen(repo).tryGit("rebase", "main").code, 0);
  assert.equal(repo.ua("pending").code, 0, "a reader is told of where HEAD is just now");
  unseen(repo).git("rebase", "--abort");
  assert.equal(repo.ua("pending").code, 0);
  await clean.assertEqual(repo, "the next read");
});

test("a stopped rebase in one worktree does not keep another one from being verified", async (t) => {
  const repo = detachedRepo(t);
  const clean = new Clean(repo);
  conflicting(repo);
  const tree = repo.at(join(repo.base, "tree"));
  unseen(repo).git("worktree", "add", "-q", "-b", "other", tree.dir, "main");
  assert.notEqual(repo.tryGit("rebase", "main").code, 0);
  tree.commit("elsewhere", { [FILE]: body("elsewhere") });
  assert.equal(tree.ua("pending").code, 0, "a reader gets the lock while the rebase is stopped");
  await until("the other worktree is verified", () => repo.marker("pending-update.tree.json") !== null);
  repo.git("rebase", "--abort");
  await quiet(repo);
  await clean.assertEqual(tree);
});

/** What runs under the number in runner.pid, as a line of sh that git can be given to execute. */
const WHO = 'read -r pid <.git/ua-hooks/runner.pid && ps -o comm= -p "$pid" >>../who.txt';

test("while git goes on to further commits a shell waits for its end, and no Node takes a core from it", async (t) => {
  const repo = detachedRepo(t);
  const clean = new Clean(repo);
  const off = unseen(repo);
  off.git("checkout", "-q", "-b", "side");
  for (const name of ["one", "two", "three"]) off.commit(name, { [`src/${name}.ts`]: `export const ${name} = 1;\n` });
  off.git("checkout", "-q", "main");
  off.commit("ahead", { "src/b.ts": body("ours") });
  const runs = () => readLog(stateDir(repo), 1000).length;

  off.git("checkout", "-q", "side");
  repo.git("rebase", "-q", "-x", WHO, "main");
  await quiet(repo);
  const who = new Set(repo.read("../who.txt").trim().split("\n"));
  who.delete("setsid"); // the same process, before it becomes the shell
  assert.deepEqual(who, new Set(["sh"]), "at every step");
  await clean.assertEqual(repo, "rebased");

  off.git("checkout", "-q", "-b", "picks", "main");
  assert.equal(repo.ua("pending").code, 0);
  const before = runs();
  repo.git("cherry-pick", "main..side");
  await quiet(repo);
  assert.equal(runs(), before + 1, "three commits, and one judgement of where they led");
  await clean.assertEqual(repo, "picked");
});

test("post-rewrite's pairs are kept, and the baseline's commit moves along", async (t) => {
  const repo = detachedRepo(t);
  const clean = new Clean(repo);
  const off = unseen(repo);
  off.git("checkout", "-q", "-b", "side");
  const settled = off.commit("a comment", { "src/a.ts": `// settled\n${repo.read("src/a.ts")}` });
  assert.equal(repo.ua("pending").code, 0);
  const due = off.commit("due", { "src/own.ts": "export const own = 1;\n" });
  off.git("checkout", "-q", "main");
  off.commit("ahead", { "tools/run.py": "def run(argument, other):\n    return other\n" });
  off.git("checkout", "-q", "side");
  const tree = repo.at(join(repo.base, "tree"));
  off.git("worktree", "add", "-q", "--detach", tree.dir, settled);
  assert.equal(tree.ua("pending").code, 0);
  repo.git("rebase", "-q", "main");
  await quiet(repo);
  const pairs = await rows<{ old: string; new: string }>(repo, "SELECT old, new FROM rewrites ORDER BY rowid");
  const [newSettled, newDue] = [repo.git("rev-parse", "HEAD~1"), repo.head()];
  assert.deepEqual(
    pairs.map((pair) => ({ ...pair })),
    [
      { old: settled, new: newSettled },
      { old: due, new: newDue },
    ],
  );
  const worktrees = await rows<WorktreeRow>(repo, "SELECT * FROM views ORDER BY id");
  assert.deepEqual(
    worktrees.map(({ id, base_sha }) => [id, base_sha]),
    [
      [".", newSettled],
      ["tree", settled],
    ],
  );
  await clean.assertEqual(tree);
  assert.deepEqual(readdirSync(join(stateDir(repo), "rewrites")), [], "and the files are gone");
});

test("pairs that are half written wait for their end; those of a killed hook do not stop anyone", async (t) => {
  const repo = detachedRepo(t);
  const [one, two] = ["1".repeat(40), "2".repeat(40)];
  repo.write({ ".git/ua-hooks/rewrites/..rebase.77": `${one} ${two}\n` });
  repo.commit("a comment", { "src/a.ts": `// one\n${repo.read("src/a.ts")}` });
  await quiet(repo);
  assert.deepEqual(await rows(repo, "SELECT old FROM rewrites"), []);
  repo.write({ ".git/ua-hooks/rewrites/..rebase.77": `${one} ${two}\nend\n` });
  repo.commit("a comment", { "src/a.ts": `// two\n${repo.read("src/a.ts")}` });
  await quiet(repo);
  assert.equal((await rows(repo, "SELECT old FROM rewrites")).length, 1);
  assert.ok(!existsSync(join(stateDir(repo), "rewrites/..rebase.77")));
});

test("am is no rebase: a commit during one is verified at once", async (t) => {
  const repo = detachedRepo(t);
  const clean = new Clean(repo);
  conflicting(repo);
  const patch = repo.git("format-patch", "-q", "-1", "--stdout", "main");
  repo.write({ "../conflict.patch": `${patch}\n` });
  const am = await start("git", ["am", "-q", join(repo.base, "conflict.patch")], { cwd: repo.dir, env: repo.env });
  assert.notEqual(am.code, 0);
  assert.ok(repo.has(".git/rebase-apply/applying"));
  const { fault, reached, letGo } = hold(repo, "runner.work");
  detached(repo, { UA_HOOKS_FAULT: fault }).commit("during am", { "src/new.ts": "export const n = 1;\n" });
  await until("a runner works", reached);
  letGo();
  repo.git("am", "--quit");
  await quiet(repo);
  await clean.assertEqual(repo);
});
