import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { EVENTS } from "../../src/git/hook-events.js";
import { dist, installedRepo, type Repo, root } from "../support/repo.js";
import { runOther } from "../support/versions.js";

/** uninstall must work where almost nothing else does. */

const hookFiles = (repo: Repo) =>
  readdirSync(join(repo.dir, ".git/hooks")).filter((name) => (EVENTS as readonly string[]).includes(name));

function assertOut(repo: Repo, { purge }: { purge: boolean }): void {
  assert.deepEqual(hookFiles(repo), []);
  assert.doesNotMatch(repo.read(".git/config"), /ua-hooks/);
  assert.equal(repo.has(".git/ua-hooks/runtime"), false);
  assert.equal(repo.has(".git/ua-hooks"), !purge);
  const { code, stdout, stderr } = repo.tryGit("commit", "-q", "--allow-empty", "-m", "after");
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "", stderr: "" });
}

for (const purge of [false, true]) {
  const args = ["uninstall", "--yes", ...(purge ? ["--purge"] : [])];
  const how = args.join(" ");

  for (const [what, text] of [
    ["damaged", "text ".repeat(1000)],
    ["empty", ""],
  ] as const) {
    test(`${how} with a state database that is ${what}`, (t) => {
      const repo = installedRepo(t);
      for (const name of ["state.db-wal", "state.db-shm"])
        rmSync(join(repo.dir, ".git/ua-hooks", name), { force: true });
      writeFileSync(join(repo.dir, ".git/ua-hooks/state.db"), text);
      const { code, stderr } = repo.ua(...args);
      assert.equal(code, 0, stderr);
      assertOut(repo, { purge });
      assert.ok(repo.has(".understand-anything/knowledge-graph.json"), "what cannot be told from the user's own stays");
    });
  }

  test(`${how} by a Node that has no SQLite`, (t) => {
    const repo = installedRepo(t);
    const home = join(repo.base, "package");
    mkdirSync(home);
    for (const name of ["hooks", "templates"]) cpSync(join(root, name), join(home, name), { recursive: true });
    cpSync(dist, join(home, "dist"), { recursive: true });
    const poor = { ...repo, env: { ...repo.env, UA_HOOKS_SQLITE: "libsql" } };
    assert.equal(runOther(poor, join(home, "dist"), "claim").code, 6, "there is none");
    const { code, stderr } = runOther(poor, join(home, "dist"), ...args);
    assert.equal(code, 0, stderr);
    assertOut(repo, { purge });
  });

  test(`${how} without a state dir`, (t) => {
    const repo = installedRepo(t);
    rmSync(join(repo.dir, ".git/ua-hooks"), { recursive: true });
    const { code, stderr } = repo.ua(...args);
    assert.equal(code, 0, stderr);
    assertOut(repo, { purge: true });
  });
}

test("uninstall --purge removes a graph that is too large to be held in memory", (t) => {
  const repo = installedRepo(t);
  const graph = join(repo.dir, ".understand-anything/knowledge-graph.json");
  truncateSync(graph, 600 * 1024 * 1024); // sparse
  const { code, stderr } = repo.ua("uninstall", "--purge", "--yes");
  assert.equal(code, 0, stderr);
  assert.ok(!existsSync(join(repo.dir, ".understand-anything")));
});
