import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { processNumber, processOf } from "../../src/platform/process.js";
import { isOrphan } from "../../src/store/files.js";
import { hasWaiter, lock, lockAsWorker, staleLockFiles, tryLock } from "../../src/store/lock.js";
import { logPath, readLog, writeLog } from "../../src/store/log.js";
import { type Holder, readSetting, SETTINGS, writeSetting } from "../../src/store/settings.js";
import type { Db } from "../../src/store/sqlite.js";
import { openState } from "../../src/store/state.js";
import { writePid } from "../../src/worker/pid-file.js";
import { cli, start, tempDir, until } from "../support/repo.js";
import { detached, detachedRepo, hold, notes, quiet, unseen } from "../support/workers.js";

async function state(t: TestContext): Promise<{ dir: string; db: Db; path: string }> {
  const dir = tempDir(t);
  const db = await openState(dir);
  t.after(() => db.close());
  return { dir, db, path: join(dir, "runner.lock") };
}

/** A lock as somebody else would have it. */
function heldBy(db: Db, path: string, holder: Partial<Holder> | null): void {
  mkdirSync(path, { recursive: true });
  const theirs: Holder = { ...processOf(process.pid), role: "other", token: "theirs" };
  writeSetting(db, SETTINGS.lockHolder, holder === null ? null : { ...theirs, ...holder });
}

/** The number of a process that is no more. */
function deadPid(): number {
  return spawnSync("true").pid;
}

test("a dead holder's lock is taken over at once, and so is a folder without a holder", async (t) => {
  const { dir, db, path } = await state(t);
  for (const holder of [{ pid: deadPid(), born: "1" }, null]) {
    heldBy(db, path, holder);
    const { lock: got } = tryLock(db, dir);
    assert.ok(got !== null);
    got.assertHeld();
    got.release();
    assert.ok(!existsSync(path));
  }
});

test("a number that another process has got since is no holder", { skip: noBirth() }, async (t) => {
  const { dir, db, path } = await state(t);
  heldBy(db, path, { pid: process.pid, born: "12345" });
  tryLock(db, dir).lock?.release();
  heldBy(db, path, {});
  assert.equal(tryLock(db, dir).lock, null, "but this very process is");
});

function noBirth(): string | false {
  return processOf(process.pid).born === "" ? "no /proc: a number is all there is" : false;
}

test("a holder on another machine or in another pid namespace is believed until its lock is old", async (t) => {
  const { dir, db, path } = await state(t);
  const elsewhere: Partial<Holder>[] = [
    { host: "elsewhere" },
    { space: "1b4e28ba-2fa1-11d2-883f-0016d3cca427 pid:[4026531836]" },
    { space: processOf(process.pid).space.replace(/\d\]$/, "x]") || "another" },
  ];
  for (const where of elsewhere) {
    heldBy(db, path, { pid: deadPid(), born: "1", ...where });
    assert.equal(tryLock(db, dir).lock, null);
    assert.deepEqual(staleLockFiles(db, dir), []);
    writePid(dir, deadPid());
    assert.deepEqual(staleLockFiles(db, dir), [], "nor is its number in runner.pid stale");
    utimesSync(path, new Date(Date.now() - 21_000), new Date(Date.now() - 21_000));
    const { lock: got } = tryLock(db, dir);
    assert.ok(got !== null);
    got.release();
    assert.deepEqual(staleLockFiles(db, dir), ["runner.pid"]);
    rmSync(join(dir, "runner.pid"));
  }
});

test("a process in another pid namespace waits for a living holder, with or without a /proc of its own", {
  skip: noPidNamespace(),
}, async (t) => {
  const repo = detachedRepo(t);
  const { fault, reached, letGo } = hold(repo, "runner.work");
  const db = await openState(join(repo.dir, ".git/ua-hooks"));
  t.after(() => db.close());
  detached(repo, { UA_HOOKS_FAULT: fault }).commit("due", { "src/b.ts": "export const b = 1;\n" });
  await until("the worker holds the lock", reached);
  const holder = readSetting(db, SETTINGS.lockHolder);
  const inside = [["--mount-proc"], []].map((flags) => {
    const args = ["--pid", "--fork", ...flags, process.execPath, cli, "pending", "--json"];
    return start("unshare", args, { cwd: repo.dir, env: unseen(repo).env });
  });
  await until("it waits", () => hasWaiter(db));
  assert.deepEqual(readSetting(db, SETTINGS.lockHolder), holder);
  letGo();
  for (const { code, stderr } of await Promise.all(inside)) assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
});

/** Why this machine cannot give a test a pid namespace of its own; false where it can. */
function noPidNamespace(): string | false {
  const { status } = spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "true"]);
  return status === 0 ? false : "no pid namespace can be made here";
}

test("a temporary file of another pid namespace is left until it is a day old", (t) => {
  const dir = tempDir(t);
  const number = processNumber();
  const other = `${process.pid}${(Number(number.slice(-10)) + 1).toString().padStart(10, "0")}`;
  for (const name of [number, other]) writeFileSync(join(dir, `.a.${name}.tmp`), "");
  const orphans = () => [number, other].map((name) => isOrphan(`.a.${name}.tmp`, dir));
  assert.deepEqual(orphans(), [false, false]);
  for (const name of [number, other]) utimesSync(join(dir, `.a.${name}.tmp`), 1, 1);
  assert.deepEqual(orphans(), [true, true]);
});

test("of two who take over at once, one gets it", async (t) => {
  const { dir, db, path } = await state(t);
  for (let round = 0; round < 5; round++) {
    heldBy(db, path, { pid: deadPid(), born: "1" });
    const others = await Promise.all(Array.from({ length: 4 }, () => openState(dir)));
    const got = others.map((one) => tryLock(one, dir).lock);
    const winners = got.filter((one) => one !== null);
    assert.equal(winners.length, 1);
    winners[0]?.assertHeld();
    winners[0]?.release();
    for (const one of others) one.close();
  }
});

test("a process that lost the lock stops before the next write, and does not release another's", async (t) => {
  const { dir, db, path } = await state(t);
  const { lock: first } = tryLock(db, dir);
  assert.ok(first !== null);
  rmdirSync(path); // as when it had slept for longer than the lock lasts
  const other = await openState(dir);
  t.after(() => other.close());
  writeSetting(db, SETTINGS.lockHolder, null);
  const { lock: second } = tryLock(other, dir);
  assert.ok(second !== null);
  assert.throws(() => first.assertHeld(), /the lock was lost/);
  first.release();
  assert.ok(existsSync(path));
  second.assertHeld();
  second.release();
});

test("a reader waits, says so, and gets it; a worker leaves the lock to another worker and waits for a reader", async (t) => {
  const { dir, db } = await state(t);
  const other = await openState(dir);
  t.after(() => other.close());
  const { lock: runner } = tryLock(db, dir, "runner");
  assert.equal(await lockAsWorker(other, dir), null);
  const waiting = lock(other, dir, 5_000);
  assert.ok(hasWaiter(db));
  runner?.release();
  const reader = await waiting;
  assert.ok(!hasWaiter(db));
  let isReleased = false;
  const next = lockAsWorker(db, dir).then((got) => {
    assert.ok(isReleased, "the worker waits for the reader");
    return got;
  });
  await new Promise(setImmediate);
  isReleased = true;
  reader.release();
  const got = await next;
  assert.ok(got !== null);
  await assert.rejects(lock(other, dir, 30), { code: "busy" });
  got.release();
});

test("a worker that loses its lock writes nothing more", async (t) => {
  const repo = detachedRepo(t);
  const { fault, reached, letGo } = hold(repo, "marker.render");
  detached(repo, { UA_HOOKS_FAULT: fault }).commit("due", { "src/b.ts": "export function other(): void {}\n" });
  await until("the runner is about to write", reached);
  const db = await openState(join(repo.dir, ".git/ua-hooks"));
  const ours: Holder = { ...processOf(process.pid), role: "other", token: "ours" };
  writeSetting(db, SETTINGS.lockHolder, ours);
  letGo();
  await quiet(repo);
  const row = db.get<{ verified_sha: string }>("SELECT verified_sha FROM views");
  assert.notEqual(row?.verified_sha, repo.head());
  writeSetting(db, SETTINGS.lockHolder, null);
  db.close();
  assert.equal(repo.ua("pending").code, 0);
  assert.equal(repo.marker()?.head.commit, repo.head());
});

test("a reader takes over the lock of a killed worker before it is stale by age", async (t) => {
  const repo = detachedRepo(t);
  detached(repo, { UA_HOOKS_FAULT: "verify.save:kill" }).commit("due", { "src/b.ts": "export const b = 1;\n" });
  await quiet(repo);
  assert.ok(repo.has(".git/ua-hooks/runner.lock"), "it is still there");
  // A reader waits for less time than it takes a lock to become stale by its age.
  const { code } = await start(process.execPath, [cli, "pending"], { cwd: repo.dir, env: unseen(repo).env });
  assert.equal(code, 0);
  assert.equal(repo.marker()?.head.commit, repo.head());
});

test("of many starters that find a dead worker's lock at once, one works", async (t) => {
  const repo = detachedRepo(t);
  detached(repo, { UA_HOOKS_FAULT: "verify.save:kill" }).commit("due", { "src/b.ts": "export const b = 1;\n" });
  await quiet(repo);
  const file = join(repo.base, "work.txt");
  const env = { ...repo.env, UA_HOOKS_FAULT: `runner.work:note=${file}` };
  const state = join(repo.dir, ".git/ua-hooks");
  const args = [join(state, "runtime/hook.cjs"), "run", join(repo.dir, ".git")];
  const ended = await Promise.all(
    Array.from({ length: 6 }, () => start(process.execPath, args, { cwd: repo.dir, env })),
  );
  assert.deepEqual(ended, Array(6).fill({ code: 0, stdout: "", stderr: "" }));
  assert.equal(notes(file).length, 1);
  assert.equal(repo.marker()?.head.commit, repo.head());
  assert.ok(!existsSync(join(state, "runner.pid")) && !existsSync(join(state, "runner.lock")));
});

test("the log is bounded, and a log that cannot be written stops no process", (t) => {
  const dir = tempDir(t);
  const entry = {
    at: "now",
    view: ".",
    events: [],
    head: null,
    outcome: "settled",
    reason: "x".repeat(1000),
    parses: 0,
    ms: 1,
  };
  for (let at = 0; at < 2_500; at++) writeLog(dir, { ...entry, reason: `${at} ${entry.reason}` });
  const size = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  assert.ok(size(logPath(dir)) + size(`${logPath(dir)}.1`) < 1_100_000);
  assert.match(readLog(dir, 1)[0]?.reason ?? "", /^2499 /);
  writeFileSync(join(dir, "file"), "");
  writeLog(join(dir, "file"), entry);
});

test("runner.pid is written in one step, and only if it differs: no hook reads half of it", (t) => {
  const dir = tempDir(t);
  const file = join(dir, "runner.pid");
  const inode = () => statSync(file, { bigint: true }).ino;
  writePid(dir, 1_234_567);
  assert.equal(readFileSync(file, "utf8"), "1234567\n");
  linkSync(file, `${file}.kept`); // so that its inode is not given to the next one
  writePid(dir, 1_234_567);
  assert.equal(inode(), statSync(`${file}.kept`, { bigint: true }).ino);
  writePid(dir, 7_654_321);
  assert.notEqual(inode(), statSync(`${file}.kept`, { bigint: true }).ino, "renamed to its place, not written there");
});
