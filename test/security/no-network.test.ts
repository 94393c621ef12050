import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { serve } from "../support/remotes.js";
import { cli, type Repo } from "../support/repo.js";
import { describe, makeHub, shareOn } from "../support/team.js";

const hasStrace = spawnSync("strace", ["-V"]).status === 0;

/** Internet sockets that a command and all its children open. */
function socketsOf(repo: Repo, command: string, args: readonly string[], input = ""): string[] {
  const trace = join(repo.base, "trace");
  const { status, stderr } = spawnSync(
    "strace",
    ["-f", "-qq", "-e", "trace=socket,connect", "-o", trace, command, ...args],
    {
      ...{ cwd: repo.dir, env: repo.env, input, encoding: "utf8" },
    },
  );
  assert.equal(status, 0, `${command} ${args.join(" ")}: ${stderr}`);
  const lines = existsSync(trace) ? readFileSync(trace, "utf8").split("\n") : [];
  rmSync(trace, { force: true });
  return lines.filter((line) => /AF_INET/.test(line));
}

const jsonLine = (message: unknown) => `${JSON.stringify(message)}\n`;

/** What an MCP client says to read. */
function mcpInput(): string {
  const client = { name: "test", version: "1" };
  const start = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: client };
  const call = (id: number, name: string, args = {}) => ({
    ...{ jsonrpc: "2.0", id, method: "tools/call" },
    params: { name, arguments: args },
  });
  return [
    { jsonrpc: "2.0", id: 1, method: "initialize", params: start },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    call(2, "get_freshness"),
    call(3, "get_pending_update"),
    call(4, "why_stale", { path: "src/b.ts" }),
    call(5, "file_registry_verify"),
    { jsonrpc: "2.0", id: 6, method: "resources/list" },
  ]
    .map(jsonLine)
    .join("");
}

const WIDER = "export function twice(x: number, by = 2): number {\n  return x * by;\n}\n";

/** A clone with sharing on, whose remote is reached over the network, and with an edit that is not committed. */
async function sharingClone(t: TestContext): Promise<Repo> {
  const hub = makeHub(t);
  const { url } = await serve(t, "http", hub.dir);
  hub.reachBy(url);
  shareOn(hub.first);
  describe(hub.first, ["src/b.ts"], "agent");
  hub.first.write({ "src/b.ts": WIDER });
  return hub.first;
}

test("with sharing on, only typed share commands use the network: not hooks, worker, agents, MCP, install, status", async (t) => {
  if (!hasStrace) return t.skip("there is no strace here");
  const first = await sharingClone(t);
  const ua = (...args: string[]): [string, string[]] => [process.execPath, [cli, ...args]];
  const session = jsonLine({ hook_event_name: "SessionStart", session_id: "s", cwd: first.dir });
  const silent: Record<string, [command: string, args: string[], input?: string]> = {
    "a commit, with the worker in the foreground": ["git", ["commit", "-q", "-a", "-m", "wider"]],
    "a checkout": ["git", ["checkout", "-q", "-b", "other"]],
    "a merge": ["git", ["merge", "-q", "main"]],
    "an agent's hook": ["sh", [join(first.dir, ".git/ua-hooks/agent.sh"), "claude"], session],
    status: ua("status"),
    pending: ua("pending"),
    install: ua("install", "--yes"),
    doctor: ua("doctor"),
    run: ua("run"),
    "share status": ua("share", "status"),
    "share push --dry-run": ua("share", "push", "--dry-run"),
    "MCP reads": [...ua("mcp"), mcpInput()],
    uninstall: ua("uninstall", "--yes"),
  };
  for (const [what, [command, args, input]] of Object.entries(silent))
    assert.deepEqual(socketsOf(first, command, args, input), [], what);
  first.ua("install", "--yes");
  // The same look finds what does use it.
  assert.notDeepEqual(socketsOf(first, ...ua("share", "sync")), []);
  assert.notDeepEqual(socketsOf(first, ...ua("share", "status", "--remote")), []);
});

test("a worker in the background opens no connection either", async (t) => {
  if (!hasStrace) return t.skip("there is no strace here");
  const first = await sharingClone(t);
  const { UA_HOOKS_FOREGROUND: _foreground, ...env } = first.env;
  // strace follows what the hook starts, and ends with the last of it.
  assert.deepEqual(socketsOf({ ...first, env }, "git", ["commit", "-q", "-a", "-m", "wider"]), []);
  assert.deepEqual(first.marker()?.filesToReanalyze, ["src/b.ts"]);
});
