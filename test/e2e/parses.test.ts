import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { installedRepo, type Repo, SMALL_PROJECT } from "../support/repo.js";

interface Log {
  runs: { view: string; action?: string; parses?: number }[];
}

/** Parses of every run since the last time it was asked. */
function counter(repo: Repo): () => number {
  let seen = 0;
  return () => {
    const { runs } = repo.uaJson<Log>("log", "--last", "1000");
    const fresh = runs.slice(seen);
    seen = runs.length;
    return fresh.reduce((sum, { parses = 0 }) => sum + parses, 0);
  };
}

const B = SMALL_PROJECT["src/b.ts"] ?? "";

test("known content is parsed once: branches, reverts, rebases and worktrees come back at no cost", (t) => {
  const repo = installedRepo(t);
  const parses = counter(repo);
  parses();
  repo.git("switch", "-q", "-c", "side");
  repo.commit("one", { "src/b.ts": B.replace("x: number", "x: number, y = 0") });
  assert.equal(parses(), 1, "the analysed version was read at install");
  repo.commit("two", { "src/b.ts": B.replace("x * 2", "x + x") });
  assert.equal(parses(), 1);

  repo.git("switch", "-q", "main");
  repo.git("switch", "-q", "side");
  repo.git("switch", "-q", "main");
  assert.equal(parses(), 0, "A → B → A");
  assert.equal(repo.marker(), null);

  repo.commit("elsewhere", { "tools/more.txt": "no source\n" });
  repo.git("switch", "-q", "side");
  repo.git("rebase", "-q", "main");
  repo.git("revert", "--no-edit", "HEAD");
  assert.equal(repo.marker()?.filesToReanalyze.length, 1);
  repo.git("reset", "-q", "--hard", "HEAD~1");
  repo.ua("status");
  assert.equal(parses(), 0, "rebase, revert, reset");

  repo.git("worktree", "add", "-q", "--detach", "../linked", "side~1");
  const linked = repo.at(join(repo.base, "linked"));
  linked.ua("status");
  assert.notEqual(repo.marker("pending-update.linked.json"), null);
  assert.equal(parses(), 0, "a second worktree");
});

test("a renamed file is the same content", (t) => {
  const repo = installedRepo(t);
  const parses = counter(repo);
  parses();
  repo.git("mv", "src/b.ts", "src/c.ts");
  repo.commit("moved");
  assert.equal(parses(), 0);
});
