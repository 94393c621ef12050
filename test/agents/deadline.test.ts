import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { openDatabase } from "../../src/store/sqlite.js";
import { openState } from "../../src/store/state.js";
import { installedRepo } from "../support/repo.js";

test("whatever else holds the database, an agent's hook waits for a quarter of a second at most", async (t) => {
  const repo = installedRepo(t);
  repo.env.UA_HOOKS = "0"; // the commit is verified by nobody
  repo.commit("more", { "src/b.ts": "export function twice(x: number, by: number) {\n  return x * by;\n}\n" });
  const { UA_HOOKS: _off, UA_HOOKS_AGENT_TIMEOUT: _long, ...env } = repo.env;
  const state = join(repo.dir, ".git/ua-hooks");
  const other = await openDatabase(join(state, "state.db"));
  t.after(() => other.close());
  other.exec("BEGIN IMMEDIATE"); // as a long write would
  const child = spawn("sh", [join(state, "agent.sh"), "claude", "SessionStart"], {
    cwd: repo.dir,
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.end(JSON.stringify({ session_id: "s", cwd: repo.dir }));
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += String(chunk);
  });
  const [code] = await once(child, "close");
  // The write is still under way: had the hook waited for it, it would not have ended.
  assert.equal(code, 0);
  assert.equal(said, "");
  other.exec("ROLLBACK");
});

test("each caller says how long a statement waits", async (t) => {
  const repo = installedRepo(t);
  const state = join(repo.dir, ".git/ua-hooks");
  for (const waitMs of [250, 10_000]) {
    const db = await openState(state, { waitMs });
    assert.deepEqual(Object.values(db.get<Record<string, number>>("PRAGMA busy_timeout") ?? {}), [waitMs]);
    db.close();
  }
});
