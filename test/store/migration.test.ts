import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { locateProject } from "../../src/repository/locate.js";
import { MIGRATIONS } from "../../src/store/schema.js";
import { readSetting, SETTINGS, writeSetting } from "../../src/store/settings.js";
import { type Db, openDatabase } from "../../src/store/sqlite.js";
import { openState } from "../../src/store/state.js";
import { openOrUpgrade } from "../../src/store/upgrade.js";
import { lastValidConfig } from "../../src/verification/config.js";
import { makeRepo, type Repo, root, tempDir } from "../support/repo.js";

const FIXTURE = join(root, "test/fixtures/state-1");
const text = (name: string) => readFileSync(join(FIXTURE, name), "utf8");

type Row = Record<string, unknown>;

function rowsOf(db: Db): Map<string, Row[]> {
  const tables = db.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
  return new Map(tables.map(({ name }) => [name, db.all<Row>(`SELECT * FROM ${name}`)]));
}

/** The database of the version before, as its dump has it. */
async function oldState(stateDir: string, base: string): Promise<Map<string, Row[]>> {
  mkdirSync(stateDir, { recursive: true });
  const db = await openDatabase(join(stateDir, "state.db"));
  db.exec(text("state.sql").replaceAll("@BASE@", base));
  const rows = rowsOf(db);
  db.close();
  return rows;
}

/** The repository of the dump: the same commits, data dir and database. */
async function oldRepo(t: TestContext): Promise<Repo> {
  const repo = makeRepo(t);
  const options = { cwd: repo.dir, env: repo.env, input: text("history.txt") };
  assert.equal(spawnSync("git", ["fast-import", "--quiet"], options).status, 0);
  repo.git("reset", "-q", "--hard", "main");
  cpSync(join(FIXTURE, "data"), join(repo.dir, ".understand-anything"), { recursive: true });
  await oldState(join(repo.dir, ".git/ua-hooks"), repo.base);
  return repo;
}

test("a state of version 1 is migrated: every row of every table is kept, every setting is read as it was", async (t) => {
  const stateDir = join(tempDir(t), "ua-hooks");
  const before = await oldState(stateDir, "/base");
  const db = await openOrUpgrade(stateDir);
  t.after(() => db.close());
  assert.equal(db.get<{ user_version: number }>("PRAGMA user_version")?.user_version, MIGRATIONS.length);
  const after = rowsOf(db);
  const settings = new Map((before.get("settings") ?? []).map(({ key, value }) => [key, String(value)]));
  assert.ok(settings.size >= 12 && [...before.values()].flat().length > 50, "the dump has something of everything");
  const isKept = (table: string) => !["settings", "snapshots", "imports"].includes(table); // computed anew from the graph
  for (const [table, rows] of before) {
    const columns = Object.keys(rows[0] ?? {});
    const kept = after.get(table)?.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])));
    const plain = rows.map((row) => ({ ...row })); // node:sqlite gives objects without a prototype
    if (isKept(table)) assert.deepEqual(kept, plain, table);
  }
  assert.deepEqual((after.get("settings") ?? []).map(({ key }) => key).sort(), [...settings.keys()].sort());
  const stored = (key: string) => JSON.parse(settings.get(key) ?? "null");
  assert.equal(readSetting(db, SETTINGS.team, "."), settings.get("team:."));
  assert.equal(readSetting(db, SETTINGS.baseCommit, "."), settings.get("baseCommit:."));
  assert.equal(readSetting(db, SETTINGS.graphFiles, "."), 3);
  assert.deepEqual(readSetting(db, SETTINGS.createdArtefacts, "."), stored("made:."));
  assert.deepEqual(readSetting(db, SETTINGS.trackedArtefacts, "."), stored("tracked:."));
  assert.deepEqual(readSetting(db, SETTINGS.hookFolders), ["hooks"]);
  assert.deepEqual(readSetting(db, SETTINGS.configs, "."), stored("configs:."));
  assert.deepEqual(readSetting(db, SETTINGS.adopted, "."), stored("adopted:."));
  assert.deepEqual(readSetting(db, SETTINGS.meta, "."), stored("meta:."));
  assert.deepEqual(readSetting(db, SETTINGS.trusted), stored("trusted"));
  assert.deepEqual(readSetting(db, SETTINGS.pruned), stored("pruned"));
  const {
    graphWorktree: _neverUsed,
    tokensPerFile: _measured,
    ...config
  } = stored("config:.") as Record<string, unknown>;
  assert.deepEqual(lastValidConfig(db, "."), {
    ...config,
    refresh: "structural",
    share: { exclude: [] },
    docs: { include: [] },
  });
});

test("after an upgrade records, revisions, lease, summaries, trust and team are what they were", async (t) => {
  const repo = await oldRepo(t);
  const pending = repo.uaJson<{ generation: number; filesToReanalyze: string[]; lease: { holder: string } | null }>(
    "pending",
  );
  assert.deepEqual(pending.filesToReanalyze, ["src/b.ts"]);
  // An update is told apart by symbols now, and was by files: it counts as another one, and the lease stays.
  assert.deepEqual([pending.generation, pending.lease?.holder], [2, "an agent"]);
  const { records } = repo.uaJson<{ records: { id: string; statement: string; status: string }[] }>(
    ...["record", "list", "--all"],
  );
  assert.deepEqual(records.map(({ statement, status }) => `${statement}: ${status}`).sort(), [
    "a draft: draft",
    "b always returns one: superseded",
    "b returns a number: stale",
  ]);
  const superseded = records.find(({ status }) => status === "superseded")?.id ?? "";
  const shown = repo.uaJson<{ revisions: { by: string; before: { status: string } }[] }>("record", "show", superseded);
  assert.deepEqual(
    shown.revisions.map(({ by, before }) => [by, before.status]),
    [["A", "active"]],
  );
  assert.equal(repo.uaJson<{ summary: string }>("registry", "show", "src/a.ts").summary, "Calls b.");
  assert.deepEqual(repo.uaJson("status").analyzer, { command: ["sh", "analyze.sh"], trusted: true });
  const project = await locateProject({ cwd: repo.dir, env: {} });
  const db = await openState(project.stateDir);
  t.after(() => db.close());
  assert.equal(readSetting(db, SETTINGS.team, "."), "shared");
});

test("a value of another version or another shape is absent, or damage: never something else", async (t) => {
  const db = await openState(join(tempDir(t), "ua-hooks"));
  t.after(() => db.close());
  writeSetting(db, SETTINGS.trusted, ["a"]);
  writeSetting(db, SETTINGS.trackedArtefacts, ["meta.json"], ".");
  assert.deepEqual(readSetting(db, SETTINGS.trackedArtefacts, "side"), null, "of another scope");
  for (const change of ["version = 2", "value = '{}'", "value = 'cut sho'", "value = '[1]'"]) {
    db.run(`UPDATE settings SET ${change}`);
    assert.equal(readSetting(db, SETTINGS.trusted), null, change);
    assert.throws(() => readSetting(db, SETTINGS.trackedArtefacts, "."), /the setting tracked:\./, change);
    db.run("UPDATE settings SET version = 1");
  }
  writeSetting(db, SETTINGS.trusted, ["b"]);
  assert.deepEqual(readSetting(db, SETTINGS.trusted), ["b"]);
});
