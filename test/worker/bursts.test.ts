import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Clean } from "../support/clean.js";
import { type Repo, start } from "../support/repo.js";
import { detached, detachedRepo, LONG, notes, quiet } from "../support/workers.js";

const COMMITS = LONG ? 200 : 30;
const WORKTREES = LONG ? 8 : 4;
const EACH = LONG ? 50 : 8;
const PICKS = LONG ? 200 : 20;

/** Start and end of every piece of work of a worker, in order. */
function counted(repo: Repo): { repo: Repo; file: string } {
  const file = join(repo.base, "work.txt");
  return { file, repo: detached(repo, { UA_HOOKS_FAULT: `runner.work:note=${file};runner.worked:note=${file}` }) };
}

/** Between a worker's start and its end there is no line of another one. */
function assertOneAtATime(file: string): number {
  let working: number | null = null;
  let pieces = 0;
  for (const { point, pid } of notes(file)) {
    if (point === "runner.work") {
      assert.equal(working, null, `${pid} began while ${working} was at work`);
      working = pid;
    } else {
      assert.equal(pid, working);
      working = null;
      pieces++;
    }
  }
  assert.equal(working, null, "every worker that began has ended");
  return pieces;
}

/** The next version of a file: sometimes a new function, sometimes only a comment. */
function version(at: number): string {
  const extra = at % 3 === 0 ? `export function f${at}(): number {\n  return ${at};\n}\n` : `// ${at}\n`;
  return `export function twice(x: number): number {\n  return x * 2;\n}\n${extra}`;
}

async function assertSettled(
  clean: Clean,
  worktrees: Repo[],
  file: string,
  note: (text: string) => void,
): Promise<void> {
  const [first] = worktrees;
  assert.ok(first !== undefined);
  await quiet(first);
  note(`${assertOneAtATime(file)} pieces of work`);
  for (const worktree of worktrees) await clean.assertEqual(worktree, worktree.dir);
  assert.ok(!existsSync(join(first.dir, ".git/ua-hooks/runner.lock")), "the lock is free");
}

test(`${COMMITS} commits in a row: one worker at a time, all verified`, async (t) => {
  const bare = detachedRepo(t);
  const clean = new Clean(bare);
  const { repo, file } = counted(bare);
  for (let at = 0; at < COMMITS; at++) {
    repo.write({ "src/b.ts": version(at) });
    repo.git("commit", "-q", "-a", "-m", `change ${at}`);
  }
  await assertSettled(clean, [repo], file, (text) => t.diagnostic(text));
  assert.equal(repo.git("status", "--porcelain"), "");
});

test(`${WORKTREES} worktrees committing at once, ${EACH} times each: one worker at a time, all verified`, async (t) => {
  const bare = detachedRepo(t);
  const clean = new Clean(bare);
  const { repo, file } = counted(bare);
  const trees = Array.from({ length: WORKTREES }, (_, at) => repo.at(join(repo.base, `tree ${at}`)));
  for (const [at, tree] of trees.entries()) repo.git("worktree", "add", "-q", "-b", `b${at}`, tree.dir);
  const script = `i=0; while [ $i -lt ${EACH} ]; do i=$((i+1))
    printf 'export function own%s(): void {}\\n' "$i" >>src/b.ts; git commit -qam "step $i" || exit 1; done`;
  const all = await Promise.all(trees.map((tree) => start("sh", ["-c", script], { cwd: tree.dir, env: tree.env })));
  for (const result of all) assert.deepEqual(result, { code: 0, stdout: "", stderr: "" });
  await assertSettled(clean, [repo, ...trees], file, (text) => t.diagnostic(text));
  for (const tree of trees) assert.equal(tree.git("rev-list", "--count", "main..HEAD"), String(EACH));
});

test(`a rebase of ${PICKS} commits: one worker at a time, verified at its end`, async (t) => {
  const bare = detachedRepo(t);
  const clean = new Clean(bare);
  const off = detached(bare, { UA_HOOKS: "0" });
  off.git("checkout", "-q", "-b", "side");
  const script = `i=0; while [ $i -lt ${PICKS} ]; do i=$((i+1))
    echo "export const s$i = $i;" >>src/side.ts; git add -A && git commit -qm "side $i" || exit 1; done`;
  const made = await start("sh", ["-c", script], { cwd: off.dir, env: off.env });
  assert.equal(made.code, 0, made.stderr);
  off.git("checkout", "-q", "main");
  off.commit("ahead", { "tools/run.py": "def run(argument, other):\n    return other\n" });
  off.git("checkout", "-q", "side");
  const { repo, file } = counted(bare);
  repo.git("rebase", "-q", "main");
  await assertSettled(clean, [repo], file, (text) => t.diagnostic(text));
  assert.equal(repo.git("rev-list", "--count", "main..HEAD"), String(PICKS));
});
