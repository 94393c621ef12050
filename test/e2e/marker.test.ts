import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Marker } from "../../src/marker/marker.js";
import { installedRepo, type Repo, SMALL_PROJECT } from "../support/repo.js";
import { runs } from "../support/truth.js";

const { "src/b.ts": B = "", "tools/run.py": RUN = "" } = SMALL_PROJECT;
const B_WIDER = B.replace("x: number)", "x: number, y = 1)");
const B_WIDEST = B.replace("x: number)", "x: number, y = 1, z = 1)");

const file = (repo: Repo) => join(repo.dir, ".understand-anything", "pending-update.json");
const stamp = (repo: Repo) => {
  const { ino, mtimeNs } = statSync(file(repo), { bigint: true });
  return { ino, mtimeNs };
};
const pending = (repo: Repo) => repo.uaJson<Marker>("pending");

test("the generation rises with the content, and never starts again", (t) => {
  const repo = installedRepo(t);
  const generation = () => repo.marker()?.generation;
  repo.commit("wider", { "src/b.ts": B_WIDER });
  assert.equal(generation(), 1);
  const asked = ["file:src/b.ts", "function:src/b.ts:twice"].map((id) => ({ id, change: "interface" }));
  assert.deepEqual(runs(repo).at(-1)?.symbols, asked, "in the log");
  const first = repo.marker();

  const comment = repo.commit("a comment elsewhere", { "tools/run.py": `# runs\n${RUN}` });
  assert.equal(generation(), 1, "nothing more to do");
  assert.equal(repo.marker()?.head.commit, comment, "but true of the new commit");
  assert.equal(repo.marker()?.createdAt, first?.createdAt);
  repo.commit("not code", { "notes.md": "notes\n" });
  assert.equal(generation(), 1);
  repo.commit("a comment in the file itself", { "src/b.ts": `// wider\n${B_WIDER}` });
  assert.equal(generation(), 1, "what is asked is the same");

  repo.commit("wider still", { "src/b.ts": B_WIDEST });
  assert.equal(generation(), 2, "the same file with other content");
  repo.commit("and another", { "src/c.ts": "export const c = 1;\n" });
  assert.equal(generation(), 3);

  repo.commit("all back", { "src/b.ts": B, "tools/run.py": RUN });
  assert.equal(generation(), 4);
  repo.git("rm", "-q", "src/c.ts");
  repo.commit("nothing is left to do");
  assert.equal(repo.marker(), null);
  repo.commit("wider again", { "src/b.ts": B_WIDER });
  assert.equal(generation(), 5, "an old number must not come back with a new meaning");
});

test("a deleted or damaged marker is restored by the next read", (t) => {
  const repo = installedRepo(t);
  repo.commit("wider", { "src/b.ts": B_WIDER });
  assert.equal(repo.marker()?.estimatedTokens, null, "git does not wait for that");
  const marker = pending(repo);
  assert.ok(marker.estimatedTokens > 0);
  assert.deepEqual(repo.marker(), marker, "measured by the first reader");
  rmSync(file(repo));
  assert.deepEqual(content(pending(repo)), content(marker), "deleting it is no ack");
  assert.deepEqual(content(repo.marker()), content(marker));

  writeFileSync(file(repo), "{ half a mark");
  assert.deepEqual(content(pending(repo)), content(marker));
  assert.deepEqual(content(repo.marker()), content(marker));

  repo.commit("back", { "src/b.ts": B });
  writeFileSync(file(repo), JSON.stringify(marker));
  assert.deepEqual(repo.uaJson("pending"), { schema: "ua-hooks.pending/1", state: "none" });
  assert.equal(repo.marker(), null, "and one that has no reason goes");
});

function content(marker: Marker | null) {
  if (marker === null) return null;
  const { events: _events, updatedAt: _at, ...rest } = marker;
  return rest;
}

test("the marker file is not written again when only events and times moved", (t) => {
  const repo = installedRepo(t);
  repo.write({ ".understand-anything/config.json": "{}" });
  repo.commit("wider", { "src/b.ts": B_WIDER });
  pending(repo);
  const before = stamp(repo);

  pending(repo);
  repo.uaJson("status");
  repo.git("checkout", "-q", "--", "src/b.ts");
  assert.deepEqual(stamp(repo), before, "reads leave it alone");

  // A judgement of the same commit: the proof fails where an input's stamp moved.
  const config = join(repo.dir, ".understand-anything", "config.json");
  utimesSync(config, 1, 1);
  pending(repo);
  assert.deepEqual(stamp(repo), before);
  utimesSync(config, 2, 2);
  const judged = runs(repo).length;
  const { status } = spawnSync(".git/hooks/post-merge", ["0"], { cwd: repo.dir, env: repo.env });
  assert.equal(status, 0);
  assert.deepEqual(runs(repo).slice(judged)[0]?.events, ["post-merge"], "it was judged once more");
  assert.deepEqual(stamp(repo), before);

  repo.commit("a comment elsewhere", { "tools/run.py": `# runs\n${RUN}` });
  assert.deepEqual(repo.marker()?.events, ["post-commit", "post-merge"], "with the next writing they are all there");
});
