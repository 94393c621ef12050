import assert from "node:assert/strict";
import { statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isAsStamped, isSettled, stampOf } from "../../src/store/files.js";
import { installedRepo, tempDir, until } from "../support/repo.js";

test("an edit that keeps size and inode and puts the mtime back is seen", async (t) => {
  const file = join(tempDir(t), "a");
  const then = new Date("2026-01-01");
  writeFileSync(file, "one\n");
  utimesSync(file, then, then);
  await until("the clock has ticked, so that the numbers alone count", () => isSettled(statSync(file)));
  const stamp = stampOf(file);
  assert.doesNotMatch(stamp ?? "", /=/);
  assert.ok(isAsStamped(file, stamp));
  writeFileSync(file, "two\n");
  utimesSync(file, then, then);
  assert.equal(statSync(file).mtimeMs, then.getTime());
  assert.ok(!isAsStamped(file, stamp));
});

/** Written and stamped within one tick; on a loaded machine it takes some tries. */
function stampAtOnce(file: string, text: string): string {
  for (;;) {
    writeFileSync(file, text);
    const stamp = stampOf(file) ?? "";
    if (stamp.includes("=")) return stamp;
  }
}

test("a file that has just changed is compared by content, and one that is too large for that is not believed", (t) => {
  const file = join(tempDir(t), "a");
  const stamp = stampAtOnce(file, "one\n");
  assert.ok(isAsStamped(file, stamp));
  // What two writes within one tick look like: the same numbers, another content.
  const { size, mtimeMs, ctimeMs, ino } = statSync(file);
  const content = (text: string) => `${size}:${mtimeMs}:${ctimeMs}:${ino}=${Buffer.from(text).toString("base64")}`;
  assert.ok(isAsStamped(file, content("one\n")));
  assert.ok(!isAsStamped(file, content("two\n")));
  assert.ok(!isAsStamped(file, stampAtOnce(file, "x".repeat(100_000))));
  assert.ok(isAsStamped(file, stampOf(file, { own: true })), "what we wrote ourselves under a new name is");
});

test("a file system that keeps whole seconds needs two of them, and the future is never settled", () => {
  const stat = (ctimeMs: number) => ({ size: 1, mtimeMs: 0, ino: 1, ctimeMs });
  const now = Date.now();
  const second = Math.floor(now / 1000) * 1000;
  assert.ok(!isSettled(stat(second)));
  assert.ok(!isSettled(stat(second - 1000)));
  assert.ok(isSettled(stat(second - 4000)));
  assert.ok(isSettled(stat(now - 500.5)));
  assert.ok(!isSettled(stat(now + 60_000.5)));
});

test("an ignore file that is edited twice within a tick, or with its mtime put back, changes what is pending", (t) => {
  const repo = installedRepo(t);
  repo.commit("hidden", {
    ".understandignore": "src/b.ts\n",
    "src/b.ts": "export function twice(x: number, by: number): number {\n  return x * by;\n}\n",
  });
  assert.equal(repo.uaJson<{ status: string }>("status").status, "fresh");
  const file = join(repo.dir, ".understandignore");
  const { atime, mtime } = statSync(file);
  writeFileSync(file, "src/z.ts\n");
  utimesSync(file, atime, mtime);
  assert.notEqual(repo.uaJson<{ status: string }>("status").status, "fresh");
});
