import assert from "node:assert/strict";
import { test } from "node:test";
import type { VerifyAnswer } from "../../../src/registry/answers.js";
import type { Updated } from "../../../src/registry/update.js";
import { A, BODY, INTERFACE, unwatchedRepo } from "../../registry/support.js";
import { connect } from "../../support/mcp.js";

type Page = VerifyAnswer & { total: number; nextCursor: string | null; stale_total: number };

test("over MCP: verify, a task with its summaries, drift, and verify again", async (t) => {
  const repo = unwatchedRepo(t);
  const { call } = await connect(t, repo);
  const first = await call<Page>("file_registry_verify");
  assert.deepEqual([first.action, first.counts.match], ["bootstrapped", 3]);
  const again = await call<Page>("file_registry_verify");
  assert.deepEqual([again.action, again.compared], ["trusted", 0]);

  repo.commit("task", { "src/b.ts": BODY, "src/c.ts": "export const c = 1;\n" });
  const updates = [{ path: "src/b.ts", summary: "Doubles." }];
  const done = await call<Updated>("file_registry_update_summaries", { updates });
  assert.deepEqual([done.failed, done.untold, done.advanced], [[], ["src/c.ts"], true]);
  assert.equal(done.last_verified_sha, repo.head());

  repo.commit("away", { "src/b.ts": INTERFACE, "src/a.ts": `// more\n${A}` });
  const { verdicts, stale, stale_total: total } = await call<Page>("file_registry_verify", { md5: true });
  assert.deepEqual(
    verdicts.map(({ path, verdict, summary_state: state }) => [path, verdict, state]),
    [
      ["src/a.ts", "mismatch", null],
      ["src/b.ts", "mismatch", "stale"],
    ],
  );
  assert.ok(verdicts.every(({ content_md5: sum }) => /^[0-9a-f]{32}$/.test(sum ?? "")));
  assert.deepEqual([stale.map(({ path }) => path), total], [["src/b.ts"], 1]);
});

test("over MCP: pages of one answer, though verdicts are reported once; failures name the path", async (t) => {
  const repo = unwatchedRepo(t);
  const { call, failure } = await connect(t, repo);
  await call("file_registry_verify");
  const files = Array.from({ length: 7 }, (_, at) => [`src/n${at}.ts`, `export const n = ${at};\n`]);
  repo.commit("many", Object.fromEntries(files) as Record<string, string>);
  const paths: string[] = [];
  let page = await call<Page>("file_registry_verify", { limit: 3 });
  assert.equal(page.total, 7);
  for (;;) {
    paths.push(...page.verdicts.map(({ path }) => path));
    if (page.nextCursor === null) break;
    page = await call<Page>("file_registry_verify", { limit: 3, cursor: page.nextCursor });
  }
  assert.deepEqual(
    paths,
    files.map(([path]) => path),
  );
  assert.match(await failure("file_registry_verify", { cursor: "bm8" }), /^usage: this is not a cursor/);
  const updates = [{ path: "nowhere.ts", summary: "Nothing." }];
  const { failed, advanced } = await call<Updated>("file_registry_update_summaries", { updates, paths: [] });
  assert.deepEqual([failed.map(({ path }) => path), advanced], [["nowhere.ts"], false]);
  assert.match(
    await failure("file_registry_update_summaries", { commit: "nope" }),
    /^usage: there is no commit "nope"/,
  );
});
