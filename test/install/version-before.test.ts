import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openDatabase } from "../../src/store/sqlite.js";
import type { Repo } from "../support/repo.js";
import { cloneOfVersionBefore } from "../support/version-before.js";
import { buildOther, runOther } from "../support/versions.js";

const due = (name: string) => ({ [`src/${name}.ts`]: `export function ${name}(): void {}\n` });
const graph = (repo: Repo) => repo.read(".understand-anything/knowledge-graph.json");

/** What the database holds, whichever version wrote it. */
async function databaseOf(repo: Repo): Promise<unknown[]> {
  const db = await openDatabase(join(repo.dir, ".git/ua-hooks/state.db"));
  try {
    const tables = db.all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
    return [
      db.get<{ user_version: number }>("PRAGMA user_version")?.user_version,
      ...tables.map(({ name }) => db.all(`SELECT * FROM "${name}"`)),
    ];
  } finally {
    db.close();
  }
}

test("its own program still works there: the fixture is what it is meant to be", (t) => {
  const { repo } = cloneOfVersionBefore(t);
  assert.equal(repo.git("status", "--porcelain"), "");
  repo.commit("more", due("more"));
  assert.equal(repo.marker()?.head.commit, repo.head(), "its hooks are live");
  assert.match(graph(repo), /Multiplies\./);
});

test("under this program hooks stay live and nothing that was delivered is lost; its own commands exit 5", (t) => {
  const { repo, old } = cloneOfVersionBefore(t);
  const status = repo.uaJson<{ status: string; pending: { filesToReanalyze: string[] } }>("status");
  assert.equal(status.status, "pending");
  assert.ok(status.pending.filesToReanalyze.includes("src/a.ts"));
  assert.doesNotMatch(repo.ua("status").stdout, /Program/, "the hooks run this version since");
  assert.equal(runOther(repo, old, "status").code, 5);
  repo.commit("more", due("more"));
  assert.equal(repo.marker()?.head.commit, repo.head(), "between the two");
  assert.equal(repo.ua("install").code, 0);
  assert.doesNotMatch(repo.ua("status").stdout, /Program/);
  repo.commit("and more", due("again"));
  assert.equal(repo.marker()?.head.commit, repo.head(), "installed");
  assert.match(graph(repo), /Multiplies\./);
});

test("after a later migration hooks stay live, and its typed commands change nothing", async (t) => {
  const { repo, old } = cloneOfVersionBefore(t);
  const programs = await buildOther({ version: "9.8.0", later: [["CREATE TABLE later (x)"]] });
  const upgraded = runOther(repo, programs, "status", "--json");
  assert.equal(upgraded.code, 0, upgraded.stderr);
  assert.equal(JSON.parse(upgraded.stdout).status, "pending");
  repo.commit("more", due("more"));
  assert.equal(repo.marker()?.head.commit, repo.head());
  const before = await databaseOf(repo);
  const { code, stderr } = runOther(repo, old, "status");
  assert.equal(code, 5);
  assert.match(stderr, /newer ua-hooks/);
  assert.deepEqual(await databaseOf(repo), before);
  repo.commit("and more", due("again"));
  assert.equal(repo.marker()?.head.commit, repo.head(), "hooks are still live");
  assert.match(graph(repo), /Multiplies\./);
});
