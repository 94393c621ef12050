import assert from "node:assert/strict";
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openDatabase } from "../../src/store/sqlite.js";
import { analysisOf, applyTo } from "../support/agent.js";
import { assertRight, commitChange } from "../support/damage.js";
import { installedRepo, makeRepo, type Repo, repoAt, SMALL_PROJECT } from "../support/repo.js";

const dbFile = (repo: Repo) => join(repo.dir, ".git/ua-hooks/state.db");

/** Everything of SQLite's in one file, so that it can be damaged as one. */
async function closeWal(repo: Repo): Promise<void> {
  const db = await openDatabase(dbFile(repo));
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

const withFault = (repo: Repo, point: string) =>
  repoAt(repo.dir, repo.base, { ...repo.env, UA_HOOKS_FAULT: `${point}:kill` });

const DAMAGE: Record<string, (file: string, good: Buffer) => void> = {
  "a garbage header": (file, good) => writeFileSync(file, Buffer.concat([Buffer.from("garbage!"), good.subarray(8)])),
  "a truncated file": (file, good) => truncateSync(file, Math.floor(good.length / 2)),
  "no byte": (file) => writeFileSync(file, ""),
  "the first page only": (file) => truncateSync(file, 4096),
  "a torn page": (file, good) =>
    writeFileSync(file, Buffer.concat([good.subarray(0, 5000), Buffer.alloc(good.length - 5000, 7)])),
};

for (const [what, damage] of Object.entries(DAMAGE)) {
  test(`a state database with ${what}: git unaffected, a clear sentence, the file kept, doctor --fix heals`, async (t) => {
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
      assert.match(stderr, /\n {2}run `ua-hooks doctor --fix`/);
    }
    assert.equal(repo.ua("install").code, 5, "install does not write over it either");
    assert.deepEqual(readFileSync(file), bad, "kept byte for byte");

    const { fixed, healthy } = repo.uaJson<{ fixed: string[]; healthy: boolean }>("doctor", "--fix");
    assert.ok(healthy, fixed.join("\n"));
    const aside = /kept as (.*)$/.exec(fixed[0] ?? "")?.[1] ?? "";
    assert.deepEqual(readFileSync(aside), bad, "kept under another name");
    assert.match(fixed.join("\n"), /lost with the database: .*records .*summaries/);
    assertRight(repo);
  });
}

for (const target of ["state.db", "nowhere"]) {
  test(`a state database that is a link to ${target}: damage, and not "not installed"; doctor --fix heals`, (t) => {
    const repo = installedRepo(t);
    for (const end of ["", "-wal", "-shm"]) rmSync(dbFile(repo) + end, { force: true });
    symlinkSync(target, dbFile(repo));
    commitChange(repo);
    for (const command of ["status", "pending", "install"]) {
      const { code, stderr } = repo.ua(command);
      assert.equal(code, 5, stderr);
      assert.match(
        stderr,
        /state\.db cannot be used: it is a link that leads to no file\n {2}run `ua-hooks doctor --fix`/,
      );
    }
    const { fixed, healthy } = repo.uaJson<{ fixed: string[]; healthy: boolean }>("doctor", "--fix");
    assert.ok(healthy, fixed.join("\n"));
    assert.ok(lstatSync(dbFile(repo)).isFile());
    assertRight(repo);
  });
}

test("doctor --fix leaves our artefacts out of the next commit, as before, and uninstall --purge still removes them", (t) => {
  const repo = installedRepo(t);
  const list = repo.read(".git/info/exclude");
  writeFileSync(dbFile(repo), "");
  assert.equal(repo.ua("doctor", "--fix", "--yes").code, 0);
  assert.equal(repo.read(".git/info/exclude"), list);
  assert.equal(repo.git("status", "--porcelain"), "");
  assert.equal(repo.ua("uninstall", "--purge", "--yes").code, 0);
  assert.equal(existsSync(join(repo.dir, ".understand-anything")), false);
});

for (const version of [0, 1, 999]) {
  test(`a database of another program (user_version ${version}) in its place is damage, and kept`, async (t) => {
    const repo = installedRepo(t);
    const file = dbFile(repo);
    for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
    const db = await openDatabase(file);
    db.exec(`CREATE TABLE bookmarks (url TEXT); PRAGMA user_version = ${version}`);
    db.close();
    const before = readFileSync(file);
    commitChange(repo);
    const { code, stderr } = repo.ua("status");
    assert.equal(code, 5, stderr);
    assert.match(stderr, /state\.db cannot be used: it is not a database of ua-hooks/);
    assert.deepEqual(readFileSync(file), before);
  });
}

test("the log of a database that is gone is not written into a new one", async (t) => {
  const repo = installedRepo(t);
  const file = dbFile(repo);
  writeFileSync(`${file}-wal`, "of the lost one");
  rmSync(file);
  commitChange(repo);
  const { code, stderr } = repo.ua("install");
  assert.equal(code, 5, stderr);
  assert.match(stderr, /state\.db-wal is left\n {2}run `ua-hooks doctor --fix`/);
  assert.equal(readFileSync(`${file}-wal`, "utf8"), "of the lost one");
  assert.ok(repo.uaJson("doctor", "--fix").healthy);
  assertRight(repo);
});

test("doctor --fix keeps a database that is not damaged where it is", async (t) => {
  const repo = installedRepo(t);
  const db = await openDatabase(dbFile(repo));
  db.exec("PRAGMA user_version = 999");
  db.close();
  await closeWal(repo);
  const before = readFileSync(dbFile(repo));
  const { code, stderr } = repo.ua("doctor", "--fix");
  assert.equal(code, 5, "of a newer version: not ours to repair");
  assert.match(stderr, /written by a newer ua-hooks/);
  assert.deepEqual(readFileSync(dbFile(repo)), before);
});

for (const point of ["", "file.rename", "file.renamed"]) {
  const how = point === "" ? "" : `, also if one before it was killed at ${point}`;
  test(`doctor --fix takes records, summaries and analyses from a database of which a part is damaged${how}`, async (t) => {
    const repo = installedRepo(t);
    commitChange(repo);
    applyTo(repo, analysisOf(repo, ["src/b.ts"], "Delivered"));
    assert.equal(repo.ua("record", "add", "Retry lives in b", "--type", "decision", "--subject", "src/b.ts").code, 0);
    repo.write({ "../updates.json": '{"updates":[{"path":"src/a.ts","summary":"Adds."}]}' });
    assert.equal(repo.ua("registry", "update-summaries", "../updates.json").code, 0);
    commitChange(repo);
    await closeWal(repo);
    const db = await openDatabase(dbFile(repo));
    const pageOf = (name: string) =>
      db.get<{ rootpage: number }>("SELECT rootpage FROM sqlite_master WHERE name = ?", name);
    const page = pageOf("fingerprints")?.rootpage ?? 0;
    db.close();
    const bytes = readFileSync(dbFile(repo));
    writeFileSync(dbFile(repo), bytes.fill(7, (page - 1) * 4096, page * 4096));

    if (point !== "") assert.equal(withFault(repo, point).ua("doctor", "--fix").code, -1);
    const { fixed, healthy } = repo.uaJson<{ fixed: string[]; healthy: boolean }>("doctor", "--fix");
    assert.ok(healthy, fixed.join("\n"));
    assert.match(
      fixed.join("\n"),
      /read from the damaged database: 1 records, 1 summaries of files, \d+ analyses, [1-9]\d* descriptions/,
    );
    const { records } = repo.uaJson<{ records: { statement: string }[] }>("record", "list", "--all");
    assert.deepEqual(
      records.map(({ statement }) => statement),
      ["Retry lives in b"],
    );
    assert.match(repo.ua("registry", "show", "src/a.ts").stdout, /Adds\./);
    repo.git("revert", "--no-edit", "HEAD");
    assert.match(repo.read(".understand-anything/knowledge-graph.json"), /Delivered: src\/b\.ts/);
    assert.equal(repo.uaJson("status").status, "fresh");
  });
}

test("a kill while the database is made leaves none, and the next install makes it", (t) => {
  const repo = makeRepo(t);
  repo.commit("one", SMALL_PROJECT);
  const killed = { ...repo.env, UA_HOOKS_FAULT: "file.rename:kill" };
  assert.notEqual(repoAt(repo.dir, repo.base, killed).ua("install").code, 0);
  assert.equal(existsSync(dbFile(repo)), false);
  assert.equal(repo.ua("install").code, 0);
  assert.equal(repo.uaJson("status").status, "fresh");
  repo.commit("two", { "src/c.ts": "export const c = 1;\n" });
  const names = readdirSync(join(repo.dir, ".git/ua-hooks"));
  assert.deepEqual(
    names.filter((name) => name.endsWith(".tmp")),
    [],
  );
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
