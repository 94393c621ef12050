import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openDatabase } from "../../src/store/sqlite.js";
import { Clean } from "../support/clean.js";
import { cli, installedRepo, type Repo, start, until } from "../support/repo.js";
import { detached, hold, kill, notes, quiet, stateDir, workersOf } from "../support/workers.js";

async function isWaitedFor(repo: Repo): Promise<boolean> {
  const db = await openDatabase(join(stateDir(repo), "state.db"));
  try {
    return db.get("SELECT 1 FROM settings WHERE key = 'lock.wanted'") !== undefined;
  } finally {
    db.close();
  }
}

test("a worker with many changed files lets a command in between two batches, and parses none of them twice", async (t) => {
  const many = (text: string) =>
    Object.fromEntries(Array.from({ length: 160 }, (_, at) => [`src/f${at}.ts`, `export const f${at} = ${text};\n`]));
  const repo = detached(installedRepo(t, { name: "many", files: many("1") }));
  stateDir(repo);
  t.after(() => workersOf(repo).forEach(kill));
  const clean = new Clean(repo);
  const order = join(repo.base, "order.txt");
  const { fault, reached, letGo } = hold(repo, "facts.stored");
  detached(repo, { UA_HOOKS_FAULT: `${fault};verify.saved:note=${order}` }).commit("many", many("() => 2"));
  await until("a batch is stored", reached);
  const env = { ...repo.env, UA_HOOKS_FAULT: `lock.made:note=${order}` };
  const command = start(process.execPath, [cli, "pending", "--json"], { cwd: repo.dir, env });
  await until("the command waits", () => isWaitedFor(repo));
  letGo();
  const { code, stderr } = await command;
  assert.equal(code, 0, stderr);
  assert.equal(notes(order)[0]?.point, "lock.made", "the command was first");
  await quiet(repo);
  await clean.assertEqual(repo);
});
