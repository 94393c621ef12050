import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { serve } from "../support/remotes.js";
import { cli, type Repo } from "../support/repo.js";
import { describe, makeHub, shareOn } from "../support/team.js";

const hasStrace = spawnSync("strace", ["-V"]).status === 0;

/** What a connection needs: a socket, the programs that git starts for one, and those that ask for a password. */
const CONNECTS =
  /AF_INET|execve\("[^"]*(?:git-remote-|git-(?:fetch|receive|send|upload)-pack|git-credential|\/ssh"|\/asks")/;

/** Signs of a connection, in a command and all its children. */
function connectionsOf(repo: Repo, command: string, args: readonly string[], input = ""): string[] {
  const trace = join(repo.base, "trace");
  const { status, stderr } = spawnSync(
    "strace",
    ["-f", "-qq", "-e", "trace=socket,connect,execve", "-o", trace, command, ...args],
    {
      ...{ cwd: repo.dir, env: repo.env, input, encoding: "utf8" },
    },
  );
  assert.equal(status, 0, `${command} ${args.join(" ")}: ${stderr}`);
  const lines = existsSync(trace) ? readFileSync(trace, "utf8").split("\n") : [];
  rmSync(trace, { force: true });
  return lines.filter((line) => CONNECTS.test(line));
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
  const asks = join(hub.first.base, "asks");
  writeFileSync(asks, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  for (const key of ["core.askPass", "core.sshCommand"]) hub.first.git("config", key, asks);
  hub.first.git("config", "credential.helper", `!${asks}`);
  return { ...hub.first, env: { ...hub.first.env, GIT_ASKPASS: asks, SSH_ASKPASS: asks } };
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
    "share on": ua("share", "on", "--yes", "--trust", "pushers"),
    registry: ua("registry", "verify"),
    report: ua("report", "--json"),
    check: ua("check"),
    "an agent's hook at a prompt": [
      "sh",
      [join(first.dir, ".git/ua-hooks/agent.sh"), "claude"],
      jsonLine({ hook_event_name: "UserPromptSubmit", session_id: "s", cwd: first.dir, prompt: "go on" }),
    ],
    "share off": ua("share", "off"),
    "MCP reads": [...ua("mcp"), mcpInput()],
    uninstall: ua("uninstall", "--yes"),
  };
  for (const [what, [command, args, input]] of Object.entries(silent))
    assert.deepEqual(connectionsOf(first, command, args, input), [], what);
  first.ua("install", "--yes");
  shareOn(first);
  // The same look finds what does use it.
  assert.notDeepEqual(connectionsOf(first, ...ua("share", "sync")), []);
  assert.notDeepEqual(connectionsOf(first, ...ua("share", "status", "--remote")), []);
});

test("a worker in the background opens no connection either", async (t) => {
  if (!hasStrace) return t.skip("there is no strace here");
  const first = await sharingClone(t);
  const { UA_HOOKS_FOREGROUND: _foreground, ...env } = first.env;
  // strace follows what the hook starts, and ends with the last of it.
  assert.deepEqual(connectionsOf({ ...first, env }, "git", ["commit", "-q", "-a", "-m", "wider"]), []);
  assert.deepEqual(first.marker()?.filesToReanalyze, ["src/b.ts"]);
});
