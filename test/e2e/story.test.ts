import assert from "node:assert/strict";
import { test } from "node:test";
import { installedRepo } from "../support/repo.js";

test("a comment leaves nothing pending, a parameter does, and a revert clears it", (t) => {
  const repo = installedRepo(t);
  assert.equal(repo.git("status", "--porcelain"), "", "install leaves the work tree clean");

  const comment = repo.commit("comment", { "src/b.ts": `// doubles\n${repo.read("src/b.ts")}` });
  assert.equal(repo.marker(), null);
  assert.equal(repo.uaJson("status").lastVerifiedSha, comment);

  const base = repo.head();
  const changed = repo.commit("parameter", {
    "src/b.ts": repo.read("src/b.ts").replace("x: number)", "x: number, y = 1)"),
  });
  const marker = repo.marker();
  assert.equal(marker?.action, "PARTIAL_UPDATE");
  assert.equal(marker?.reason, "1 file has structural changes: 1 modified");
  assert.deepEqual(marker?.filesToReanalyze, ["src/b.ts"]);
  assert.deepEqual(marker?.fileChanges[0]?.details, ["params changed: twice"]);
  assert.deepEqual(marker?.dependents, ["src/a.ts"], "who imports the changed function");
  assert.equal(marker?.base.commit, base);
  assert.equal(marker?.head.commit, changed);

  repo.git("revert", "--no-edit", "HEAD");
  assert.equal(repo.marker(), null);
  assert.equal(repo.uaJson("status").status, "fresh");
  assert.equal(repo.git("status", "--porcelain"), "");
});

test("growth by 20 % a commit is noticed, though no single commit is", (t) => {
  const repo = installedRepo(t);
  const body = (lines: number) => Array.from({ length: lines }, (_, at) => `  total += ${at};`).join("\n");
  const file = (lines: number) =>
    `export function sum(): number {\n  let total = 0;\n${body(lines)}\n  return total;\n}\n`;
  repo.commit("ten lines", { "src/sum.ts": file(10) });
  repo.ua("install", "--rebuild");
  const seen: (string | undefined)[] = [];
  let lines = 10;
  for (let at = 0; at < 10; at++) {
    lines = Math.ceil(lines * 1.2);
    repo.commit(`${lines} lines`, { "src/sum.ts": file(lines) });
    seen.push(repo.marker()?.fileChanges[0]?.details[0]);
  }
  assert.equal(seen[0], undefined, "the first step alone is no structural change");
  assert.match(seen.at(-1) ?? "", /^significant size change: sum \(14 → \d+ lines\)$/);
});
