import assert from "node:assert/strict";
import { existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openDatabase } from "../../src/store/sqlite.js";
import { assertRight, commitChange } from "../support/damage.js";
import { installedRepo, type Repo } from "../support/repo.js";

const dbFile = (repo: Repo) => join(repo.dir, ".git/ua-hooks/state.db");

/** Everything of SQLite's in one file, so that it can be damaged as one. */
async function closeWal(repo: Repo): Promise<void> {
  const db = await openDatabase(dbFile(repo));
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

const DAMAGE: Record<string, (file: string, good: Buffer) => void> = {
  "a garbage header": (file, good) => writeFileSync(file, Buffer.concat([Buffer.from("garbage!"), good.subarray(8)])),
  "a truncated file": (file, good) => truncateSync(file, Math.floor(good.length / 2)),
  "a torn page": (file, good) =>
    writeFileSync(file, Buffer.concat([good.subarray(0, 5000), Buffer.alloc(good.length - 5000, 7)])),
};

for (const [what, damage] of Object.entries(DAMAGE)) {
  test(`a state database with ${what}: git unaffected, a clear sentence, the file kept, moving it away heals`, async (t) => {
    const repo = installedRepo(t);
    const file = dbFile(repo);
    await closeWal(repo);
    damage(file, readFileSync(file));
    const bad = readFileSync(file);
    commitChange(repo);
    for (const command of ["status", "pending"]) {
      const { code, stdout, stderr } = repo.ua(command);
      assert.deepEqual({ code, stdout }, { code: 5, stdout: "" }, stderr);
      assert.ok(stderr.startsWith(`ua-hooks: ${file} cannot be used: `), stderr);
      assert.match(stderr, /\n {2}move it away \(mv .*state\.db .*state\.db\.damaged\) and run `ua-hooks install`/);
    }
    assert.equal(repo.ua("install").code, 5, "install does not write over it either");
    assert.deepEqual(readFileSync(file), bad, "kept byte for byte");

    renameSync(file, `${file}.damaged`);
    assert.equal(repo.ua("install").code, 0);
    assertRight(repo);
  });
}

test("a state database of zero bytes is a new one, and everything is rebuilt from git and the artefacts", async (t) => {
  const repo = installedRepo(t);
  await closeWal(repo);
  writeFileSync(dbFile(repo), "");
  commitChange(repo);
  assertRight(repo);
});

test("a state database of a newer version is not read: exit 5, hooks silent, not a byte changed", async (t) => {
  const repo = installedRepo(t);
  const db = await openDatabase(dbFile(repo));
  db.exec("PRAGMA user_version = 999");
  db.close();
  await closeWal(repo);
  const before = readFileSync(dbFile(repo));
  commitChange(repo);
  for (const command of ["status", "pending", "check", "install"]) {
    const { code, stderr } = repo.ua(command);
    assert.equal(code, 5, `${command}: ${stderr}`);
    assert.match(
      stderr,
      /state\.db was written by a newer ua-hooks \(state version 999, this one knows \d+\)\n {2}upgrade/,
    );
  }
  assert.deepEqual(readFileSync(dbFile(repo)), before, "not even the journal mode");
});

test("a deleted state dir is recovered from the artefacts by install", (t) => {
  const repo = installedRepo(t);
  commitChange(repo);
  rmSync(join(repo.dir, ".git/ua-hooks"), { recursive: true });
  commitChange(repo);
  assert.equal(existsSync(join(repo.dir, ".git/ua-hooks")), false, "the hooks are silent without it");
  assert.equal(repo.uaJson("status").status, "uninitialized");
  const graph = repo.read(".understand-anything/knowledge-graph.json");
  assert.equal(repo.ua("install").code, 0);
  assert.equal(repo.read(".understand-anything/knowledge-graph.json"), graph, "what was learned is kept");
  assertRight(repo);
});

test("a lone lost state.db is recovered by the next hook", (t) => {
  const repo = installedRepo(t);
  commitChange(repo);
  for (const name of ["state.db", "state.db-wal", "state.db-shm"]) {
    rmSync(join(repo.dir, ".git/ua-hooks", name), { force: true });
  }
  commitChange(repo);
  assertRight(repo);
});
