import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "../../support/mcp.js";
import { run } from "../../support/records.js";
import { installedRepo, SMALL_PROJECT } from "../../support/repo.js";

interface Memory {
  records: { id: string; holds: string; status: string; drift: string | null; subjects: string[] }[];
  nextCursor?: string | null;
}

const B = SMALL_PROJECT["src/b.ts"] ?? "";

test("an agent proposes, a person approves, every worktree gets its own verdicts", async (t) => {
  const repo = installedRepo(t);
  const { client, call, failure, said } = await connect(t, repo);
  const { tools } = await client.listTools();
  const changes = ["get_relevant_memory", "record_candidate", "query_memory"].map(
    (wanted) => tools.find(({ name }) => name === wanted)?.annotations?.readOnlyHint === false,
  );
  assert.deepEqual(changes, [false, true, false]);
  const proposal = { statement: "twice never overflows", type: "invariant", subjects: ["src/b.ts#twice"] };
  const { id, status, anchored, created_at_commit } = await call("record_candidate", proposal);
  assert.deepEqual(
    { status, anchored, created_at_commit },
    { status: "draft", anchored: true, created_at_commit: repo.head() },
  );
  assert.match(
    await failure("record_candidate", proposal),
    new RegExp(`record ${id} \\(draft\\) has the same statement about src/b.ts#twice`),
  );
  assert.match(await failure("record_candidate", { ...proposal, subjects: ["../x"] }), /not in this worktree/);
  assert.match(await failure("record_candidate", { ...proposal, statement: "x".repeat(1001) }), /1000/);
  const loose = await call("record_candidate", { ...proposal, subjects: ["src/b.ts#nothing"] });
  assert.match(String(loose.unanchored), /has no function or class "nothing"/);

  const relevant = (more = {}) => call<Memory>("get_relevant_memory", { subjects: ["src/b.ts"], ...more });
  assert.deepEqual((await relevant()).records, [], "drafts are nobody's memory yet");
  assert.equal((await call<Memory>("query_memory", { status: "draft" })).records.length, 2);
  await run(repo, "approve", String(id));
  assert.deepEqual(
    (await relevant()).records.map((one) => one.id),
    [id],
  );

  repo.git("worktree", "add", "-q", "-b", "side", "../side");
  repo.at(join(repo.base, "side")).commit("interface", { "src/b.ts": B.replace("x: number", "x: number, y = 0") });
  assert.deepEqual(
    (await relevant()).records.map((one) => one.status),
    ["active"],
  );
  assert.deepEqual((await relevant({ worktree: "side" })).records, []);
  const [stale] = (await relevant({ worktree: "side", include_stale: true })).records;
  assert.deepEqual([stale?.status, stale?.drift], ["stale", "interface"]);
  const written = /^written by an agent, \d{4}-\d\d-\d\d, approved by "[^"]+"; /;
  for (const { holds = "" } of [stale ?? {}, ...(await relevant()).records]) assert.match(holds, written);
  assert.match(stale?.holds ?? "", /; it may be false: its interface changed since$/);
  assert.match((await relevant()).records[0]?.holds ?? "", /; it still holds$/);

  for (let at = 0; at < 3; at++) await run(repo, "add", `Page ${at} of the notes`, "--type", "discovery");
  const page = await call<Memory>("query_memory", { query: "NOTES page", limit: 2 });
  assert.equal(page.records.length, 2);
  const rest = await call<Memory>("query_memory", { query: "NOTES page", limit: 2, cursor: page.nextCursor });
  assert.deepEqual([rest.records.length, rest.nextCursor], [1, null]);
  assert.equal(said(), "");
});
