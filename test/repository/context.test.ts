import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "../../src/cli/command.js";
import { createOut } from "../../src/cli/output.js";
import { pending } from "../../src/cli/pending.js";
import { status } from "../../src/cli/status.js";
import { withContext, withLock } from "../../src/repository/context.js";
import { locateProject } from "../../src/repository/locate.js";
import { openCount } from "../../src/store/state.js";
import { readWorktree } from "../../src/verification/read.js";
import { makeRepo, type Repo } from "../support/repo.js";

const SOURCE = { "src/a.ts": "export function a() {\n  return 1;\n}\n" };

/** How often the database is opened by a command, run in this process. */
async function opensOf(command: Command, repo: Repo): Promise<number> {
  const before = openCount();
  await command.run({
    cwd: repo.dir,
    flags: {},
    positionals: [],
    out: { ...createOut({ json: false }), result: () => {} },
  });
  return openCount() - before;
}

test("status opens the database once, whether or not it has to verify; pending with a matching stamp not at all", async (t) => {
  const repo = makeRepo(t);
  repo.commit("one", SOURCE);
  assert.equal(repo.ua("install").code, 0);
  assert.equal(repo.ua("record", "add", "a returns one", "--type", "decision", "--subject", "src/a.ts").code, 0);
  assert.equal(await opensOf(status, repo), 1, "the stamp matches");
  repo.tryGit("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "two");
  assert.equal(await opensOf(status, repo), 1, "the stamp does not match");
  assert.equal(await opensOf(pending, repo), 0);
});

test("a context opens the database at its first use, shares it with other worktrees, and closes it", async (t) => {
  const repo = makeRepo(t);
  repo.commit("one", SOURCE);
  assert.equal(repo.ua("install").code, 0);
  repo.git("worktree", "add", "-q", "../side", "-b", "side");
  const project = await locateProject({ cwd: repo.dir, env: {} });
  const side = await locateProject({ cwd: `${repo.base}/side`, env: {} });
  const before = openCount();
  const db = await withContext(project, async (context) => {
    assert.equal(openCount(), before, "nothing is opened before it is used");
    const other = context.forWorktree(side);
    await readWorktree(other);
    await withLock(context, async (locked) => assert.equal(locked.db, await other.database()));
    assert.equal(await context.config(), await context.config(), "the config is loaded once");
    assert.equal(openCount(), before + 1);
    return context.database();
  });
  assert.throws(() => db.get("SELECT 1"), "closed");
});

test("an abort during the wait for the lock leaves the work undone", async (t) => {
  const repo = makeRepo(t);
  repo.commit("one", SOURCE);
  assert.equal(repo.ua("install").code, 0);
  const project = await locateProject({ cwd: repo.dir, env: {} });
  let done = false;
  const work = async () => {
    done = true;
  };
  const aborted = withContext(project, (context) => withLock(context, work), { signal: AbortSignal.abort() });
  await assert.rejects(aborted, { name: "AbortError" });
  assert.equal(done, false);
});
