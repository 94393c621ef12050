import assert from "node:assert/strict";
import { test } from "node:test";
import { openDatabase } from "../../src/store/sqlite.js";

test("bytes and null come back as they were given, from both drivers and all kinds of questions", async () => {
  const db = await openDatabase(":memory:");
  db.exec("CREATE TABLE t (a BLOB)");
  const bytes = Buffer.from([0, 1, 255]);
  db.run("INSERT INTO t(a) VALUES(?)", bytes);
  db.run("INSERT INTO t(a) VALUES(?)", null);
  const rows = [
    ...db.all<{ a: Uint8Array | null }>("SELECT a FROM t ORDER BY a DESC"),
    db.get<{ a: Uint8Array | null }>("SELECT a FROM t WHERE a = ?", bytes),
  ];
  assert.deepEqual(
    rows.map((row) => (row?.a === null ? null : [...(row?.a ?? [])])),
    [[0, 1, 255], null, [0, 1, 255]],
  );
  assert.equal(rows[0]?.a?.length, 3);
  db.close();
});
