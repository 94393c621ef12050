import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { otherNode } from "../support/nodes.js";
import { cleanEnv, cli, dist, makeRepo, start, tempDir } from "../support/repo.js";
import { startProject, wholeRound } from "../support/round.js";

const storeTests = join(dist, "..", ".build", "test", "store");

/** UA_HOOKS_LONG=1: all that are supported and have their own SQLite, with every test of the store. */
const LONG = process.env.UA_HOOKS_LONG === "1";
const isWanted = (name: string) => (LONG ? name.endsWith(".test.mjs") : /^sqlite.*\.test\.mjs$/.test(name));

for (const major of LONG ? [22, 24, 26] : [24]) {
  test(`on Node ${major} with its own SQLite: the store's tests and a whole round, and no warning`, async (t) => {
    const found = await otherNode(major);
    if ("missing" in found) return t.skip(found.missing);
    const { node } = found;
    const files = readdirSync(storeTests).filter(isWanted);
    const env = cleanEnv(tempDir(t));
    const args = ["--test", "--test-reporter=tap", ...files.map((name) => join(storeTests, name))];
    const { code, stdout } = await start(node, args, { cwd: dist, env });
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^# pass [1-9]/m);
    assert.match(stdout, /on this Node the driver is node:sqlite/);

    const repo = makeRepo(t);
    repo.ua = (...rest) => {
      const { status, stdout, stderr } = spawnSync(node, [cli, ...rest], {
        cwd: repo.dir,
        env: repo.env,
        encoding: "utf8",
      });
      return { code: status ?? -1, stdout, stderr };
    };
    startProject(repo);
    wholeRound(repo);
    const [runs] = repo.read(".git/ua-hooks/env").split("\n");
    assert.equal(runs, node, "the hooks ran on it");
    repo.git("-c", "core.hooksPath=/dev/null", "revert", "--no-edit", "HEAD");
    const hook = spawnSync(node, [".git/ua-hooks/runtime/hook.cjs", "event", "post-commit"], {
      cwd: repo.dir,
      env: repo.env,
      encoding: "utf8",
    });
    assert.deepEqual([hook.status, hook.stdout, hook.stderr], [0, "", ""]);
    assert.equal(repo.marker(), null, "and did its work");
  });
}
