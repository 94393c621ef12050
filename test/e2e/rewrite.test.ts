import assert from "node:assert/strict";
import { test } from "node:test";
import { SMALL_PROJECT } from "../support/repo.js";
import { expectAtRead, expectTruth } from "../support/truth.js";
import { type Twins, twins } from "../support/twins.js";

const { "src/b.ts": B = "", "tools/run.py": RUN = "" } = SMALL_PROJECT;
const B_WIDER = B.replace("x: number)", "x: number, y = 1)");
const B_OTHER = B.replace("x: number)", "x: bigint)");
const RUN_WIDER = RUN.replace("(argument)", "(argument, more)");
const C = "export const c = 1;\n";

test("an amended commit is verified in place of the one it replaces", async (t) => {
  const { repo, git, commit, write } = twins(t);
  commit("wider", { "src/b.ts": B_WIDER });
  write({ "src/b.ts": B, "tools/run.py": RUN_WIDER });
  git("commit", "-q", "-a", "--amend", "-m", "not there, here");
  await expectTruth(repo, { changed: ["tools/run.py"] });

  const before = repo.head();
  git("commit", "-q", "--amend", "-m", "another message");
  assert.notEqual(repo.head(), before);
  await expectTruth(repo, { changed: ["tools/run.py"] });

  write({ "tools/run.py": RUN });
  git("commit", "-q", "-a", "--amend", "--allow-empty", "-m", "nothing after all");
  await expectTruth(repo);
});

/** main goes on with a new file while topic, checked out at the end, has three commits of its own. */
function diverge(both: Twins): void {
  const { git, commit } = both.unseen();
  git("checkout", "-q", "-b", "topic");
  commit("one: wider", { "src/b.ts": B_WIDER });
  commit("two: python", { "tools/run.py": RUN_WIDER });
  commit("three: back", { "src/b.ts": B });
  git("checkout", "-q", "main");
  commit("meanwhile", { "src/c.ts": C });
  git("checkout", "-q", "topic");
}

test("a rebase is verified once, at its end: merge backend and --apply", async (t) => {
  const both = twins(t);
  const { repo, git } = both;
  diverge(both);
  git("branch", "again");

  git("rebase", "-q", "main");
  const marker = await expectTruth(repo, { changed: ["src/c.ts", "tools/run.py"] });
  assert.equal(marker?.head.branch, "topic");
  assert.ok(!marker?.filesToReanalyze.includes("src/b.ts"), "steps on the way leave nothing behind");

  git("checkout", "-q", "again");
  await expectTruth(repo, { changed: ["tools/run.py"] });
  git("rebase", "-q", "--apply", "main");
  await expectTruth(repo, { changed: ["src/c.ts", "tools/run.py"] });
});

test("rebase -i with fixups", async (t) => {
  const both = twins(t);
  const { repo, commit } = both;
  diverge(both);
  const editor = "sed -i -e '2,$s/^pick/fixup/'";
  both.with({ GIT_SEQUENCE_EDITOR: editor }).git("rebase", "-q", "-i", "main");
  assert.equal(repo.git("rev-list", "--count", "main..HEAD"), "1");
  await expectTruth(repo, { changed: ["src/c.ts", "tools/run.py"] });

  commit("fixup! one: wider", { "src/b.ts": B_OTHER });
  both.with({ GIT_SEQUENCE_EDITOR: "true" }).git("rebase", "-q", "-i", "--autosquash", "main");
  assert.equal(repo.git("rev-list", "--count", "main..HEAD"), "1");
  await expectTruth(repo, { changed: ["src/b.ts", "src/c.ts", "tools/run.py"] });
});

test("a rebase that only fast-forwards, or drops all its commits, is verified though no event ends it", async (t) => {
  const both = twins(t);
  const { repo, git } = both;
  const before = both.unseen();
  before.git("branch", "idle");
  before.git("checkout", "-q", "-b", "same");
  before.commit("wider, here too", { "src/b.ts": B_WIDER });
  before.git("checkout", "-q", "main");
  before.commit("wider", { "src/b.ts": B_WIDER });
  before.commit("and more", { "tools/run.py": RUN_WIDER });
  before.git("checkout", "-q", "idle");

  git("rebase", "-q", "main");
  await expectTruth(repo, { changed: ["src/b.ts", "tools/run.py"] });
  git("checkout", "-q", "same");
  await expectTruth(repo, { changed: ["src/b.ts"] });
  git("rebase", "-q", "main");
  assert.equal(repo.head(), repo.git("rev-parse", "main"), "its commit was there already");
  await expectTruth(repo, { changed: ["src/b.ts", "tools/run.py"] });

  git("reset", "-q", "--hard", "same@{1}");
  git("rebase", "-q", "--apply", "main");
  await expectTruth(repo, { changed: ["src/b.ts", "tools/run.py"] });
});

test("a rebase that stops: nothing is written for the steps, --abort and --continue both end well", async (t) => {
  const both = twins(t);
  const { repo, git, fails, write } = both;
  const unseen = both.unseen();
  unseen.git("checkout", "-q", "-b", "topic");
  unseen.commit("python", { "tools/run.py": RUN_WIDER });
  const topic = unseen.commit("wider", { "src/b.ts": B_WIDER });
  unseen.git("checkout", "-q", "main");
  unseen.commit("other", { "src/b.ts": B_OTHER });
  git("checkout", "-q", "topic");
  const before = repo.marker();
  assert.deepEqual(before?.filesToReanalyze, ["src/b.ts", "tools/run.py"]);

  fails("rebase", "main");
  assert.deepEqual(repo.marker(), before, "no marker for a step on the way");
  git("rebase", "--abort");
  assert.equal(repo.head(), topic);
  await expectTruth(repo, { changed: ["src/b.ts", "tools/run.py"] });

  fails("rebase", "main");
  await expectAtRead(repo, { changed: ["src/b.ts", "tools/run.py"], status: "UU src/b.ts" });
  write({ "src/b.ts": B });
  git("add", "-A");
  git("rebase", "--continue");
  await expectTruth(repo, { changed: ["tools/run.py"] });

  git("checkout", "-q", "-B", "topic", topic);
  fails("rebase", "--apply", "main");
  await expectAtRead(repo, { changed: ["src/b.ts", "tools/run.py"], status: "UU src/b.ts" });
  git("rebase", "--abort");
  await expectAtRead(repo, { changed: ["src/b.ts", "tools/run.py"] });
});

test("several commits picked at once, and one that stops", async (t) => {
  const both = twins(t);
  const { repo, git, fails, commit, write } = both;
  const before = both.unseen();
  before.git("checkout", "-q", "-b", "topic");
  before.commit("one", { "src/c.ts": C });
  before.commit("two", { "tools/run.py": RUN_WIDER });
  before.commit("three", { "src/b.ts": B_WIDER });
  before.git("checkout", "-q", "main");
  git("cherry-pick", "topic~2", "topic~1");
  await expectTruth(repo, { changed: ["src/c.ts", "tools/run.py"] });

  commit("other", { "src/b.ts": B_OTHER });
  fails("cherry-pick", "topic");
  await expectTruth(repo, { changed: ["src/b.ts", "src/c.ts", "tools/run.py"], status: "UU src/b.ts" });
  write({ "src/b.ts": B });
  git("add", "-A");
  git("cherry-pick", "--continue");
  await expectTruth(repo, { changed: ["src/c.ts", "tools/run.py"] });
});
