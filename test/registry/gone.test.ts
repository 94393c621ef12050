import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { repoAt } from "../support/repo.js";
import { BODY, INTERFACE, list, show, tell, unwatchedRepo, verdictsIn, verify } from "./support.js";

test("a verified commit that was rebased away and collected: every path is compared by its blob", (t) => {
  const repo = unwatchedRepo(t);
  repo.commit("to be lost", { "src/c.ts": "export const c = 1;\n", "src/b.ts": BODY });
  tell(repo, { "src/b.ts": "Adds to itself." });
  const lost = verify(repo).last_verified_sha ?? "";
  repo.git("reset", "-q", "--hard", "HEAD~1");
  repo.commit("in its place", { "src/b.ts": INTERFACE });
  repo.git("reflog", "expire", "--expire=now", "--all");
  repo.git("gc", "-q", "--prune=now");
  assert.notEqual(repo.tryGit("cat-file", "-e", lost).code, 0, "it is gone");
  const answer = verify(repo);
  assert.equal(answer.action, "verified");
  assert.deepEqual(verdictsIn(answer), ["src/b.ts mismatch", "src/c.ts missing"]);
  assert.equal(answer.compared, 3, "all of HEAD");
  assert.deepEqual(answer.counts, { match: 2, mismatch: 1, missing: 1, new: 0 });
  assert.equal(answer.last_verified_sha, repo.head());
  assert.deepEqual(
    [show(repo, "src/b.ts").summary, show(repo, "src/b.ts").summary_state],
    ["Adds to itself.", "stale"],
  );
});

test("a shallow clone that was verified at a commit it no longer has", (t) => {
  const repo = unwatchedRepo(t);
  repo.commit("second", { "src/b.ts": BODY });
  const clone = repoAt(join(repo.base, "shallow"), repo.base, repo.env);
  repo.git("clone", "-q", "--depth=1", `file://${repo.dir}`, clone.dir);
  assert.equal(clone.ua("install").code, 0);
  verify(clone);
  repo.commit("third", { "src/b.ts": INTERFACE });
  clone.git("fetch", "-q", "--depth=1");
  clone.git("reset", "-q", "--hard", "origin/main");
  clone.git("reflog", "expire", "--expire=now", "--all");
  clone.git("gc", "-q", "--prune=now");
  assert.deepEqual(verdictsIn(verify(clone)), ["src/b.ts mismatch"]);
});

test("a partial, sparse clone: rows for what it has not, and nothing is fetched for them", (t) => {
  const repo = unwatchedRepo(t);
  repo.commit("data", { "docs/odd": "no ending\n", "docs/a.ts": "export const a = 1;\n" });
  repo.git("config", "uploadpack.allowFilter", "true");
  const clone = repoAt(join(repo.base, "partial"), repo.base, repo.env);
  repo.git("clone", "-q", "--filter=blob:none", "--sparse", `file://${repo.dir}`, clone.dir);
  clone.git("sparse-checkout", "set", "src");
  assert.equal(clone.ua("install").code, 0);
  const missing = () => clone.git("rev-list", "--objects", "--all", "--missing=print").match(/^\?/gm)?.length;
  const before = missing();
  assert.ok((before ?? 0) >= 2);
  verify(clone);
  const sizes = Object.fromEntries(list(clone).map(({ path, size_bytes: size }) => [path, size]));
  assert.equal(sizes["docs/a.ts"], null, "unknown is not zero");
  assert.equal(typeof sizes["src/a.ts"], "number");
  assert.deepEqual(verify(clone, "--rehash").counts, { match: 5, mismatch: 0, missing: 0, new: 0 });
  assert.equal(missing(), before);
});
