import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { answer, claim, describeAll, descriptionsFor } from "../support/packets.js";
import { installedRepo } from "../support/repo.js";

const file = (...params: readonly string[]) =>
  params.map((list, at) => `export function f${at}(${list}): number {\n  return ${at};\n}\n`).join("");

test("what a linked worktree described of one content is no matter where it has another one that the graph describes", (t) => {
  const repo = installedRepo(t);
  repo.commit("one", { "src/one.ts": file("x: number", "x: number", "x: number") });
  describeAll(repo, "first");
  repo.git("worktree", "add", "-q", "-b", "topic", "../tree");
  const tree = repo.at(join(repo.base, "tree"));
  tree.commit("two", { "src/one.ts": file("x: number, y: number", "x: number, y: number", "x: number") });
  const part = "function:src/one.ts:f0";
  answer(tree, { descriptions: descriptionsFor([part], "part") }, "--lease", claim(tree).lease?.id ?? "");
  tree.commit("three", { "src/one.ts": file("x: number, y: number", "x: number", "y: string") });
  assert.equal(tree.ua("ack").code, 0);
  assert.equal(tree.uaJson("status").status, "fresh");

  repo.commit("four", { "src/one.ts": file("a: string", "b: string", "c: string") });
  describeAll(repo, "main");
  tree.git("checkout", "-q", "--detach", "main");
  assert.equal(tree.uaJson("status").status, "fresh", "the graph describes it");
  tree.commit("a comment elsewhere", { "src/b.ts": `// more\n${tree.read("src/b.ts")}` });
  assert.equal(tree.uaJson("status").status, "fresh", "also when that file is no candidate any more");
  assert.deepEqual(tree.uaJson<{ drift: string }>("why", "src/one.ts").drift, "none");
  tree.git("checkout", "-q", "topic");
  assert.equal(tree.uaJson("status").status, "fresh", "and back, what was acknowledged there holds");
});
