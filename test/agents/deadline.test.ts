import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fingerprintText } from "../../src/fingerprint/extract.js";
import { clock } from "../../src/platform/clock.js";
import { isOutOfTime, parseUntilOnly } from "../../src/platform/deadline.js";
import { openDatabase } from "../../src/store/sqlite.js";
import { openState } from "../../src/store/state.js";
import { openFiles } from "../support/open-files.js";
import { cli, installedRepo, type Repo, repoAt, until } from "../support/repo.js";
import { workersOf } from "../support/workers.js";

/** Where the system does not say, it is taken for open. */
function hasOpen(pid: number | undefined, name: string): boolean {
  if (pid === undefined || !existsSync("/proc/self/fd")) return true;
  return openFiles(pid).some((target) => target.endsWith(`/${name}`));
}

/**
 * This process holds a write transaction. A command waits ten seconds for the database; the hooks come after it, and must be done before
 * it. Returns what they print.
 */
async function hooksBesideWriter(
  t: TestContext,
  repo: Repo,
  hooks: [client: string, event: string][],
): Promise<string> {
  const { UA_HOOKS: _off, ...others } = repo.env;
  const env = { ...others, UA_HOOKS_AGENT_TIMEOUT: "6" }; // enough to come to the database, less than the command waits
  const state = join(repo.dir, ".git/ua-hooks");
  const other = await openDatabase(join(state, "state.db"));
  t.after(() => other.close());
  other.exec("BEGIN IMMEDIATE"); // as a long write would
  const ended: string[] = [];
  const command = spawn(process.execPath, [cli, "ack"], { cwd: repo.dir, env, stdio: "ignore" });
  command.on("close", () => ended.push("command"));
  await until("the command waits for the database", () => hasOpen(command.pid, "state.db"));
  let printed = "";
  const started = hooks.map(async ([client, event]) => {
    const child = spawn("sh", [join(state, "agent.sh"), client, event], {
      cwd: repo.dir,
      env,
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.stdin.end(JSON.stringify({ session_id: "s", sessionId: "s", cwd: repo.dir, hook_event_name: event }));
    child.stdout.on("data", (chunk) => {
      printed += String(chunk);
    });
    const [code] = await once(child, "close");
    ended.push(`${client} ${event} ${String(code)}`);
  });
  await Promise.all(started);
  assert.deepEqual(ended.toSorted(), hooks.map(([client, event]) => `${client} ${event} 0`).toSorted());
  other.exec("ROLLBACK");
  await until("the command is done", () => ended.includes("command"));
  await until("the worker that it has started is done", () => workersOf(repo).length === 0);
  return printed;
}

test("whatever else holds the database, an agent's hook waits for a quarter of a second at most", async (t) => {
  const repo = installedRepo(t);
  repo.commit("wider", { "src/b.ts": "export function twice(x: number, by: number) {\n  return x * by;\n}\n" });
  repo.uaJson("claim", "--holder", "claude:s");
  repo.env.UA_HOOKS = "0"; // the commit is verified by nobody
  repo.commit("more", { "src/c.ts": "export const c = 1;\n" });
  // At its start and at a prompt a hook verifies, at its end it gives the lease back.
  const printed = await hooksBesideWriter(t, repo, [
    ["claude", "SessionStart"],
    ["codex", "UserPromptSubmit"],
    ["claude", "SessionEnd"],
  ]);
  assert.equal(printed, "");
});

test("a text that may take the parser longer than the deadline is left to a worker", async (t) => {
  const repo = installedRepo(t);
  repo.env.UA_HOOKS = "0"; // the commit is verified by nobody
  const small = "export function twice(x: number, by: number) {\n  return x * by;\n}\n";
  repo.commit("more", { "src/b.ts": small + "// a long comment\n".repeat(10_000) });
  const { UA_HOOKS: _off, ...env } = repo.env;
  const hook = repoAt(repo.dir, repo.base, env);
  const ask = () => {
    const input = JSON.stringify({ session_id: "s", cwd: repo.dir });
    const agent = join(repo.dir, ".git/ua-hooks/agent.sh");
    return spawnSync("sh", [agent, "claude", "SessionStart"], {
      cwd: repo.dir,
      env: hook.env,
      input,
      encoding: "utf8",
    });
  };
  const first = ask();
  assert.deepEqual([first.status, first.stdout], [0, ""]);
  await until("a worker has verified the commit", () => repo.marker()?.head.commit === repo.head());
  assert.match(ask().stdout, /src\/b\.ts/, "said at the next event");
  await until("the worker is done", () => workersOf(repo).length === 0);
});

test("a parse ends with the deadline of its process, and is not taken for one that gave up", async (t) => {
  t.after(() => parseUntilOnly(Number.POSITIVE_INFINITY));
  // Takes the parser minutes.
  const hostile = Buffer.from("a<b<(c) => ".repeat(10_000));
  const budget = { parseBudgetMs: 600_000 };
  parseUntilOnly(clock() + 300);
  await assert.rejects(fingerprintText("a.ts", hostile, budget), isOutOfTime);
  await assert.rejects(fingerprintText("b.ts", Buffer.from("export const b = 1;\n"), budget), isOutOfTime);
  parseUntilOnly(Number.POSITIVE_INFINITY);
  assert.equal((await fingerprintText("b.ts", Buffer.from("export const b = 1;\n"))).hasStructuralAnalysis, true);
});

test("each caller says how long a statement waits", async (t) => {
  const repo = installedRepo(t);
  const state = join(repo.dir, ".git/ua-hooks");
  for (const waitMs of [250, 10_000]) {
    const db = await openState(state, { waitMs });
    assert.equal(db.get<{ timeout: number }>("PRAGMA busy_timeout")?.timeout, waitMs);
    db.close();
  }
});
