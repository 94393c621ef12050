import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openDatabase } from "../../src/store/sqlite.js";
import { toUserError } from "../../src/store/user-error.js";
import { tempDir } from "../support/repo.js";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const builtin = (major > 22 || (major === 22 && minor >= 13)) && process.env.UA_HOOKS_SQLITE !== "libsql";

test(`on this Node the driver is ${builtin ? "node:sqlite" : "libsql"}`, async (t) => {
  const db = await openDatabase(join(tempDir(t), "x.db"));
  // libsql is a fork that reports its own functions; SQLite itself does not know them.
  const forked = (() => {
    try {
      db.get("SELECT libsql_close_hook()");
      return true;
    } catch {
      return "vector32" in functionsOf(db.all<{ name: string }>("SELECT DISTINCT name FROM pragma_function_list"));
    }
  })();
  db.close();
  assert.equal(forked, !builtin);
});

const functionsOf = (rows: { name: string }[]) => Object.fromEntries(rows.map(({ name }) => [name, true]));

test("values come back as they went in, and an absent row is undefined", async (t) => {
  const db = await openDatabase(join(tempDir(t), "x.db"));
  db.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, value)");
  const values = ["text", "", "o'clock", "a\nb\tc", "é e\u0301 😀 \u202e", 0, -1, 2 ** 40, 1.5, null];
  for (const [at, value] of values.entries()) db.run("INSERT INTO t VALUES(?, ?)", at, value);
  const rows = db.all<{ value: unknown }>("SELECT value FROM t ORDER BY id");
  assert.deepEqual(
    rows.map(({ value }) => value),
    values,
  );
  assert.equal(db.get<{ value: string }>("SELECT value FROM t WHERE id = ?", 0)?.value, "text");
  assert.equal(db.get("SELECT value FROM t WHERE id = ?", 99), undefined);
  assert.deepEqual(db.all("SELECT value FROM t WHERE id = ?", 99), []);
  db.close();
});

test("a row has the columns that were asked for and no other", async (t) => {
  const db = await openDatabase(join(tempDir(t), "x.db"));
  assert.deepEqual(Object.keys(db.get("SELECT 1 AS one") ?? {}), ["one"]);
  db.close();
});

test("a write is all or nothing, and one inside another joins it", async (t) => {
  const file = join(tempDir(t), "x.db");
  const db = await openDatabase(file);
  db.exec("CREATE TABLE t (n INTEGER PRIMARY KEY)");
  assert.equal(
    db.write(() => {
      db.run("INSERT INTO t VALUES(1)");
      db.write(() => db.run("INSERT INTO t VALUES(2)"));
      return "done";
    }),
    "done",
  );
  assert.throws(
    () =>
      db.write(() => {
        db.run("INSERT INTO t VALUES(3)");
        db.write(() => db.run("INSERT INTO t VALUES(1)"));
      }),
    /UNIQUE|constraint/i,
  );
  const other = await openDatabase(file);
  assert.deepEqual(
    other.all<{ n: number }>("SELECT n FROM t ORDER BY n").map(({ n }) => n),
    [1, 2],
  );
  other.close();
  db.write(() => db.run("INSERT INTO t VALUES(4)"));
  db.close();
});

test("an error is explained where the caller knows better", async (t) => {
  const db = await openDatabase(join(tempDir(t), "x.db"), (error) => new Error("explained", { cause: error }));
  for (const fails of [
    () => db.exec("nonsense"),
    () => db.get("SELECT * FROM nowhere"),
    () => db.run("x"),
    () => db.all("y"),
  ]) {
    assert.throws(fails, /^Error: explained$/);
  }
  db.close();
});

test("a machine without free descriptors has no damaged database", () => {
  const error = toUserError(new Error("Too many open files (os error 24)"), "state.db"); // libsql's words
  assert.equal(error?.code, "failed");
  assert.doesNotMatch(error.next ?? "", /mv/);
});

test("a sandbox that cannot write .git: the error names the MCP tools", () => {
  const error = toUserError(Object.assign(new Error("EROFS: read-only file system, open"), { code: "EROFS" }));
  assert.match(error?.next ?? "", /In a sandbox that cannot write here: the MCP tools claim_update and apply_update$/);
});
