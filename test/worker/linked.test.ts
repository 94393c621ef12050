import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type LogEntry, readLog } from "../../src/store/log.js";
import { Clean } from "../support/clean.js";
import { type Repo, start } from "../support/repo.js";
import { detachedRepo, quiet, stateDir, workersOf } from "../support/workers.js";

const CHANGED = { "src/b.ts": "export function twice(x: number, y: number): number {\n  return x * y;\n}\n" };

function entries(repo: Repo, worktree: string): LogEntry[] {
  return readLog(stateDir(repo), 100).filter((entry) => entry.view === worktree);
}

test("a linked worktree has its own verdict and marker at the main root; nothing is written in it", async (t) => {
  const repo = detachedRepo(t);
  const clean = new Clean(repo);
  const tree = repo.at(join(repo.base, "agent's tree"));
  repo.git("worktree", "add", "-q", "-b", "side", tree.dir);
  await quiet(repo);
  const before = readdirSync(tree.dir);
  tree.commit("parameter", CHANGED);
  await quiet(repo);

  const name = "pending-update.agent's-tree.json";
  const marker = repo.marker(name);
  assert.deepEqual(marker?.worktree, { id: "agent's-tree", path: tree.dir, linked: true });
  assert.deepEqual(marker?.head, { commit: tree.head(), branch: "side" });
  assert.deepEqual(marker?.filesToReanalyze, ["src/b.ts"]);
  assert.equal(repo.marker(), null, "the main worktree has its own verdict");
  assert.deepEqual(readdirSync(tree.dir), before);
  assert.deepEqual([repo.git("status", "--porcelain"), tree.git("status", "--porcelain")], ["", ""]);
  for (const worktree of [repo, tree]) await clean.assertEqual(worktree, worktree.dir);
  assert.equal(tree.uaJson("status").status, "pending");
  assert.equal(repo.uaJson("status").status, "fresh");
});

test("content known from one worktree is parses in no other: not in a new one, not after a merge, not back and forth", async (t) => {
  const repo = detachedRepo(t);
  const clean = new Clean(repo);
  const tree = repo.at(join(repo.base, "tree"));
  repo.git("worktree", "add", "-q", "-b", "side", tree.dir);
  tree.commit("parameter", CHANGED);
  await quiet(repo);
  assert.equal(entries(repo, "tree").at(-1)?.parses, 1, "the one new blob");

  const second = repo.at(join(repo.base, "second"));
  repo.git("worktree", "add", "-q", "--detach", second.dir, "side");
  await quiet(repo);
  assert.deepEqual(
    entries(repo, "second").map(({ parses, action }) => [parses, action]),
    [[0, "PARTIAL_UPDATE"]],
  );

  const seen = entries(repo, ".").length;
  for (const step of [
    ["merge", "-q", "side"],
    ["checkout", "-q", "HEAD~1"],
    ["checkout", "-q", "main"],
  ]) {
    repo.git(...step);
    await quiet(repo);
    await clean.assertEqual(repo, step.join(" "));
  }
  const mine = entries(repo, ".").slice(seen);
  assert.deepEqual(
    mine.map(({ parses }) => parses),
    [0, 0, 0],
  );
  assert.deepEqual(
    mine.map(({ events }) => events),
    [["post-merge"], ["post-checkout"], ["post-checkout"]],
  );
});

test("a worktree on a drive that is not there keeps its state while it is locked", async (t) => {
  const repo = detachedRepo(t);
  const tree = repo.at(join(repo.base, "tree"));
  repo.git("worktree", "add", "-q", "-b", "side", tree.dir);
  tree.commit("parameter", CHANGED);
  await quiet(repo);
  const { renameSync } = await import("node:fs");
  repo.git("worktree", "lock", tree.dir);
  renameSync(tree.dir, `${tree.dir}-away`);
  repo.commit("comment", { "src/a.ts": `// one\n${repo.read("src/a.ts")}` });
  await quiet(repo);
  assert.ok(repo.marker("pending-update.tree.json") !== null);
  repo.git("worktree", "unlock", tree.dir);
  repo.commit("comment", { "src/a.ts": `// two\n${repo.read("src/a.ts")}` });
  await quiet(repo);
  assert.equal(repo.marker("pending-update.tree.json"), null, "gone without a lock: git would prune it too");
});

/** `$1` says what the last of them changes. */
const FIFTEEN_COMMITS = `
i=0
while [ $((i += 1)) -lt 15 ]; do
  echo "// change $i" >> src/b.ts
  git commit -q -a -m "change $i" || exit 1
done
[ "$1" = comment ] && echo "// the last change" >> src/b.ts
[ "$1" = function ] && echo "export const half = (x: number) => x / 2;" >> src/b.ts
git commit -q -a -m "the last change"
`;

test("twenty worktrees, in each of them fifteen commits at the same time: every marker is right, and no process stays", async (t) => {
  const repo = detachedRepo(t);
  const trees = Array.from({ length: 20 }, (_, at) => repo.at(join(repo.base, "trees", `tree${at}`)));
  for (const { dir } of trees) repo.git("worktree", "add", "-q", "-b", dir.slice(dir.lastIndexOf("/") + 1), dir);
  const lastChange = (at: number) => (at % 2 === 0 ? "comment" : "function");
  const results = await Promise.all(
    trees.map(({ dir, env }, at) => start("sh", ["-c", FIFTEEN_COMMITS, "sh", lastChange(at)], { cwd: dir, env })),
  );
  for (const result of results) assert.deepEqual(result, { code: 0, stdout: "", stderr: "" });
  await quiet(repo, 120_000);
  for (const [at, tree] of trees.entries()) {
    const marker = repo.marker(`pending-update.tree${at}.json`);
    if (lastChange(at) === "comment") assert.equal(marker, null, tree.dir);
    else assert.deepEqual([marker?.head.commit, marker?.filesToReanalyze], [tree.head(), ["src/b.ts"]], tree.dir);
    assert.equal(tree.git("rev-list", "--count", "main..HEAD"), "15");
    assert.equal(tree.git("status", "--porcelain"), "");
  }
  assert.equal(repo.marker(), null);
  assert.deepEqual(workersOf(repo), []);
});
