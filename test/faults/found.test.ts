import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { lock, tryLock } from "../../src/store/lock.js";
import { openState } from "../../src/store/state.js";
import { GRAPH_FILE } from "../support/agent.js";
import { run } from "../support/notification.js";
import { cli, dist, installedRepo, type Repo, tempDir } from "../support/repo.js";
import { assertSound } from "../support/sound.js";
import { tryCase, type Way } from "./harness.js";
import { applyLinked, claim, exporting, pausing, registry, release, revival, status } from "./ways-command.js";
import { commit } from "./ways-git.js";
import { install, uninstall } from "./ways-install.js";
import { context } from "./ways-memory.js";
import { Author, assertDelivered, ok, resultFile } from "./world.js";

/** What the harness found once is tried ever after: what it was, and where. */
const FOUND: readonly [string, Way, point: string, fault: string, visit: number][] = [
  ["sh told on stderr that the hook was killed", commit("structural"), "verify.saved", "kill", 1],
  ["a full disk was called a defect", registry, "file.write", "ENOSPC", 1],
  ["and not unknown, by status", status, "db.commit", "EIO", 1],
  ["a database that may not be written was called damaged", applyLinked, "db.run", "EACCES", 1],
  ["a killed write left its temporary file in the state dir", pausing, "file.rename", "kill", 1],
  ["a data dir that came back half stayed half", revival, "file.write", "kill", 4],
  ["an uninstall that was killed forgot the folders it had made", uninstall, "install.step11", "kill", 1],
  ["and left its temporary file beside a hook", uninstall, "file.rename", "kill", 1],
  [
    "a step that failed after the last file of a folder was gone was called a defect",
    uninstall,
    "install.step11",
    "EIO",
    1,
  ],
  ["a killed write of a proof that held already left its temporary file", release, "file.write", "kill", 1],
  ["and so did that of the marker, whose lease was given back already", release, "file.rename", "kill", 1],
  ["and that of an artefact that was being exported", exporting, "file.write", "kill", 1],
  ["a claim by a clock that was set ahead meanwhile had no lease", claim, "db.run", "clock=+86400000", 1],
  ["an update of the context that was killed locked the next one out", context, "file.rename", "kill", 1],
];

for (const [what, way, point, fault, visit] of FOUND) {
  test(`found once: ${what}`, async (t) => {
    const place = way.open(t);
    assert.ok(await tryCase(way, place, { point, fault, visit }), `${fault} at ${point} is on the way`);
  });
}

test("found once: an install that was killed left an agent's skill behind", async (t) => {
  const place = install.open(t);
  for (const [point, visit] of [
    ["install.step11", 1],
    ["install.step12", 1],
    ["install.step13", 1],
    ["file.rename", 12],
  ] as const) {
    assert.ok(await tryCase(install, place, { point, fault: "kill", visit }), `${point} is on the way`);
  }
  place.prepare(); // takes everything out, and looks
});

/** No file may grow past so many blocks of 512 bytes; with the signal ignored a write fails with EFBIG, half done. */
function onFullDisk({ dir: cwd, env }: Repo, blocks: number, ...args: string[]) {
  const script = `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" "$@"`;
  return spawnSync("sh", ["-c", script, process.execPath, ...args], { cwd, env, encoding: "utf8" });
}

test("found once: where sh is bash, an agent reported that its hook was killed", async (t) => {
  const repo = installedRepo(t);
  const author = new Author(repo);
  author.unseen(author.structural());
  const args = [join(repo.dir, ".git/ua-hooks/agent.sh"), "claude", "SessionStart"];
  const input = JSON.stringify({ session_id: "s", hook_event_name: "SessionStart", cwd: repo.dir });
  const env = { ...repo.env, UA_HOOKS_FAULT: "verify.save:kill" };
  const said = await run("bash", args, input, { cwd: repo.dir, env });
  assert.deepEqual(said, { code: 0, stdout: "", stderr: "" });
});

test("found once: a merge that could not be written spoiled our side", (t) => {
  const repo = installedRepo(t);
  const graph = repo.read(GRAPH_FILE);
  for (const name of ["base", "ours", "theirs"]) repo.write({ [name]: graph });
  const hook = join(dist, "hook.cjs");
  assert.equal(onFullDisk(repo, 1, hook, "merge", "base", "ours", "theirs", GRAPH_FILE).status, 2, "left to git");
  assert.equal(repo.read("ours"), graph, "which finds all of ours");
  assert.deepEqual(readdirSync(join(repo.dir, ".git/ua-hooks/staging")), []);
});

test("found once: a clock that was set back made a reader wait for a day", async (t) => {
  const dir = tempDir(t);
  const db = await openState(dir);
  t.after(() => db.close());
  const { lock: held } = tryLock(db, dir);
  const { now } = Date;
  t.after(() => {
    Date.now = now;
  });
  const waiting = lock(db, dir, 50);
  Date.now = () => now() - 3_600_000;
  await assert.rejects(waiting, { code: "busy" });
  held?.release();
});

test("a disk that takes no more, for real: said, nothing lost, and done again", async (t) => {
  const repo = installedRepo(t);
  const author = new Author(repo);
  for (const blocks of [0, 4, 16, 40, 100]) {
    author.unseen(author.structural());
    const words = `with ${blocks} blocks`;
    const file = resultFile(repo, words);
    const { status: code, stderr } = onFullDisk(repo, blocks, cli, "apply", file);
    assert.ok(code === 0 || (code === 6 && /^ua-hooks: .+\n {2}.+\n$/.test(stderr)), `${blocks}: ${code}, ${stderr}`);
    assert.doesNotMatch(stderr, /defect|damaged|move it away/);
    await assertSound(repo, words);
    ok(repo.ua("apply", file), "again");
    assertDelivered(repo, words);
  }
});
