import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { cli, installedRepo } from "../support/repo.js";
import { BODY, INTERFACE, list, show, tell, unwatchedRepo, updateFile, verdictsIn, verify } from "./support.js";

test("after a task: the touched files of HEAD, or of the commit that is named; the sha is HEAD then", (t) => {
  const repo = unwatchedRepo(t);
  verify(repo);
  const first = repo.commit("task", { "src/b.ts": INTERFACE, "src/c.ts": "export const c = 1;\n" });
  repo.commit("another", { "tools/run.py": "def run():\n    return 1\n" });
  const done = tell(repo, { "src/b.ts": "Doubles, and adds." }, "--commit", first);
  assert.deepEqual(done.untold, ["src/c.ts"]);
  assert.deepEqual([done.advanced, done.last_verified_sha], [true, repo.head()]);
  assert.deepEqual(tell(repo, {}).untold, ["tools/run.py"]);
  assert.equal(verify(repo).action, "trusted");
  assert.equal(show(repo, "src/b.ts").summary, "Doubles, and adds.");
  assert.equal(repo.ua("registry", "update-summaries", updateFile(repo, {}), "--commit", "nowhere").code, 2);
});

test("a path that fails is named, keeps none from being stored, and keeps the sha where it is", (t) => {
  const repo = unwatchedRepo(t);
  const before = verify(repo).last_verified_sha;
  repo.commit("task", { "src/b.ts": INTERFACE });
  repo.write({ "ignored.log": "x\n", ".git/info/exclude": "*.log\n" });
  const {
    updated,
    failed,
    advanced,
    last_verified_sha: sha,
  } = tell(repo, {
    ...{ "src/b.ts": "Doubles.", "src/gone.ts": "Nothing.", "../outside": "Nothing.", "src/a.ts": "  " },
    ...{ "ignored.log": "Nothing.", ".understand-anything/meta.json": "Ours.", src: "A folder." },
  });
  assert.deepEqual(
    updated.map(({ path }) => path),
    ["src/b.ts"],
  );
  assert.deepEqual(Object.fromEntries(failed.map(({ path, reason }) => [path, reason])), {
    "src/gone.ts": "there is no such file in this worktree, or git ignores it",
    "../outside": "the path is not a file in this worktree",
    "src/a.ts": "the summary is empty",
    "ignored.log": "there is no such file in this worktree, or git ignores it",
    ".understand-anything/meta.json": "the path is not a file in this worktree",
    src: "there is no such file in this worktree, or git ignores it",
  });
  assert.deepEqual([advanced, sha], [false, before]);
  assert.deepEqual(verdictsIn(verify(repo)), ["src/b.ts mismatch"], "so the next question verifies");
  assert.equal(show(repo, "src/b.ts").summary_state, "fresh");
});

test("what is not an update is refused whole, and says what would be one", (t) => {
  const repo = installedRepo(t);
  for (const input of ["", "[]", '{"updates":{}}', '{"updates":[{"path":"a"}]}', '{"updates":[{"summary":"a"}]}']) {
    const { status, stderr } = spawnSync(process.execPath, [cli, "registry", "update-summaries", "-"], {
      ...{ cwd: repo.dir, env: repo.env, input, encoding: "utf8" },
    });
    assert.equal(status, 2, input);
    assert.match(stderr, /the summaries cannot be read/);
  }
  const given = JSON.stringify({ updates: [{ path: "src/b.ts", summary: "Doubles." }] });
  const { status } = spawnSync(process.execPath, [cli, "registry", "update-summaries"], {
    ...{ cwd: repo.dir, env: repo.env, input: given },
  });
  assert.equal(status, 0, "from standard input, where no file is named");
  assert.equal(show(repo, "src/b.ts").summary, "Doubles.");
});

test("a path with a NUL in it, which no process can be given, is a mistake and no defect", (t) => {
  const repo = unwatchedRepo(t);
  const { code, stderr } = repo.ua("registry", "update-summaries", updateFile(repo, { "src/b.ts\0": "Doubles." }));
  assert.equal(code, 2, stderr);
  assert.match(stderr, /NUL/);
});

test("a summary of an uncommitted content belongs to that content, and can be graded when it is gone", (t) => {
  const repo = unwatchedRepo(t);
  repo.write({ "src/b.ts": BODY });
  tell(repo, { "src/b.ts": "Adds to itself." });
  assert.deepEqual([show(repo, "src/b.ts").summary_state, show(repo, "src/b.ts").uncommitted], ["fresh", true]);
  repo.git("checkout", "-q", "src/b.ts");
  const { summary, summary_state: state, drift } = show(repo, "src/b.ts");
  assert.deepEqual([summary, state, drift], ["Adds to itself.", "aging", "body"]);
  repo.commit("now", { "src/b.ts": BODY });
  assert.equal(show(repo, "src/b.ts").summary_state, "fresh");
});

test("a summary with its content's oid is refused if the file has changed since", (t) => {
  const repo = unwatchedRepo(t);
  const { content_oid: oid } = show(repo, "src/b.ts");
  repo.write({ "src/b.ts": BODY });
  const input = JSON.stringify({ updates: [{ path: "src/b.ts", summary: "Doubles.", content_oid: oid }] });
  const { stdout } = spawnSync(process.execPath, [cli, "registry", "update-summaries", "--json"], {
    ...{ cwd: repo.dir, env: repo.env, input, encoding: "utf8" },
  });
  const { failed } = JSON.parse(stdout) as { failed: { reason: string }[] };
  assert.match(failed[0]?.reason ?? "", /^the file has changed since: its content is now [0-9a-f]{10}$/);
  assert.equal(list(repo).filter(({ summary }) => summary !== null).length, 0);
});
