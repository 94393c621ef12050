import assert from "node:assert/strict";
import { test } from "node:test";
import { SMALL_PROJECT } from "../support/repo.js";
import { expectTruth } from "../support/truth.js";
import { twins } from "../support/twins.js";

const { "src/b.ts": B = "", "tools/run.py": RUN = "" } = SMALL_PROJECT;
const B_WIDER = B.replace("x: number)", "x: number, y = 1)");
const B_OTHER = B.replace("x: number)", "x: bigint)");
const RUN_WIDER = RUN.replace("(argument)", "(argument, more)");

test("a merge brings in what the branch changed: true, fast-forward, squash", async (t) => {
  const both = twins(t);
  const { repo, git } = both;
  const start = repo.head();
  const before = both.unseen();
  before.git("checkout", "-q", "-b", "topic");
  before.commit("wider", { "src/b.ts": B_WIDER });
  before.git("checkout", "-q", "main");
  before.commit("notes", { "notes.md": "nothing to analyse\n" });

  git("merge", "-q", "--no-edit", "topic");
  assert.equal(repo.git("rev-list", "--parents", "-1", "HEAD").split(" ").length, 3, "a true merge");
  const merged = await expectTruth(repo, { changed: ["src/b.ts"] });
  assert.deepEqual(merged?.events, ["post-merge"]);

  git("checkout", "-q", "-b", "behind", start);
  await expectTruth(repo);
  git("merge", "--ff-only", "topic");
  await expectTruth(repo, { changed: ["src/b.ts"] });

  git("checkout", "-q", "-b", "squashed", start);
  git("merge", "--squash", "topic");
  await expectTruth(repo, { status: "M  src/b.ts" });
  git("commit", "-q", "-m", "squashed");
  await expectTruth(repo, { changed: ["src/b.ts"] });
});

test("a conflicted merge is verified after its commit, and an aborted one changes nothing", async (t) => {
  const both = twins(t);
  const { repo, git, fails, commit, write } = both;
  const before = both.unseen();
  before.git("checkout", "-q", "-b", "topic");
  before.commit("wider there", { "src/b.ts": B_WIDER, "tools/run.py": RUN_WIDER });
  before.git("checkout", "-q", "main");
  commit("other here", { "src/b.ts": B_OTHER });
  await expectTruth(repo, { changed: ["src/b.ts"] });

  fails("merge", "topic");
  await expectTruth(repo, { changed: ["src/b.ts"], status: "UU src/b.ts\nM  tools/run.py" });
  git("merge", "--abort");
  await expectTruth(repo, { changed: ["src/b.ts"] });

  fails("merge", "topic");
  write({ "src/b.ts": B });
  git("commit", "-q", "-a", "-m", "merged: src/b.ts as it was analysed");
  await expectTruth(repo, { changed: ["tools/run.py"] });
});

test("pull merges, and pull --rebase with or without a commit of one's own", async (t) => {
  const both = twins(t);
  const { repo, git, commit } = both;
  git("clone", "-q", "--bare", ".", "../upstream.git");
  git("remote", "add", "origin", "../upstream.git");
  git("fetch", "-q");
  git("branch", "-u", "origin/main");
  git("clone", "-q", "../upstream.git", "../colleague");
  const colleague = both.at("colleague");

  colleague.commit("wider", { "src/b.ts": B_WIDER });
  colleague.git("push", "-q");
  git("pull", "-q", "--no-rebase");
  const pulled = await expectTruth(repo, { changed: ["src/b.ts"] });
  assert.deepEqual(pulled?.events, ["post-merge"]);

  colleague.commit("back", { "src/b.ts": B });
  colleague.git("push", "-q");
  commit("mine", { "tools/run.py": RUN_WIDER });
  git("pull", "-q", "--no-rebase", "--no-edit");
  await expectTruth(repo, { changed: ["tools/run.py"] });

  git("push", "-q");
  colleague.git("pull", "-q", "--ff-only");
  colleague.commit("a new file", { "src/c.ts": "export const c = 1;\n" });
  colleague.git("push", "-q");
  git("pull", "-q", "--rebase");
  await expectTruth(repo, { changed: ["src/c.ts", "tools/run.py"] });

  colleague.commit("and another", { "src/d.ts": "export const d = 1;\n" });
  colleague.git("push", "-q");
  commit("mine again", { "tools/run.py": RUN });
  await expectTruth(repo, { changed: ["src/c.ts"] });
  git("pull", "-q", "--rebase");
  await expectTruth(repo, { changed: ["src/c.ts", "src/d.ts"] });
  assert.equal(repo.git("log", "-1", "--format=%s"), "mine again", "a commit of one's own went on top");
});
