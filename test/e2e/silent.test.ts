import assert from "node:assert/strict";
import { test } from "node:test";
import type { Marker } from "../../src/marker/marker.js";
import { type Repo, SMALL_PROJECT } from "../support/repo.js";
import { expectAtRead, expectTruth, runs } from "../support/truth.js";
import { twins } from "../support/twins.js";

// Operations that fire none of our hooks. Nothing may be claimed in between, and the next read tells the truth.

const { "src/b.ts": B = "", "tools/run.py": RUN = "" } = SMALL_PROJECT;
const B_WIDER = B.replace("x: number)", "x: number, y = 1)");
const RUN_WIDER = RUN.replace("(argument)", "(argument, more)");

const pendingFiles = (repo: Repo) => repo.uaJson<Partial<Marker>>("pending").filesToReanalyze ?? [];

test("reset --hard, back and forth", async (t) => {
  const { repo, git, commit } = twins(t);
  const start = repo.head();
  const wider = commit("wider", { "src/b.ts": B_WIDER });
  const further = commit("python too", { "tools/run.py": RUN_WIDER });
  await expectTruth(repo, { changed: ["src/b.ts", "tools/run.py"] });
  const judged = runs(repo).length;

  git("reset", "--hard", start);
  assert.deepEqual(pendingFiles(repo), [], "pending proves before it answers, as status does");
  await expectAtRead(repo);
  git("reset", "--hard", further);
  assert.deepEqual(pendingFiles(repo), ["src/b.ts", "tools/run.py"]);
  await expectAtRead(repo, { changed: ["src/b.ts", "tools/run.py"] });
  git("reset", "--hard", "HEAD~1");
  await expectAtRead(repo, { changed: ["src/b.ts"] });
  assert.equal(repo.head(), wider);
  git("reset", "--soft", start);
  await expectAtRead(repo, { status: "M  src/b.ts" });
  assert.equal(runs(repo).length, judged, "no hook ran");
});

test("update-ref and branch -f move HEAD's branch, or another", async (t) => {
  const both = twins(t);
  const { repo, git } = both;
  const start = repo.head();
  const unseen = both.unseen();
  unseen.git("checkout", "-q", "-b", "topic");
  const wider = unseen.commit("wider", { "src/b.ts": B_WIDER });
  unseen.git("checkout", "-q", "main");

  git("update-ref", "refs/heads/main", wider);
  await expectAtRead(repo, { changed: ["src/b.ts"], status: "M  src/b.ts" });
  git("update-ref", "refs/heads/main", start);
  await expectAtRead(repo);
  git("branch", "-f", "topic", start);
  await expectAtRead(repo);
  git("branch", "-f", "topic", wider);
  git("symbolic-ref", "HEAD", "refs/heads/topic");
  await expectAtRead(repo, { changed: ["src/b.ts"], status: "M  src/b.ts" });
  git("pack-refs", "--all");
  await expectAtRead(repo, { changed: ["src/b.ts"], status: "M  src/b.ts" });
});

test("stash and stash pop leave what is committed as it is", async (t) => {
  const { repo, git, commit, write } = twins(t);
  commit("wider", { "src/b.ts": B_WIDER });
  write({ "src/b.ts": B, "tools/run.py": RUN_WIDER });
  const dirty = " M src/b.ts\n M tools/run.py";
  await expectTruth(repo, { changed: ["src/b.ts"], status: dirty });
  git("stash");
  await expectTruth(repo, { changed: ["src/b.ts"] });
  git("stash", "pop");
  await expectTruth(repo, { changed: ["src/b.ts"], status: dirty });
  git("restore", ".");
  await expectTruth(repo, { changed: ["src/b.ts"] });
});

test("am: a patch series, and one that is given up", async (t) => {
  const both = twins(t);
  const { repo, git, fails } = both;
  const unseen = both.unseen();
  unseen.git("checkout", "-q", "-b", "topic");
  unseen.commit("wider", { "src/b.ts": B_WIDER });
  unseen.commit("python", { "tools/run.py": RUN_WIDER });
  unseen.git("format-patch", "-q", "-o", "../patches", "main");
  unseen.git("checkout", "-q", "main");
  const judged = runs(repo).length;

  git("am", "-q", "../patches/0001-wider.patch", "../patches/0002-python.patch");
  await expectAtRead(repo, { changed: ["src/b.ts", "tools/run.py"] });
  git("reset", "-q", "--hard", "HEAD~1");
  fails("am", "-q", "../patches/0002-python.patch", "../patches/0001-wider.patch");
  await expectAtRead(repo, { changed: ["src/b.ts", "tools/run.py"] });
  git("am", "--abort");
  await expectAtRead(repo, { changed: ["src/b.ts"] });
  assert.equal(runs(repo).length, judged, "no hook ran");
});
