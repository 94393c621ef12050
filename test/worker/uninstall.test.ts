import assert from "node:assert/strict";
import { test } from "node:test";
import { hasWaiter } from "../../src/store/lock.js";
import { openState } from "../../src/store/state.js";
import { cli, start, until } from "../support/repo.js";
import { detached, detachedRepo, hold, stateDir, workersOf } from "../support/workers.js";

test("uninstall --purge waits for a worker, and nothing that the worker writes comes back", async (t) => {
  const repo = detachedRepo(t);
  const db = await openState(stateDir(repo));
  t.after(() => db.close());
  const { fault, reached, letGo } = hold(repo, "runner.work");
  detached(repo, { UA_HOOKS_FAULT: fault }).commit("wider", { "src/b.ts": "export const wide = (x: number) => x;\n" });
  await until("the worker works", reached);
  let hasEnded = false;
  const purge = start(process.execPath, [cli, "uninstall", "--purge", "--yes"], { cwd: repo.dir, env: repo.env });
  const ended = purge.finally(() => {
    hasEnded = true;
  });
  await until("uninstall waits for the lock, or has ended", () => hasEnded || hasWaiter(db));
  assert.ok(repo.has(".git/hooks/post-commit"), "nothing is removed beside a worker");
  letGo();
  const { code, stderr } = await ended;
  assert.equal(code, 0, stderr);
  await until("the worker has ended", () => workersOf(repo).length === 0);
  for (const path of [".git/ua-hooks", ".understand-anything", ".git/hooks/post-commit"])
    assert.equal(repo.has(path), false, path);
});
