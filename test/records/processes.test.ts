import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { note, verdictOf } from "../support/records.js";
import { installedRepo, type Repo, repoAt, SMALL_PROJECT } from "../support/repo.js";

/** The git commands that a commit's hook runs: `<time> git.c:460  trace: built-in: git diff --raw …`. */
function gitOfHook(repo: Repo, text: string): string[] {
  const file = join(repo.base, "trace");
  rmSync(file, { force: true });
  repo.write({ "src/b.ts": text });
  repo.git("add", "-A");
  repoAt(repo.dir, repo.base, { ...repo.env, GIT_TRACE: file }).git("commit", "-q", "-m", "edit");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const names = lines.flatMap((line) => /built-in: git (\S+)/.exec(line)?.[1] ?? []);
  return names.filter((name) => !["commit", "maintenance", "gc"].includes(name));
}

test("a hook with records asks git for the commit's diff, and once for what changed since the baseline", async (t) => {
  const repo = installedRepo(t);
  const ids = [await note(repo, "src/b.ts"), await note(repo, "src/b.ts#twice")];
  const text = SMALL_PROJECT["src/b.ts"] ?? "";
  gitOfHook(repo, text.replace("x: number", "x: bigint")); // the first one checks all records
  assert.deepEqual(gitOfHook(repo, text.replace("x: number", "x: unknown")), ["diff", "diff"]);
  assert.deepEqual(repo.marker()?.records.stale, [...ids].sort());
  for (const id of ids) assert.equal(await verdictOf(repo, id), "stale: subject_fingerprint_drift interface");
});
