import assert from "node:assert/strict";
import { test } from "node:test";
import { locateProject } from "../../src/repository/locate.js";
import { checkStamp } from "../../src/verification/stamp.js";
import { installedRepo, makeRepo, type Repo, SMALL_PROJECT } from "../support/repo.js";
import { installInto } from "../support/round.js";
import { assertSound, withState } from "../support/sound.js";
import { gitsOwn, snapshot } from "../support/tree.js";

/** Names and modes of everything, and the bytes of what has no times, paths and commits in it. */
function contents(repo: Repo): Record<string, string> {
  const found = snapshot(
    repo.dir,
    (path) =>
      gitsOwn(path) || path.endsWith(".sample") || path.includes("/runtime/") || /state\.db-(shm|wal)$/.test(path),
  );
  const own = /ua-hooks\/(state\.db|proofs\/main|root)$|(meta|fingerprints|knowledge-graph)\.json$/;
  return Object.fromEntries(
    Object.entries(found).map(([path, text]) => [path, own.test(path) ? (text.split(" ")[0] ?? "") : text]),
  );
}

test("the beginning that most tests copy is what an install there creates, and its stamp matches", async (t) => {
  const copy = installedRepo(t);
  const real = makeRepo(t);
  real.commit("start", SMALL_PROJECT);
  installInto(real);
  assert.deepEqual(contents(copy), contents(real));

  const project = await locateProject({ cwd: copy.dir, env: {} });
  assert.deepEqual((await checkStamp(project)).stamped, {
    outcome: "settled",
    reason: "no known file has changed",
  });
  const path = await withState(project, (db) => db.get<{ path: string }>("SELECT path FROM views")?.path);
  assert.equal(path, copy.dir);
  assert.equal(copy.git("diff-files"), "", "git's index knows the files");
  assert.deepEqual(copy.uaJson<{ written: unknown[] }>("install").written, [], "nothing is left to install");
  assert.equal(await assertSound(copy, "a copy"), null);
});
