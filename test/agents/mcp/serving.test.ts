import assert from "node:assert/strict";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { isRunning } from "../../../src/platform/process.js";
import { connect } from "../../support/mcp.js";
import { hear } from "../../support/notification.js";
import { installedRepo, type Repo, until } from "../../support/repo.js";

function pendingRepo(t: TestContext): Repo {
  const repo = installedRepo(t);
  repo.commit("wider", {
    "src/b.ts": "export function twice(x: number, times: number): number {\n  return x * times;\n}\n",
  });
  return repo;
}

test("a server whose client names no conversation: it may claim again, another may not, and its end gives the lease back", async (t) => {
  const repo = pendingRepo(t);
  const [one, two] = await Promise.all([connect(t, repo), connect(t, repo)]);
  const lease = () => repo.marker()?.lease ?? null;
  await one.call("claim_update");
  const first = lease();
  assert.match(first?.holder ?? "", /^mcp:test-[0-9a-f]{6}$/);
  await one.call("claim_update");
  assert.equal(lease()?.id, first?.id);
  assert.match(await two.failure("claim_update"), /^busy: mcp:test-[0-9a-f]{6} holds the lease/);
  const told = await hear(repo, ["codex", "SessionStart"], JSON.stringify({ session_id: "s", cwd: repo.dir }));
  assert.match(told.stdout, /If it was claimed here over MCP, go on; otherwise there is nothing to do here\./);
  await one.client.close();
  assert.equal(lease(), null);
  await two.call("claim_update");
  process.kill(two.pid(), "SIGTERM");
  await until("the server has ended", () => !isRunning({ pid: two.pid(), born: "" }));
  assert.equal(lease(), null);
});

test("the names in what a server says are the launcher's; a server whose program is replaced ends", async (t) => {
  const repo = pendingRepo(t);
  const launcher = join(repo.dir, ".git/ua-hooks/bin/ua-hooks");
  const { call, failure, pid } = await connect(t, repo, { command: ["sh", launcher] });
  await call("claim_update", { holder: "first" });
  assert.ok((await failure("claim_update", { holder: "second" })).includes(`run \`'${launcher}' release\``));
  assert.equal((await call("get_freshness")).status, "pending");
  const program = join(repo.dir, ".git/ua-hooks/runtime/mcp.cjs");
  writeFileSync(`${program}.new`, `${readFileSync(program, "utf8")}\n`);
  renameSync(`${program}.new`, program);
  const server = pid();
  assert.match(await failure("get_freshness"), /ua-hooks was upgraded while this server ran\nnext: .*start it again/);
  await until("the server has ended", () => !isRunning({ pid: server, born: "" }));
});

const WRONG: [name: string, args: Record<string, unknown>][] = [
  ["get_node", {}],
  ["get_node", { id: 7 }],
  ["get_node", { id: "x".repeat(5000) }],
  ["why_stale", { path: null }],
  ["claim_update", { page: -1 }],
  ["claim_update", { holder: "" }],
  ["claim_update", { lease: { id: "x" } }],
  ["ack_update", { generation: 1.5 }],
  ["apply_update", {}],
  ["apply_update", { descriptions: [] }],
  ["apply_update", { descriptions: { "function:src/b.ts:twice": { summary: "" } } }],
  ["apply_update", { unchanged: "all" }],
  ["get_relevant_memory", { subjects: "src/b.ts" }],
  ["record_candidate", { statement: "", type: "decision", subjects: [] }],
  ["record_candidate", { statement: "x", type: "nonsense", subjects: [] }],
  ["query_memory", { limit: 0 }],
  ["file_registry_update_summaries", { updates: [{ path: "src/b.ts" }] }],
  ["get_freshness", { worktree: 5 }],
];

test("wrong and missing arguments: each is an error that says so, nothing is changed, and the server goes on", async (t) => {
  const repo = pendingRepo(t);
  const { client, call, failure, said } = await connect(t, repo);
  for (const [name, args] of WRONG) {
    const text = await failure(name, args);
    assert.doesNotMatch(text, /defect|undefined is not|Cannot read/, `${name} ${JSON.stringify(args)}: ${text}`);
  }
  await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), /no_such_tool|not found/i);
  await assert.rejects(client.readResource({ uri: "ua://graph/file:nowhere.ts" }), /no node/);
  assert.equal((await call("get_freshness")).status, "pending");
  assert.deepEqual([repo.marker()?.lease, repo.marker()?.attempts, said()], [null, 0, ""]);
});
