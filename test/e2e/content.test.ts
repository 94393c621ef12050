import assert from "node:assert/strict";
import { test } from "node:test";
import { installedRepo, SMALL_PROJECT } from "../support/repo.js";
import { runs } from "../support/truth.js";

const { "src/b.ts": B = "", "tools/run.py": RUN = "" } = SMALL_PROJECT;
const B_WIDER = B.replace("x: number)", "x: number, y = 1)");

test("content that was seen before is never parsed again", (t) => {
  const repo = installedRepo(t);
  const parses = () => runs(repo).at(-1)?.parses;
  repo.commit("wider", { "src/b.ts": B_WIDER });
  assert.equal(parses(), 1, "what is new is parsed, what install saw is not");
  repo.git("checkout", "-q", "-b", "topic", "HEAD~1");
  repo.commit("python", { "tools/run.py": RUN.replace("(argument)", "(argument, more)") });
  assert.equal(parses(), 1);

  const judged = runs(repo).length;
  for (const branch of ["main", "topic", "main", "topic"]) repo.git("checkout", "-q", branch);
  repo.git("rebase", "-q", "main");
  repo.git("revert", "--no-edit", "HEAD~1");
  repo.git("worktree", "add", "-q", "--detach", "../linked", "main");
  repo.git("mv", "src/b.ts", "src/moved.ts");
  repo.commit("the same elsewhere");
  const later = runs(repo).slice(judged);
  assert.ok(later.length >= 8, `every step was judged: ${later.length}`);
  assert.deepEqual(
    later.map((run) => run.parses),
    later.map(() => 0),
  );
});
