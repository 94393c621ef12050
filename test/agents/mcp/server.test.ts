import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { isRunning } from "../../../src/platform/process.js";
import { analysisOf, applyTo } from "../../support/agent.js";
import { connect } from "../../support/mcp.js";
import { cli, installedRepo, makeRepo, type Repo, until } from "../../support/repo.js";
import { hold } from "../../support/workers.js";

const WIDER = "export function twice(x: number, times: number): number {\n  return x * times;\n}\n";

function pendingRepo(t: TestContext, files = 1): Repo {
  const repo = installedRepo(t);
  const more = Array.from({ length: files - 1 }, (_, at) => [
    `src/n${String(at).padStart(2, "0")}.ts`,
    "export const n = 1;\n",
  ]);
  repo.commit("wider", { "src/b.ts": WIDER, ...Object.fromEntries(more) });
  return repo;
}

interface Page {
  files: { path: string }[];
  total: number;
  nextCursor: string | null;
}

test("the tools are listed with schemas on both sides, and say what they change", async (t) => {
  const { client, said } = await connect(t, installedRepo(t));
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  const wanted = ["get_freshness", "get_pending_update", "claim_update", "apply_update", "ack_update", "why_stale"];
  assert.deepEqual(names.slice(0, wanted.length), wanted);
  for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
    assert.ok(title && description, name);
    assert.equal(inputSchema.type, "object", name);
    assert.equal(outputSchema?.type, "object", name);
    if (wanted.includes(name)) assert.equal(annotations?.readOnlyHint, /^(get|why)_/.test(name), name);
    assert.equal(annotations?.destructiveHint, false, name);
    // Gemini CLI reads the schemas of draft 7: with a tuple of a later one it refuses the answer.
    assert.doesNotMatch(JSON.stringify([inputSchema, outputSchema]), /prefixItems|unevaluated|dependentSchemas/, name);
  }
  assert.equal(said(), "");
});

test("long lists come in pages, and a cursor into a list that has changed is refused", async (t) => {
  const repo = pendingRepo(t, 25);
  const { call, failure } = await connect(t, repo);
  const all: string[] = [];
  let cursor: string | undefined;
  for (let pages = 1; ; pages++) {
    const page: Page = await call<Page>("get_pending_update", {
      limit: 10,
      ...(cursor === undefined ? {} : { cursor }),
    });
    assert.equal(page.total, 26, "25 to analyse, and one that imports what changed");
    all.push(...page.files.map(({ path }) => path));
    if (page.nextCursor === null) {
      assert.equal(pages, 3);
      break;
    }
    cursor = page.nextCursor;
  }
  assert.equal(new Set(all).size, 26);
  repo.commit("one more", { "src/more.ts": "export const more = 1;\n" });
  assert.match(
    await failure("get_pending_update", { cursor }),
    /^usage: the list has changed since this cursor was issued\nnext: /,
  );
  assert.match(await failure("get_pending_update", { cursor: "nonsense" }), /^usage: this is not a cursor/);
  assert.match(await failure("get_pending_update", { limit: 1000 }), /limit/);
});

test("errors say what happened and what to do next", async (t) => {
  const repo = pendingRepo(t);
  const { call, failure } = await connect(t, repo);
  await call("claim_update", { holder: "first" });
  assert.match(
    await failure("claim_update", { holder: "second" }),
    /^busy: first holds the lease, until .*\nnext: wait, or, if its holder has ended/,
  );
  assert.match(await failure("apply_update", { nodes: [{ id: 7 }], edges: [] }), /node 0|nodes\[0\]|id/);
  assert.match(await failure("apply_update", { nodes: [], edges: [], lease: "nobody's" }), /^usage: there is no lease/);
  assert.match(await failure("ack_update", { generation: 99 }), /^usage: there was no generation 99/);
  assert.match(await failure("why_stale", { path: "../outside" }), /^usage: .* is not in this worktree/);
  assert.match(
    await failure("get_freshness", { worktree: "nowhere" }),
    /^usage: "nowhere" is not a worktree of this repo/,
  );
  const { drift, details, importers } = await call("why_stale", { path: "src/b.ts" });
  assert.deepEqual([drift, details, importers], ["interface", ["params changed: twice"], ["src/a.ts"]]);
});

test("why_stale names who described what changed", async (t) => {
  const repo = installedRepo(t);
  applyTo(repo, { descriptions: { "function:src/b.ts:twice": { summary: "Doubles." } } }, "--undescribed");
  repo.commit("wider", { "src/b.ts": "export function twice(x: number, y = 2): number {\n  return x * y;\n}\n" });
  const { call } = await connect(t, repo);
  const { symbols, shown } = await call<{ symbols: { describedBy?: string }[]; shown: { id: string } }>("why_stale", {
    path: "src/b.ts",
  });
  assert.ok(symbols.some(({ describedBy }) => describedBy !== undefined));
  assert.equal(shown.id, "file:src/b.ts");
});

test("a delivery may be large", async (t) => {
  const repo = pendingRepo(t);
  const { call } = await connect(t, repo);
  const result = analysisOf(repo, ["src/b.ts"], "x".repeat(5_300_000));
  assert.equal((await call("apply_update", result)).pending, null);
});

test("where ua-hooks is not installed, or there is no repository, each call says so and the server lives", async (t) => {
  const repo = makeRepo(t);
  repo.commit("start", { "a.ts": "export const a = 1;\n" });
  const { failure } = await connect(t, repo);
  assert.match(await failure("get_freshness"), /^not-set-up: .*\nnext: run `ua-hooks install`/);
  assert.equal(existsSync(join(repo.dir, ".git/ua-hooks")), false, "nothing is made by asking");
  const outside = await connect(t, repo, { cwd: repo.base });
  assert.match(await outside.failure("get_freshness"), /^not-a-repository: /);
  assert.match(await outside.failure("get_pending_update"), /^not-a-repository: /);
});

const isGone = /^(not-a-repository|not-set-up|git|failed): .*\nnext: (?!this is a defect)/s;

for (const [what, take] of [
  ["moved", (repo: Repo) => renameSync(repo.dir, `${repo.dir}-elsewhere`)],
  ["removed", (repo: Repo) => rmSync(repo.dir, { recursive: true })],
  ["removed but for its folder", (repo: Repo) => rmSync(join(repo.dir, ".git"), { recursive: true })],
  ["without its state", (repo: Repo) => rmSync(join(repo.dir, ".git/ua-hooks"), { recursive: true })],
] as const) {
  test(`a repository that is ${what} while the server runs: each call says so, and the server ends as ever`, async (t) => {
    const repo = pendingRepo(t);
    const { client, call, failure, said } = await connect(t, repo);
    assert.equal((await call("get_freshness")).status, "pending");
    take(repo);
    const { tools } = await client.listTools();
    for (const { name } of tools) assert.match(await failure(name, ARGUMENTS[name] ?? {}), isGone, name);
    for (const uri of ["ua://status", "ua://pending", "ua://graph/file:src/b.ts"])
      await assert.rejects(client.readResource({ uri }), /is not in a git repository|is not installed/, uri);
    assert.equal(said(), "");
  });
}

const ARGUMENTS: Record<string, Record<string, unknown>> = {
  apply_update: { nodes: [], edges: [] },
  why_stale: { path: "src/b.ts" },
  get_node: { id: "file:src/b.ts" },
  get_broken_lines: {},
  file_registry_update_summaries: { updates: [{ path: "src/b.ts", summary: "doubles" }] },
  get_relevant_memory: { subjects: ["src/b.ts"] },
  record_candidate: { type: "decision", statement: "Doubling is enough.", subjects: ["src/b.ts"] },
};

test("a repository that is moved in the middle of a call: the call says what is gone", async (t) => {
  const repo = pendingRepo(t);
  const held = hold(repo, "verify.save");
  const { client, failure, pid } = await connect(t, repo, { env: { UA_HOOKS_FAULT: held.fault } });
  const claim = failure("claim_update");
  await until("the call is at work", held.reached);
  renameSync(repo.dir, `${repo.dir}-elsewhere`);
  held.letGo();
  assert.match(await claim, isGone);
  assert.ok(!existsSync(repo.dir), "nothing is created in its old place");
  assert.match(await failure("get_freshness"), /^not-a-repository: .*\(the folder is gone\)/);
  const server = pid();
  await client.close();
  await until("it has ended", () => !isRunning({ pid: server, born: "" }));
});

test("150,000 paths in one delivery get an answer, by MCP and by the command", async (t) => {
  const repo = pendingRepo(t);
  const { call, failure } = await connect(t, repo);
  const files = Array.from({ length: 150_000 }, (_, at) => `src/d${at % 100}/file-${at}.ts`);
  const result = { ...analysisOf(repo, ["src/b.ts"], "told"), files: [...files, "src/b.ts"] };
  const { applied, refused, refusedTotal } = await call<{
    applied: string[];
    refused: { reason: string }[];
    refusedTotal: number;
  }>("apply_update", result);
  assert.deepEqual([applied, refusedTotal, refused.length], [["src/b.ts"], 150_000, 200]);
  assert.equal(refused[0]?.reason, "the file is not in the commit that was claimed");
  const updates = files.map((path) => ({ path, summary: "x" }));
  assert.match(await failure("file_registry_update_summaries", { updates }), /updates: .*1000 items/);
  const file = join(repo.base, "result.json");
  writeFileSync(file, JSON.stringify(result));
  const { code, stdout, stderr } = repo.ua("apply", file);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(
    stdout,
    /^1 file applied; nothing is pending any more\n(.*stays pending.*\n){50} {2}… and 149950 more\n$/,
  );
});

test("a server in a linked worktree answers for it; a call can ask for another worktree by path or id", async (t) => {
  const repo = installedRepo(t);
  const linked = repo.at(join(repo.base, "linked"));
  repo.git("worktree", "add", "-q", linked.dir, "-b", "topic");
  linked.commit("wider", { "src/b.ts": WIDER });
  const main = await connect(t, repo);
  const there = await connect(t, repo, { cwd: join(linked.dir, "src") });
  const status = async (session: typeof main, args = {}) => (await session.call("get_freshness", args)).status;
  assert.deepEqual([await status(main), await status(there)], ["fresh", "pending"]);
  assert.equal(await status(main, { worktree: linked.dir }), "pending");
  assert.equal(await status(main, { worktree: "linked" }), "pending");
  assert.equal(await status(there, { worktree: "." }), "fresh");
  const { pending } = await main.call<{ pending: { lease: { id: string } } }>("claim_update", { worktree: "linked" });
  const result = { ...analysisOf(linked, ["src/b.ts"], "told"), lease: pending.lease.id };
  assert.equal((await there.call("apply_update", result)).pending, null);
  assert.deepEqual([await status(main), await status(there)], ["fresh", "fresh"]);
});

test("several servers on one repository: of those that claim at once one wins, and all see the end", async (t) => {
  const repo = pendingRepo(t);
  const sessions = await Promise.all([1, 2, 3].map(() => connect(t, repo)));
  const claims = await Promise.allSettled(sessions.map(({ call }) => call("claim_update")));
  assert.equal(claims.filter(({ status }) => status === "fulfilled").length, 1);
  await Promise.all(sessions.map(({ call }) => call("get_freshness")));
  await sessions[0]?.call("apply_update", analysisOf(repo, ["src/b.ts"], "told"));
  for (const { call, said } of sessions) {
    assert.equal((await call("get_freshness")).status, "fresh");
    assert.equal(said(), "");
  }
});

test("long work reports progress; called off while it waits, it is not done", async (t) => {
  const repo = pendingRepo(t);
  const held = hold(repo, "verify.save");
  const busy = spawn(process.execPath, [cli, "claim", "--holder", "slow"], {
    cwd: repo.dir,
    env: { ...repo.env, UA_HOOKS_FAULT: held.fault },
    stdio: "ignore",
  });
  const ended = new Promise((resolve) => busy.on("exit", resolve));
  await until("somebody holds the lock", held.reached);
  const { client, call } = await connect(t, repo);
  const heard: string[] = [];
  const stop = new AbortController();
  const ack = client.callTool(
    { name: "ack_update", arguments: {} },
    { signal: stop.signal, onprogress: ({ message }) => heard.push(message ?? "") },
  );
  ack.catch(() => {});
  await until("progress was reported", () => heard.length > 0);
  assert.equal(heard[0], "verifying");
  stop.abort("changed my mind");
  await assert.rejects(ack);
  held.letGo();
  await ended;
  const { pending } = await call<{ pending: { files: number; lease: { holder: string } } | null }>("get_freshness");
  assert.deepEqual([pending?.files, pending?.lease.holder], [1, "slow"], "nothing was acknowledged");
});

test("resources: status, pending, and nodes of the graph by id", async (t) => {
  const repo = pendingRepo(t);
  const { client } = await connect(t, repo);
  const { resources } = await client.listResources();
  assert.deepEqual(resources.map(({ uri }) => uri).sort(), ["ua://pending", "ua://status"]);
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.deepEqual(
    resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ["ua://graph/{node}"],
  );
  const read = async (uri: string) => {
    const [content] = (await client.readResource({ uri })).contents;
    assert.equal(content?.mimeType, "application/json");
    return JSON.parse(content !== undefined && "text" in content ? content.text : "") as Record<string, unknown>;
  };
  assert.equal((await read("ua://status")).status, "pending");
  assert.deepEqual(await read("ua://pending"), JSON.parse(JSON.stringify(repo.marker())));
  for (const uri of ["ua://graph/file:src/b.ts", `ua://graph/${encodeURIComponent("file:src/b.ts")}`]) {
    const { node, drift, details } = await read(uri);
    assert.equal((node as { id: string }).id, "file:src/b.ts");
    assert.deepEqual([drift, details], ["interface", ["params changed: twice"]]);
  }
  assert.equal((await read("ua://graph/file:src/a.ts")).drift, "none");
  const holds = async (id: string) => (await read(`ua://graph/${id}`)).holds;
  assert.equal(
    await holds("function:src/b.ts:twice"),
    "made from the code itself, without a model; it may be false: its interface changed since",
  );
  assert.equal(await holds("file:src/a.ts"), "made from the code itself, without a model; it still holds");
  const descriptions = {
    "function:src/b.ts:twice": { summary: "Multiplies." },
    "file:src/b.ts": { summary: "Multiplies." },
  };
  repo.uaJson("claim", "--holder", "claude:one");
  repo.write({ "../answers.json": JSON.stringify({ descriptions }) });
  assert.equal(repo.uaJson("apply", join(repo.base, "answers.json")).pending, null);
  assert.match(
    String(await holds("function:src/b.ts:twice")),
    /^written in this clone by "claude:one", \d{4}-\d\d-\d\d; it still holds$/,
  );
  repo.commit("again", { "src/b.ts": "export function twice(x: number): string {\n  return String(x);\n}\n" });
  assert.match(
    String(await holds("function:src/b.ts:twice")),
    /by "claude:one", .*; it may be false: its interface changed since$/,
  );
  await assert.rejects(client.readResource({ uri: "ua://graph/file:nothing" }), /the graph has no node "file:nothing"/);
  const { completion } = await client.complete({
    ref: { type: "ref/resource", uri: "ua://graph/{node}" },
    argument: { name: "node", value: "file:src/" },
  });
  assert.deepEqual(completion.values, ["file:src/a.ts", "file:src/b.ts"]);
});

test("nothing but the protocol on stdout, and the server ends with its stdin", async (t) => {
  const repo = pendingRepo(t);
  const child = spawn(process.execPath, [cli, "mcp"], { cwd: repo.dir, env: repo.env, stdio: "pipe" });
  t.after(() => child.kill());
  const answers = new Map<number, Record<string, unknown>>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as { jsonrpc: string; id: number };
    assert.equal(message.jsonrpc, "2.0");
    answers.set(message.id, message);
  });
  const send = (message: Record<string, unknown>) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "by hand", version: "1" };
  const params = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo };
  send({ id: 1, method: "initialize", params });
  await until("it is there", () => answers.has(1));
  const { result } = answers.get(1) ?? assert.fail();
  assert.equal((result as { protocolVersion: string }).protocolVersion, "2024-11-05", "an old client");
  send({ method: "notifications/initialized" });
  child.stdin.write("this is no message\n");
  send({ id: 2, method: "tools/call", params: { name: "claim_update", arguments: {} } });
  await until("it answers", () => answers.has(2));
  const closed = new Promise((resolve) => child.on("exit", resolve));
  child.stdin.end();
  assert.equal(await closed, 0);
});
