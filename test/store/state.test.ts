import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { UaError } from "../../src/errors.js";
import { decodePath } from "../../src/git/paths.js";
import { isNumber } from "../../src/store/check.js";
import { MIGRATIONS } from "../../src/store/schema.js";
import { readSetting, type Setting, writeSetting } from "../../src/store/settings.js";
import { integrityProblems, keyPath, openState, pathKey } from "../../src/store/state.js";
import { whileReadOnly } from "../support/mounts.js";
import { openFiles } from "../support/open-files.js";
import { cleanEnv, start, tempDir } from "../support/repo.js";

const COUNT: Setting<number> = { key: "count", version: 1, check: isNumber, invalid: "damaged" };
const WRITES = 20;
const PROCESSES = 10;

/** This file run with a folder in the environment is one of the processes that write at the same time. */
async function writer(stateDir: string): Promise<void> {
  const db = await openState(stateDir);
  for (let at = 0; at < WRITES; at++) {
    db.write(() => writeSetting(db, COUNT, (readSetting(db, COUNT) ?? 0) + 1));
    db.run("INSERT INTO rewrites(old, new, at) VALUES(?, ?, ?)", `${process.pid}-${at}`, "new", "now");
  }
  db.close();
}

const target = process.env.TEST_STATE_DIR;
if (target !== undefined) await writer(target);
else tests();

function tests(): void {
  test("ten processes that make, migrate and write one database at the same time lose nothing", async (t) => {
    const base = tempDir(t);
    const stateDir = join(base, "ua-hooks");
    const env = { ...cleanEnv(base), TEST_STATE_DIR: stateDir };
    const file = fileURLToPath(import.meta.url);
    const writers = Array.from({ length: PROCESSES }, () => start(process.execPath, [file], { cwd: base, env }));
    for (const { code, stderr } of await Promise.all(writers))
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    const db = await openState(stateDir);
    assert.equal(readSetting(db, COUNT), PROCESSES * WRITES);
    assert.equal(db.get<{ n: number }>("SELECT COUNT(*) AS n FROM rewrites")?.n, PROCESSES * WRITES);
    assert.deepEqual(integrityProblems(db), []);
    db.close();
  });

  test("a new database has every migration, WAL, and is readable by its owner only", async (t) => {
    const stateDir = join(tempDir(t), "ua-hooks");
    const db = await openState(stateDir);
    assert.equal(db.get<{ user_version: number }>("PRAGMA user_version")?.user_version, MIGRATIONS.length);
    assert.equal(db.get<{ journal_mode: string }>("PRAGMA journal_mode")?.journal_mode, "wal");
    writeSetting(db, COUNT, 7);
    for (const name of ["state.db", "state.db-wal", "state.db-shm"]) {
      assert.equal(statSync(join(stateDir, name)).mode & 0o777, 0o600, name);
    }
    assert.equal(statSync(stateDir).mode & 0o777, 0o700);
    db.close();
    const again = await openState(stateDir);
    assert.equal(readSetting(again, COUNT), 7, "opened again, nothing is migrated twice");
    writeSetting(again, COUNT, null);
    assert.equal(readSetting(again, COUNT), null);
    again.close();
  });

  test("what is no database is refused with the way out, and kept", async (t) => {
    const stateDir = tempDir(t);
    const file = join(stateDir, "state.db");
    writeFileSync(file, "text ".repeat(1000));
    await assert.rejects(openState(stateDir), {
      code: "damaged",
      message: /state\.db cannot be used/,
      next: /doctor --fix/,
    });
    mkdirSync(join(stateDir, "b"));
    mkdirSync(join(stateDir, "b", "state.db"));
    await assert.rejects(openState(join(stateDir, "b")), { code: "damaged" });
    assert.ok(existsSync(file));
    chmodSync(file, 0o600);
  });

  test("every path has a key of its own that SQLite can hold, and the way back is exact", async (t) => {
    const bytes = [[0xff], [0x61, 0x80, 0x62], [0x22, 0xff], [0xed, 0xa0, 0x80], [0x5c, 0x75], [0xc3, 0xa9]];
    const paths = [
      ...bytes.map((b) => decodePath(Buffer.from(b))),
      '"a"',
      '"',
      "a",
      "__proto__",
      "\\udcff",
      '"\\udcff"',
    ];
    const db = await openState(tempDir(t));
    for (const path of paths) writeSetting(db, { ...COUNT, key: pathKey(path) }, 1);
    const keys = db.all<{ key: string }>("SELECT key FROM settings").map(({ key }) => keyPath(key));
    assert.deepEqual(keys.sort(), [...paths].sort());
    db.close();
  });

  test("a database that cannot be used is not kept open", async (t) => {
    if (!existsSync("/proc/self/fd")) return t.skip("no /proc tells which files are open");
    const stateDir = join(tempDir(t), "ua-hooks");
    const db = await openState(stateDir);
    db.exec("PRAGMA user_version = 999");
    db.close();
    const open = () => openFiles("self").filter((target) => target.startsWith(stateDir)).length;
    const before = open(); // libsql lets go of a closed file at the process's end only
    if (before > 0) return t.skip("this driver keeps what it has closed");
    await assert.rejects(openState(stateDir), /newer ua-hooks/);
    assert.equal(open(), 0);
  });

  test("a state on a read-only mount: the error says so, whichever driver found it", async (t) => {
    const stateDir = join(tempDir(t), "ua-hooks");
    (await openState(stateDir)).close();
    await whileReadOnly(t, stateDir, async () => {
      const write = async () => writeSetting(await openState(stateDir), COUNT, 1);
      await assert.rejects(write, (error: Error) => {
        assert.match(error.message, /state\.db: .*read-only file system/);
        return error instanceof UaError && error.code === "failed";
      });
    });
  });
}
