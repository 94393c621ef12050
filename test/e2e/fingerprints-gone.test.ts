import assert from "node:assert/strict";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { analysisOf, applyTo, summaries } from "../support/agent.js";
import { installedRepo, makeRepo } from "../support/repo.js";

const DATA = ".understand-anything";
const WIDER = "export function twice(x: number, by = 2): number {\n  return x * by;\n}\n";

test("fingerprints that are deleted come back with the next read, also after they were torn", (t) => {
  const repo = makeRepo(t);
  repo.commit("one", { "src/b.ts": WIDER });
  assert.equal(repo.ua("install", "--yes").code, 0);
  const file = join(repo.dir, DATA, "fingerprints.json");
  const before = readFileSync(file, "utf8");
  const entriesOf = (text: string) => (JSON.parse(text) as { files: unknown }).files;
  rmSync(file);
  assert.equal(repo.uaJson("status").status, "fresh");
  assert.deepEqual(entriesOf(readFileSync(file, "utf8")), entriesOf(before));
  writeFileSync(file, before.slice(0, before.length / 2));
  assert.equal(repo.ua("run").code, 5, "it is left as it is");
  rmSync(file);
  assert.equal(repo.ua("install", "--yes").code, 0);
  assert.deepEqual(entriesOf(readFileSync(file, "utf8")), entriesOf(before));
});

test("the artefacts of a clone whose fingerprints were lost say nothing about another clone's contents", (t) => {
  const repo = installedRepo(t);
  repo.git("clone", "-q", repo.dir, "../second");
  const second = repo.at(join(repo.base, "second"));
  assert.equal(second.ua("install", "--yes").code, 0);
  applyTo(second, analysisOf(second, ["src/b.ts"], "second"));
  rmSync(join(second.dir, DATA, "fingerprints.json"));
  assert.equal(second.ua("install", "--yes").code, 0);
  repo.commit("wider", { "src/b.ts": WIDER });
  applyTo(repo, analysisOf(repo, ["src/b.ts"], "first"));
  for (const name of ["knowledge-graph.json", "fingerprints.json", "meta.json"])
    copyFileSync(join(second.dir, DATA, name), join(repo.dir, DATA, name));
  assert.equal(repo.uaJson("status").status, "fresh");
  assert.equal(summaries(repo).get("function:src/b.ts:twice"), "first: twice");
});
