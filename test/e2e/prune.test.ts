import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { withContext } from "../../src/repository/context.js";
import { locateProject } from "../../src/repository/locate.js";
import type { Db } from "../../src/store/sqlite.js";
import { openState } from "../../src/store/state.js";
import { compareWithClean } from "../../src/updates/run.js";
import { pruneState } from "../../src/worker/prune.js";
import { analysisOf, applyTo } from "../support/agent.js";
import { installedRepo, type Repo, until } from "../support/repo.js";
import { detachedRepo, quiet } from "../support/workers.js";

const version = (words: string) => `export function ${words}(x: number): number {\n  return x;\n}\n`;
const oidOf = (repo: Repo, at: string) => repo.git("rev-parse", at);

async function withState<T>(repo: Repo, work: (db: Db) => T): Promise<T> {
  const { stateDir } = await locateProject({ cwd: repo.dir, env: {} });
  const db = await openState(stateDir);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

const known = (db: Db, table: "analyses" | "fingerprints", oid: string) =>
  db.get(`SELECT 1 AS one FROM ${table} WHERE oid = ?`, oid) !== undefined;

/** As if everything had been delivered long ago, and what is found unreachable had been so all the time. */
const age = (db: Db) => {
  db.run("UPDATE analyses SET delivered_at = '2020-01-01T00:00:00.000Z'");
  db.run("UPDATE unreachable SET since = '2020-01-01T00:00:00.000Z'");
};

/** Commits a version of src/b.ts, has it analysed, and says which blob that was. */
function analysed(repo: Repo, words: string): string {
  repo.commit(words, { "src/b.ts": version(words) });
  applyTo(repo, analysisOf(repo, ["src/b.ts"], words));
  return oidOf(repo, "HEAD:src/b.ts");
}

test("pruning spares what a branch, a detached worktree, the index or any stash reaches; the rest goes", async (t) => {
  const repo = installedRepo(t);
  const start = oidOf(repo, "HEAD:src/b.ts");
  repo.git("checkout", "-q", "-b", "topic");
  const onBranch = analysed(repo, "branch");
  repo.git("checkout", "-q", "--detach");
  const inWorktree = analysed(repo, "worktree");
  repo.git("worktree", "add", "-q", "--detach", "../side");
  const inStashes = ["first", "second"].map((words) => {
    repo.git("checkout", "-q", "--detach", "topic");
    const oid = analysed(repo, words);
    repo.git("reset", "-q", "--soft", "topic");
    repo.git("stash");
    return oid;
  });
  repo.git("checkout", "-q", "--detach", "topic");
  const staged = analysed(repo, "staged");
  repo.git("checkout", "-q", "--detach", "topic");
  const lost = analysed(repo, "lost");
  repo.git("checkout", "-q", "main");
  repo.git("update-index", "--add", "--cacheinfo", `100644,${staged},src/staged.ts`);
  const project = await locateProject({ cwd: repo.dir, env: {} });

  assert.ok(await withState(repo, (db) => known(db, "analyses", lost)));
  await withContext(project, pruneState);
  assert.ok(await withState(repo, (db) => known(db, "analyses", lost)), "new: a reset can still be taken back");
  await withState(repo, age);
  await withContext(project, pruneState);
  await withState(repo, (db) => {
    for (const oid of [start, onBranch, inWorktree, ...inStashes, staged]) {
      assert.ok(known(db, "analyses", oid) && known(db, "fingerprints", oid), oid);
    }
    assert.ok(!known(db, "analyses", lost) && !known(db, "fingerprints", lost));
  });

  repo.git("worktree", "remove", "--force", "../side");
  repo.git("stash", "drop", "stash@{1}");
  await withContext(project, pruneState);
  assert.ok(await withState(repo, (db) => known(db, "analyses", inWorktree)), "unreachable since today");
  await withState(repo, age);
  await withContext(project, pruneState);
  await withState(repo, (db) => {
    assert.ok(!known(db, "analyses", inWorktree), "its worktree is gone");
    assert.deepEqual(
      inStashes.map((oid) => known(db, "analyses", oid)),
      [false, true],
    );
  });
  repo.git("reset", "-q", "--hard");
  assert.deepEqual(await withContext(project, compareWithClean), []);
  repo.git("checkout", "-q", "topic");
  assert.equal(repo.marker(), null, "what was kept is still known");
});

test("the grace period counts from when a content became unreachable, and anew after it was reachable again", async (t) => {
  const repo = installedRepo(t);
  const project = await locateProject({ cwd: repo.dir, env: {} });
  repo.git("checkout", "-q", "-b", "feature");
  const oid = analysed(repo, "feature");
  const tip = repo.head();
  repo.git("checkout", "-q", "main");
  await withState(repo, age);
  const since = () =>
    withState(repo, (db) => db.get<{ since: string }>("SELECT since FROM unreachable WHERE oid = ?", oid)?.since);

  await withContext(project, pruneState);
  assert.equal(await since(), undefined, "its branch is there");
  repo.git("branch", "-q", "-D", "feature");
  await withContext(project, pruneState);
  assert.ok(
    Date.parse((await since()) ?? "") > Date.now() - 60_000,
    "unreachable since just now, though delivered long ago",
  );
  await withContext(project, pruneState);
  assert.ok(await withState(repo, (db) => known(db, "analyses", oid)));

  await withState(repo, age);
  repo.git("branch", "feature", tip);
  await withContext(project, pruneState);
  assert.equal(await since(), undefined, "reachable again: forgotten");
  repo.git("branch", "-q", "-D", "feature");
  await withContext(project, pruneState);
  repo.git("branch", "feature", tip);
  repo.git("checkout", "-q", "feature");
  assert.equal(repo.marker(), null, "back from the reflog, and still known");
  assert.match(repo.read(".understand-anything/knowledge-graph.json"), /feature: src\/b\.ts/);
});

test("pruning keeps the fingerprints that summaries and records are compared by", async (t) => {
  const repo = installedRepo(t);
  repo.git("checkout", "-q", "-b", "feature");
  repo.commit("summarised", { "src/b.ts": version("summarised") });
  const updates = JSON.stringify({ updates: [{ path: "src/b.ts", summary: "Does b." }] });
  repo.write({ "../updates.json": updates });
  assert.equal(repo.ua("registry", "update-summaries", "../updates.json").code, 0);
  const summarised = oidOf(repo, "HEAD:src/b.ts");
  repo.commit("recorded", { "src/b.ts": version("recorded") });
  assert.equal(repo.ua("record", "add", "b is small", "--type", "decision", "--subject", "src/b.ts").code, 0);
  const recorded = oidOf(repo, "HEAD:src/b.ts");
  repo.git("checkout", "-q", "main");
  repo.git("branch", "-q", "-D", "feature");
  const project = await locateProject({ cwd: repo.dir, env: {} });
  for (let at = 0; at < 2; at++) {
    await withContext(project, pruneState);
    await withState(repo, age);
  }
  await withState(repo, (db) => {
    for (const oid of [summarised, recorded]) assert.ok(known(db, "fingerprints", oid), oid);
  });
});

test("a description goes when nothing needs it; never one that is shown, shared, or whose symbol is reachable", async (t) => {
  const repo = installedRepo(t);
  const project = await locateProject({ cwd: repo.dir, env: {} });
  const texts = () =>
    withState(repo, (db) =>
      db
        .all<{ name: string; source: string; data: string }>("SELECT name, source, data FROM descriptions")
        .map(({ name, source, data }) => `${name} ${source} ${(JSON.parse(data) as { summary: string }).summary}`)
        .sort(),
    );
  const pruneAged = async () => {
    for (let at = 0; at < 2; at++) {
      await withContext(project, pruneState);
      await withState(repo, age);
    }
    await withContext(project, pruneState);
  };
  analysed(repo, "kept");
  repo.git("checkout", "-q", "-b", "feature");
  repo.commit("lost", { "src/b.ts": version("kept") + version("lost") });
  applyTo(repo, analysisOf(repo, ["src/b.ts"], "later"));
  const columns = "type, path, name, hash, bare_hash, signature, behaviour, oid, language, data, at, commit_oid";
  await withState(repo, (db) =>
    db.run(`INSERT INTO descriptions(${columns}, text_hash, source, author)
      SELECT ${columns}, 'other', 'shared', 'ci' FROM descriptions WHERE name = 'lost'`),
  );
  const all = await texts();
  repo.git("checkout", "-q", "main");
  repo.git("branch", "-q", "-D", "feature");
  await withContext(project, pruneState);
  await withContext(project, pruneState);
  assert.deepEqual(await texts(), all, "the branch can come back");
  await pruneAged();
  // The text about the whole file stays: it is the nearest to what the first commit has.
  assert.deepEqual(
    await texts(),
    all.filter((one) => one !== "lost here later: lost"),
  );

  repo.write({ "src/b.ts": version("kept").replace("return x", "return +x") });
  repo.git("commit", "-q", "-a", "--amend", "--no-edit");
  assert.equal(repo.ua("run").code, 0);
  await pruneAged();
  assert.equal(repo.ua("install", "--yes", "--rebuild").code, 0);
  assert.match(repo.read(".understand-anything/knowledge-graph.json"), /later: kept/, "the nearest is still there");
});

test("pruning keeps what the graph describes, though git has it no more", async (t) => {
  const repo = installedRepo(t);
  const before = oidOf(repo, "HEAD:src/b.ts");
  repo.write({ "src/b.ts": version("other") });
  repo.git("add", "-A");
  repo.git("commit", "-q", "--amend", "-m", "rewritten");
  await withState(repo, age);
  await withContext(await locateProject({ cwd: repo.dir, env: {} }), pruneState);
  await withState(repo, (db) => assert.ok(known(db, "fingerprints", before)));
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"]);
  assert.match(repo.marker()?.fileChanges[0]?.details.join() ?? "", /new function: other/);
});

test("a worker prunes by itself once as much was written as the last pruning left", async (t) => {
  const repo = detachedRepo(t);
  repo.commit("one", { "src/c.ts": version("c") });
  await quiet(repo);
  const junk = (at: number) => at.toString(16).padStart(40, "0");
  await withState(repo, (db) =>
    db.write(() => {
      for (let at = 0; at < 4_100; at++) {
        db.run("INSERT INTO fingerprints(oid, extractor, data) VALUES(?, 'ua-hooks/0 gone', '{}')", junk(at));
      }
    }),
  );
  repo.commit("two", { "src/d.ts": version("d") });
  await until("the facts that nobody can use are gone", () =>
    withState(repo, (db) => !known(db, "fingerprints", junk(7))),
  );
  await quiet(repo);
  assert.ok(repo.has(join(".understand-anything", "pending-update.json")));
});
