import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isRunning } from "../../src/platform/process.js";
import { readLog } from "../../src/store/log.js";
import { MIGRATIONS } from "../../src/store/schema.js";
import { connect } from "../support/mcp.js";
import { installedRepo, type Repo, until } from "../support/repo.js";
import { buildOther, runOther } from "../support/versions.js";
import { detached, detachedRepo, hold, quiet, stateDir } from "../support/workers.js";

/** Two versions of the program on one clone (invariant "upgrades are seamless"). */

/** The version of this program's database. */
const NOW = MIGRATIONS.length;

const newer = buildOther({ version: "9.9.9", later: [["CREATE TABLE later (x)"], ["ALTER TABLE later ADD COLUMN y"]] });
const between = buildOther({ version: "9.5.0", later: [["CREATE TABLE later (x)"]] });

const due = (name: string) => ({
  "src/b.ts": `export function twice(${name}: number): number {\n  return ${name};\n}\n`,
});
const runtime = (repo: Repo) => repo.read(".git/ua-hooks/runtime/version");
const json = (text: string) => JSON.parse(text) as { status: string; program: { version: string; hooks: string } };

test("a newer program upgrades the clone's copy and the database; hooks, agents and the older program go on", async (t) => {
  const repo = installedRepo(t);
  const programs = await newer;
  repo.commit("due", due("a"));
  const before = repo.marker();
  assert.equal(runtime(repo).split(" ")[1], `${NOW}\n`);

  const upgraded = runOther(repo, programs, "status", "--json");
  assert.equal(upgraded.code, 0, upgraded.stderr);
  assert.equal(json(upgraded.stdout).status, "pending", "everything is kept");
  assert.equal(runtime(repo), `9.9.9 ${NOW + 2}\n`);
  assert.match(repo.read(".git/ua-hooks/runtime/hook-main.cjs"), /9\.9\.9/);
  assert.equal(repo.marker()?.generation, before?.generation);

  repo.commit("more", { "src/new.ts": "export const n = 1;\n" });
  assert.equal(repo.marker()?.head.commit, repo.head(), "the hooks are live");

  const older = repo.uaJson<{ status: string; program: { version: string; hooks: string } }>("status");
  assert.deepEqual(
    [older.status, older.program],
    ["pending", { version: "9.9.9", hooks: "9.9.9" }],
    "run in its place",
  );
  const claim = repo.uaJson<{ lease: { id: string } }>("claim");
  assert.equal(repo.ua("release", "--lease", claim.lease.id).code, 0);
  assert.equal(repo.ua("apply", "no-such-file").code, runOther(repo, programs, "apply", "no-such-file").code);
});

test("two versions between: each older one gives way, and an upgrade in two steps arrives", async (t) => {
  const repo = installedRepo(t);
  assert.equal(runOther(repo, await between, "status").code, 0);
  assert.equal(runtime(repo), `9.5.0 ${NOW + 1}\n`);
  assert.equal(runOther(repo, await newer, "install").code, 0);
  assert.equal(runtime(repo), `9.9.9 ${NOW + 2}\n`);
  for (const programs of [await between, await newer]) {
    const { code, stdout } = runOther(repo, programs, "status", "--json");
    assert.deepEqual([code, json(stdout).program.version], [0, "9.9.9"]);
  }
  repo.commit("due", due("a"));
  assert.equal(repo.marker()?.head.commit, repo.head());
});

test("status says that the hooks run another build of the same version", (t) => {
  const repo = installedRepo(t);
  const program = join(stateDir(repo), "runtime/program.cjs");
  const text = readFileSync(program, "utf8");
  rmSync(program); // other tests link to this file
  writeFileSync(program, text);
  assert.doesNotMatch(repo.ua("status").stdout, /Program/, "another time, the same text");
  writeFileSync(program, `${text}// another build\n`);
  assert.match(
    repo.ua("status").stdout,
    /Program\s+this is \S+, the hooks run another build of \S+: `.*install` brings/,
  );
  assert.equal(repo.ua("install").code, 0);
  assert.doesNotMatch(repo.ua("status").stdout, /Program/);
});

test("status says that the hooks run another version of the program", async (t) => {
  const repo = installedRepo(t);
  const programs = await buildOther({ version: "9.0.0", later: [] });
  const { stdout } = runOther(repo, programs, "status");
  assert.match(stdout, /Program\s+this is 9\.0\.0, the hooks run \S+: `.*install` brings them in step/);
  assert.doesNotMatch(repo.ua("status").stdout, /Program/);
  assert.equal(runOther(repo, programs, "install").code, 0);
  assert.doesNotMatch(runOther(repo, programs, "status").stdout, /Program/);
  rmSync(join(repo.dir, ".git/ua-hooks/runtime/version"));
  assert.match(repo.ua("status").stdout, /the hooks run an earlier version/);
});

test("an upgrade waits for the worker, which ends its work before the program under it changes", async (t) => {
  const repo = detachedRepo(t);
  const programs = await newer;
  const { fault, reached, letGo } = hold(repo, "runner.work");
  detached(repo, { UA_HOOKS_FAULT: fault }).commit("due", due("a"));
  await until("the worker works", reached);
  const during = runOther(repo, programs, "status");
  assert.equal(during.code, 4, "busy after ten seconds, and nothing was changed");
  assert.equal(runtime(repo).split(" ")[1], `${NOW}\n`);
  letGo();
  await quiet(repo);
  assert.equal(repo.marker()?.head.commit, repo.head());
  assert.equal(runOther(repo, programs, "status").code, 0);
  repo.commit("more", due("b"));
  await quiet(repo);
  assert.equal(repo.marker()?.head.commit, repo.head());
  assert.deepEqual(
    readLog(stateDir(repo), 100).filter(({ outcome }) => outcome === "unknown"),
    [],
  );
});

test("killed between the copy and the database: hooks and commands finish the upgrade", async (t) => {
  for (const next of ["hook", "command"]) {
    const repo = installedRepo(t);
    const programs = await newer;
    const killed = { ...repo, env: { ...repo.env, UA_HOOKS_FAULT: "upgrade.migrate:kill" } };
    assert.equal(runOther(killed, programs, "status").code, -1);
    assert.equal(runtime(repo), `9.9.9 ${NOW + 2}\n`);
    if (next === "hook") {
      repo.commit("due", due("a"));
      assert.equal(repo.marker()?.head.commit, repo.head());
    }
    assert.equal(repo.uaJson<{ program: { version: string } }>("status").program.version, "9.9.9");
  }
});

test("a long-lived MCP server ends with a sentence that asks for a new start", async (t) => {
  const repo = installedRepo(t);
  const { call, failure, pid } = await connect(t, repo);
  assert.equal((await call<{ status: string }>("get_freshness")).status, "fresh");
  const server = pid();
  assert.equal(runOther(repo, await newer, "status").code, 0);
  repo.commit("due", due("a"));
  assert.match(await failure("get_pending_update"), /written by a newer ua-hooks.*start it again/s);
  await until("the server has ended", () => !isRunning({ pid: server, born: "" }));
  const again = await connect(t, repo);
  assert.equal(
    (await again.call<{ status: string }>("get_freshness")).status,
    "pending",
    "the newer one, in its place",
  );
});

test("without the clone's copy an older program refuses with exit 5, and keeps everything", async (t) => {
  const repo = installedRepo(t);
  assert.equal(runOther(repo, await newer, "status").code, 0);
  rmSync(join(repo.dir, ".git/ua-hooks/runtime"), { recursive: true });
  const before = readFileSync(join(repo.dir, ".git/ua-hooks/state.db"));
  const { code, stderr } = repo.ua("status");
  assert.equal(code, 5);
  assert.match(stderr, /written by a newer ua-hooks/);
  assert.ok(readFileSync(join(repo.dir, ".git/ua-hooks/state.db")).equals(before));
});
