import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Lock, tryLock } from "../../src/store/lock.js";
import { openState } from "../../src/store/state.js";
import { connect } from "../support/mcp.js";
import { installedRepo, type Repo } from "../support/repo.js";

// What a reader gets that can say "unknown", while another process has the lock for longer than it waits.

const DUE = { "src/b.ts": "export function twice(x: number, y: number): number {\n  return x * y;\n}\n" };
const ALSO = { "src/a.ts": "export const a = 1;\n" };

/** Somebody works in the clone until the test ends. `isWriting`: in the middle of a transaction. */
async function busyRepo(t: TestContext, { isWriting = false } = {}): Promise<{ repo: Repo; verified: string }> {
  const repo = installedRepo(t);
  const verified = repo.commit("due", DUE);
  const db = await openState(join(repo.dir, ".git/ua-hooks"));
  const { lock } = tryLock(db, join(repo.dir, ".git/ua-hooks"));
  assert.notEqual(lock, null);
  repo.write(ALSO);
  repo.git("-c", "core.hooksPath=/dev/null", "commit", "-qam", "also");
  if (isWriting) db.exec("BEGIN IMMEDIATE");
  t.after(() => {
    if (isWriting) db.exec("ROLLBACK");
    (lock as Lock).release();
    db.close();
  });
  return { repo, verified };
}

interface Answer {
  status?: string;
  state?: string;
  reason: string;
  lastKnown: { status: string; verifiedSha: string; verifiedAt: string; files: string[] };
}

for (const isWriting of [false, true]) {
  const what = isWriting ? "writes" : "verifies";
  test(`while another process ${what}, status and pending say unknown, and what was known before`, async (t) => {
    const { repo, verified } = await busyRepo(t, { isWriting });
    const status = repo.uaJson<Answer>("status");
    assert.deepEqual([status.status, status.reason], ["unknown", "being verified"]);
    const { verifiedAt, ...known } = status.lastKnown;
    assert.deepEqual(known, { status: "pending", verifiedSha: verified, files: ["src/b.ts"] });
    assert.ok(verifiedAt <= new Date().toISOString());
    const pending = repo.uaJson<Answer>("pending");
    assert.deepEqual([pending.state, pending.reason], ["unknown", "being verified"]);
    assert.deepEqual(pending.lastKnown, status.lastKnown);

    assert.match(repo.ua("status").stdout, /unknown {2}being verified\nLast known +pending, 1 file; verified at/);
    assert.match(repo.ua("pending").stdout, /^Unknown: being verified\. Last known: pending, 1 file/);
    for (const command of ["status", "pending"]) assert.equal(repo.ua(command, "--exit-code").code, 1, command);
  });
}

test("the same for an agent: no tool takes what is not known for nothing", async (t) => {
  const { repo, verified } = await busyRepo(t);
  const { call, client } = await connect(t, repo);
  const freshness = await call<Answer>("get_freshness");
  assert.deepEqual([freshness.status, freshness.reason], ["unknown", "being verified"]);
  assert.equal(freshness.lastKnown.verifiedSha, verified);
  const pending = await call<{ pending: unknown; unknown: string; lastKnown: unknown }>("get_pending_update");
  assert.deepEqual([pending.pending, pending.unknown], [null, "being verified"]);
  assert.deepEqual(pending.lastKnown, freshness.lastKnown);
  const node = await call<{ holds: string; drift: string }>("get_node", { id: "file:src/a.ts" });
  assert.match(node.holds, /^unknown: being verified; before: /);
  assert.equal(node.drift, "unknown");
  const { contents } = await client.readResource({ uri: "ua://pending" });
  const text = contents[0] !== undefined && "text" in contents[0] ? contents[0].text : "";
  assert.deepEqual(JSON.parse(String(text)).state, "unknown");
});

test("once it is done, they know", async (t) => {
  const repo = installedRepo(t);
  repo.commit("due", DUE);
  assert.equal(repo.uaJson("status").status, "pending");
  assert.equal("lastKnown" in repo.uaJson("status"), false);
});
