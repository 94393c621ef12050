import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Clean } from "../support/clean.js";
import { noNamespace, withoutProc } from "../support/mounts.js";
import { type Repo, until } from "../support/repo.js";
import { detached, detachedRepo, hold, quiet, unseen, workersOf } from "../support/workers.js";

const skip = noNamespace();
const source = (name: string) => ({ "src/b.ts": `export const ${name} = 1;\n` });

/** The repository as a Mac has it: nothing in /proc, and perl but no setsid on PATH. Every start of Node is counted. */
function macLike(t: TestContext): {
  repo: Repo;
  mac: (extra?: NodeJS.ProcessEnv) => Repo;
  starts: () => number;
  first: () => number;
} {
  const repo = detachedRepo(t);
  const bin = join(repo.base, "bin");
  mkdirSync(bin);
  for (const name of ["git", "sh", "perl", "sleep", "mkfifo", "cat"]) {
    const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
    if (found !== "") symlinkSync(found, join(bin, name));
  }
  const counted = join(repo.base, "starts");
  writeFileSync(counted, "");
  writeFileSync(join(repo.base, "node"), `#!/bin/sh\necho $$ >>'${counted}'\nexec '${process.execPath}' "$@"\n`, {
    mode: 0o755,
  });
  const env = join(repo.dir, ".git/ua-hooks/env");
  writeFileSync(env, readFileSync(env, "utf8").replace(/^.*\n/, `${join(repo.base, "node")}\n`));
  return {
    repo,
    mac: (extra = {}) => withoutProc(detached(repo, { PATH: bin, ...extra })),
    starts: () => readFileSync(counted, "utf8").split("\n").length - 1,
    first: () => Number.parseInt(readFileSync(counted, "utf8"), 10),
  };
}

test("without /proc a number that is another process's by now starts a worker", { skip }, async (t) => {
  const { repo, mac } = macLike(t);
  const clean = new Clean(repo);
  const other = spawn("sleep", ["600"], { stdio: "ignore" });
  t.after(() => other.kill("SIGKILL"));
  for (const name of ["one", "two"]) {
    repo.write({ ".git/ua-hooks/runner.pid": `${other.pid}\n` });
    mac().commit(name, source(name));
    await until("the commit is verified", () => repo.marker()?.head.commit === repo.head());
    await quiet(repo);
    await clean.assertEqual(repo, name);
  }
});

test("without /proc and setsid: one start of Node for a series of commits, in a session of its own", {
  skip,
}, async (t) => {
  const { repo, mac, starts, first } = macLike(t);
  const clean = new Clean(repo);
  const { fault, reached, letGo } = hold(repo, "runner.work");
  const held = mac({ UA_HOOKS_FAULT: fault });
  held.commit("one", source("one"));
  for (const name of ["two", "three", "four"]) held.commit(name, source(name));
  await until("the worker works", reached);
  for (const name of ["five", "six"]) held.commit(name, source(name));
  assert.equal(starts(), 1);
  const [pid] = workersOf(repo);
  assert.equal(pid, first(), "the process that the shell started is the worker");
  const session = spawnSync("ps", ["-o", "sess=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();
  assert.equal(Number(session), pid);
  letGo();
  await quiet(repo);
  assert.equal(starts(), 1);
  await clean.assertEqual(repo);
  mac().commit("seven", source("seven"));
  await quiet(repo);
  assert.equal(starts(), 2, "the pipe of a worker that has ended keeps nobody from starting the next one");
  await clean.assertEqual(repo);
});

test("without /proc and setsid a shell waits for the end of a rebase", { skip }, async (t) => {
  const { repo, mac, starts } = macLike(t);
  const clean = new Clean(repo);
  const off = unseen(repo);
  off.git("checkout", "-q", "-b", "side");
  for (const name of ["one", "two", "three"]) off.commit(name, { [`src/${name}.ts`]: `export const ${name} = 1;\n` });
  off.git("checkout", "-q", "main");
  off.commit("ahead", source("ahead"));
  off.git("checkout", "-q", "side");
  // At every step: how often Node has been started so far.
  mac().git("rebase", "-q", "-x", "cat ../starts >>../seen; echo x >>../steps", "main");
  assert.equal(readFileSync(join(repo.base, "steps"), "utf8"), "x\n".repeat(3));
  assert.equal(readFileSync(join(repo.base, "seen"), "utf8"), "", "no Node before the end");
  await quiet(repo);
  assert.equal(starts(), 1);
  await clean.assertEqual(repo);
});

test("a worker and its git run at low priority", { skip: process.platform === "win32" }, async (t) => {
  const repo = detachedRepo(t);
  const { fault, reached, letGo } = hold(repo, "runner.work");
  detached(repo, { UA_HOOKS_FAULT: fault }).commit("due", source("due"));
  await until("the worker works", reached);
  const [pid] = workersOf(repo);
  const { stdout } = spawnSync("ps", ["-L", "-o", "ni=", "-p", String(pid)], { encoding: "utf8" });
  const own = Number(spawnSync("nice", { encoding: "utf8" }).stdout);
  const values = stdout.trim().split("\n").map(Number);
  assert.ok(values.length > 0 && values.every((value) => value >= Math.max(10, own)), stdout);
  letGo();
  await quiet(repo);
});
