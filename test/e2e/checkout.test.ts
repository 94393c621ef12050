import assert from "node:assert/strict";
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SMALL_PROJECT } from "../support/repo.js";
import { expectAtRead, expectTruth, runs } from "../support/truth.js";
import { twins } from "../support/twins.js";

const { "src/b.ts": B = "", "tools/run.py": RUN = "" } = SMALL_PROJECT;
const B_WIDER = B.replace("x: number)", "x: number, y = 1)");
const RUN_WIDER = RUN.replace("(argument)", "(argument, more)");

test("each branch has its own truth, and it comes back with the branch", async (t) => {
  const both = twins(t);
  const { repo, git, write } = both;
  const before = both.unseen();
  before.git("checkout", "-q", "-b", "topic");
  before.commit("wider", { "src/b.ts": B_WIDER });
  before.git("checkout", "-q", "main");

  git("checkout", "topic");
  const there = await expectTruth(repo, { changed: ["src/b.ts"] });
  assert.equal(there?.head.branch, "topic");
  git("checkout", "main");
  await expectTruth(repo);
  git("switch", "--detach", "topic");
  const detached = await expectTruth(repo, { changed: ["src/b.ts"] });
  assert.equal(detached?.head.branch, undefined);

  const judged = runs(repo).length;
  git("checkout", "-b", "another");
  assert.equal(runs(repo).length, judged, "a new branch at the same commit is no news");
  const renamed = await expectAtRead(repo, { changed: ["src/b.ts"] });
  assert.equal(renamed?.head.branch, "another");

  write({ "src/b.ts": "// not committed\n" });
  git("checkout", "--", "src/b.ts");
  assert.equal(runs(repo).length, judged, "nor is a checkout of files");
  await expectTruth(repo, { changed: ["src/b.ts"] });

  git("checkout", "main", "--", "src/b.ts");
  await expectTruth(repo, { changed: ["src/b.ts"], status: "M  src/b.ts" });
  git("commit", "-q", "-m", "as on main");
  await expectTruth(repo);
});

test("a new worktree has a marker of its own beside the main one's, and goes without a trace", async (t) => {
  const both = twins(t);
  const { repo, git, commit } = both;
  const before = both.unseen();
  before.git("checkout", "-q", "-b", "topic");
  before.commit("wider", { "src/b.ts": B_WIDER });
  before.git("checkout", "-q", "main");

  git("worktree", "add", "../linked", "topic");
  const linked = both.at("linked");
  const marker = await expectTruth(linked.repo, { changed: ["src/b.ts"] });
  assert.deepEqual(marker?.worktree, { id: "linked", path: linked.repo.dir, linked: true });
  assert.ok(!existsSync(join(linked.repo.dir, ".understand-anything")), "nothing is written in the worktree");
  assert.equal(repo.marker(), null, "and nothing of it is the main worktree's");

  linked.commit("python", { "tools/run.py": RUN_WIDER });
  await expectTruth(linked.repo, { changed: ["src/b.ts", "tools/run.py"] });
  commit("a file on main", { "src/c.ts": "export const c = 1;\n" });
  await expectTruth(repo, { changed: ["src/c.ts"] });
  linked.git("rebase", "-q", "main");
  await expectTruth(linked.repo, { changed: ["src/b.ts", "src/c.ts", "tools/run.py"] });
  git("merge", "-q", "--ff-only", "topic");
  await expectTruth(repo, { changed: ["src/b.ts", "src/c.ts", "tools/run.py"] });

  git("worktree", "remove", "../linked");
  git("worktree", "add", "-q", "--detach", "../linked", "main~3");
  await expectTruth(linked.repo);
  assert.equal(repo.marker("pending-update.linked.json"), null, "the name's next owner starts anew");
});

test("a clone that brings the hook files along, but no state, is a clone like any other", (t) => {
  const both = twins(t);
  for (const { dir, base } of [both.repo, both.plain]) {
    cpSync(join(dir, ".git", "hooks"), join(base, "template", "hooks"), { recursive: true });
  }
  both.git("clone", "--template=../template", ".", "../copy");
  const copy = both.at("copy");
  assert.ok(copy.repo.has(".git/hooks/post-checkout"));
  copy.commit("wider", { "src/b.ts": B_WIDER });
  copy.git("checkout", "-b", "topic");
  copy.git("commit", "--amend", "-m", "another message");
  assert.ok(!copy.repo.has(".git/ua-hooks"), "no state is made unasked");
  assert.ok(!copy.repo.has(".understand-anything"));
});
