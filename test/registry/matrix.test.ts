import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { installedRepo, SMALL_PROJECT } from "../support/repo.js";
import { emptyRepo, INTERFACE, list, show, tell, twoDevelopers, unwatchedRepo, verdictsIn, verify } from "./support.js";

/** The entry-state table of docs/registry.md. */

const FILES = Object.keys(SMALL_PROJECT).sort();

test("an empty repository: no scan, nothing written; the first task that closes leaves rows for its files only", (t) => {
  const repo = emptyRepo(t);
  const first = verify(repo);
  assert.equal(first.action, "none");
  assert.equal(first.compared, 0);
  assert.equal(first.last_verified_sha, null);
  assert.deepEqual(list(repo), []);

  repo.write({ "notes.tmp": "not of the task\n" });
  repo.write(SMALL_PROJECT);
  repo.git("add", "src", "tools");
  repo.git("commit", "-q", "-m", "first task");
  const done = tell(repo, { "src/a.ts": "Adds.", "src/b.ts": "Doubles." });
  assert.deepEqual(done.failed, []);
  assert.deepEqual(done.untold, ["tools/run.py"]);
  assert.equal(done.last_verified_sha, repo.head());
  rmSync(join(repo.dir, "notes.tmp"));
  const rows = list(repo);
  assert.deepEqual(rows.map(({ path }) => path).sort(), FILES, "the touched files, and nothing else");
  assert.deepEqual(
    rows.map(({ summary }) => summary),
    ["Adds.", "Doubles.", null],
  );
  assert.equal(verify(repo).action, "trusted");
});

test("the first task of a repository whose other files were not touched: rows for the touched ones, and no claim", (t) => {
  const repo = unwatchedRepo(t);
  const head = repo.commit("task", { "src/new.ts": "export const one = 1;\n" });
  const done = tell(repo, { "src/new.ts": "One." });
  assert.deepEqual(done.failed, []);
  assert.equal(done.advanced, false, "not all of HEAD has rows");
  assert.equal(done.last_verified_sha, null);
  const next = verify(repo);
  assert.equal(next.action, "verified");
  assert.deepEqual(verdictsIn(next), ["src/a.ts new", "src/b.ts new", "tools/run.py new"]);
  assert.equal(next.last_verified_sha, head);
  assert.equal(show(repo, "src/new.ts").summary, "One.");
});

test("files and an empty registry: filled from git once, summaries null; later questions do not scan", (t) => {
  const repo = installedRepo(t);
  const first = verify(repo);
  assert.equal(first.action, "bootstrapped");
  assert.equal(first.compared, FILES.length);
  assert.equal(first.hashed, 0, "git's blobs are the hashes");
  assert.equal(first.last_verified_sha, repo.head());
  const rows = list(repo);
  assert.deepEqual(rows.map(({ path }) => path).sort(), FILES);
  for (const row of rows) {
    assert.equal(row.summary, null);
    assert.equal(row.summary_state, null);
    assert.equal(row.content_md5, null, "nobody has asked");
    assert.equal(row.content_oid, repo.git("rev-parse", `HEAD:${row.path}`));
    assert.equal(row.size_bytes, Buffer.byteLength(repo.read(row.path)));
  }
  for (const again of [verify(repo), verify(repo)]) {
    assert.deepEqual([again.action, again.compared, again.hashed], ["trusted", 0, 0]);
  }
});

test("clean, not behind, HEAD as verified: trusted, and nothing of it is written", (t) => {
  const repo = installedRepo(t);
  verify(repo);
  const state = join(repo.dir, ".git/ua-hooks/state.db");
  const before = [readFileSync(state), existsSync(`${state}-wal`) ? readFileSync(`${state}-wal`) : null];
  const { action, compared, counts } = verify(repo);
  assert.deepEqual([action, compared], ["trusted", 0]);
  assert.deepEqual(counts, { match: FILES.length, mismatch: 0, missing: 0, new: 0 });
  const after = [readFileSync(state), existsSync(`${state}-wal`) ? readFileSync(`${state}-wal`) : null];
  assert.ok(
    before.every((bytes, at) =>
      bytes === null ? after[at] === null || after[at]?.length === 0 : bytes.equals(after[at] ?? Buffer.of()),
    ),
  );
});

test("a pull: the next question verifies, by content; summaries of what changed are marked, others are not", (t) => {
  const { ours, theirs } = twoDevelopers(t);
  verify(ours);
  tell(ours, { "src/a.ts": "Adds.", "src/b.ts": "Doubles.", "tools/run.py": "Runs." });
  theirs.commit("theirs", { "src/b.ts": INTERFACE });
  theirs.git("push", "-q");
  ours.git("pull", "-q");
  const { action, verdicts, stale, last_verified_sha: sha } = verify(ours);
  assert.equal(action, "verified");
  assert.equal(sha, ours.head());
  assert.deepEqual(
    verdicts.map(({ path, verdict, drift, summary_state: state, details }) => ({
      path,
      verdict,
      drift,
      state,
      details,
    })),
    [
      {
        ...{ path: "src/b.ts", verdict: "mismatch", drift: "interface", state: "stale" },
        details: ["params changed: twice"],
      },
    ],
  );
  assert.deepEqual(
    stale.map(({ path }) => path),
    ["src/b.ts"],
  );
  assert.equal(show(ours, "src/b.ts").summary, "Doubles.", "flagged, not dropped");
  assert.equal(show(ours, "src/a.ts").summary_state, "fresh");
  assert.equal(verify(ours).action, "trusted");
  assert.equal(show(ours, "src/b.ts").summary_state, "stale", "until somebody writes another");
});

test("a dirty tree: mismatch and a marked summary, added to the answer and never stored", (t) => {
  const repo = unwatchedRepo(t);
  verify(repo);
  tell(repo, { "src/b.ts": "Doubles." });
  repo.write({ "src/b.ts": INTERFACE });
  for (const run of [1, 2]) {
    const { action, verdicts, last_verified_sha: sha } = verify(repo);
    assert.equal(action, "verified", `question ${run}: the tree is not clean`);
    assert.equal(sha, repo.head());
    assert.equal(verdicts.length, 1);
    const [one] = verdicts;
    assert.deepEqual(
      [one?.path, one?.verdict, one?.summary_state, one?.uncommitted],
      ["src/b.ts", "mismatch", "stale", true],
    );
  }
  repo.git("checkout", "-q", "src/b.ts");
  const { action, counts } = verify(repo);
  assert.equal(action, "trusted");
  assert.equal(counts.mismatch, 0);
  assert.equal(show(repo, "src/b.ts").summary_state, "fresh");
});

test("a file that was deleted upstream loses its row, and its summary comes back with it", (t) => {
  const { ours, theirs } = twoDevelopers(t);
  verify(ours);
  tell(ours, { "tools/run.py": "Runs." });
  theirs.git("rm", "-q", "tools/run.py");
  theirs.commit("gone");
  theirs.git("push", "-q");
  ours.git("pull", "-q");
  assert.deepEqual(verdictsIn(verify(ours)), ["tools/run.py missing"]);
  assert.deepEqual(
    list(ours).map(({ path }) => path),
    ["src/a.ts", "src/b.ts"],
  );
  assert.equal(ours.ua("registry", "show", "tools/run.py").code, 2);

  theirs.git("revert", "--no-edit", "HEAD");
  theirs.git("push", "-q");
  ours.git("pull", "-q");
  const { verdicts } = verify(ours);
  assert.deepEqual(
    verdicts.map(({ verdict, summary_state: state }) => [verdict, state]),
    [["new", "fresh"]],
  );
  assert.equal(show(ours, "tools/run.py").summary, "Runs.");
});

test("a file that was added upstream gets a row with a null summary", (t) => {
  const { ours, theirs } = twoDevelopers(t);
  verify(ours);
  theirs.commit("more", { "src/c.ts": "export const c = 1;\n" });
  theirs.git("push", "-q");
  ours.git("pull", "-q");
  assert.deepEqual(verdictsIn(verify(ours)), ["src/c.ts new"]);
  const row = show(ours, "src/c.ts");
  assert.deepEqual([row.summary, row.summary_state, row.type, row.language], [null, null, "text", "typescript"]);
});

test("behind upstream: verified once for each upstream commit that is known here, and nothing is fetched", (t) => {
  const { ours, theirs } = twoDevelopers(t);
  verify(ours);
  theirs.commit("theirs", { "src/b.ts": INTERFACE });
  theirs.git("push", "-q");
  assert.equal(verify(ours).action, "trusted", "nobody has fetched: it is not known");
  ours.git("fetch", "-q");
  const first = verify(ours);
  assert.deepEqual([first.action, first.reason], ["verified", "origin/main is ahead by 1"]);
  assert.equal(verify(ours).action, "trusted");
  theirs.commit("again", { "src/b.ts": `${INTERFACE}// more\n` });
  theirs.git("push", "-q");
  assert.equal(verify(ours).action, "trusted");
  ours.git("fetch", "-q");
  assert.equal(verify(ours).action, "verified");
});

test("inside one conversation the registry is trusted until HEAD moves; uncommitted changes are reported all the same", (t) => {
  const repo = unwatchedRepo(t);
  verify(repo);
  repo.write({ "src/b.ts": INTERFACE });
  const talk = (id: string) => verify(repo, "--conversation", id);
  assert.equal(talk("one").action, "verified");
  const again = talk("one");
  assert.deepEqual([again.action, again.compared], ["trusted", 0]);
  assert.deepEqual(verdictsIn(again), ["src/b.ts mismatch"]);
  assert.equal(talk("two").action, "verified", "another conversation starts with its own proof");
  repo.git("commit", "-q", "-a", "-m", "moved");
  assert.equal(talk("one").action, "verified", "HEAD moved");
});
