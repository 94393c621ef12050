import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { assertDamage, assertRight, commitChange, conflicted, truncated } from "../support/damage.js";
import { installedRepo } from "../support/repo.js";

const FOLDER = ".understand-anything";
const WAY_OUT = /cannot be read: .+\n {2}correct the file, or move it away and run `ua-hooks install`/;

// Every kind of damage of every file is in test/store/artefacts.test.ts; here the two that happen most.
test("a damaged artefact: a clear sentence, the file kept, git unaffected", (t) => {
  const repo = installedRepo(t);
  repo.write({ [`${FOLDER}/config.json`]: '{ "outputLanguage": "de" }\n' });
  for (const name of ["knowledge-graph.json", "fingerprints.json", "meta.json", "config.json"]) {
    const path = `${FOLDER}/${name}`;
    assertDamage(repo, path, truncated(repo.read(path)), WAY_OUT);
    assertDamage(repo, path, conflicted(repo.read(path)), /cannot be read: .*conflict/, ["status"]);
  }
});

test("fingerprints of the wrong shape are never overwritten, and install does not either", (t) => {
  const repo = installedRepo(t);
  const path = `${FOLDER}/fingerprints.json`;
  const flat = JSON.stringify({ "src/a.ts": 1, "src/b.ts": [] });
  assertDamage(repo, path, flat, /it is not empty, but none of its entries can be used/);
  const bad = '{"files": {"src/a.ts": null}}';
  const good = repo.read(path);
  writeFileSync(join(repo.dir, path), bad);
  assert.equal(repo.ua("install").code, 5);
  assert.equal(repo.read(path), bad);
  const { code, stderr } = repo.ua("install", "--rebuild");
  assert.equal(code, 5, stderr);
  assert.equal(repo.read(path), bad, "not even a rebuild writes over it");
  writeFileSync(join(repo.dir, path), good);
  assert.equal(repo.ua("install", "--rebuild").code, 0);
});

test("a graph or meta of the wrong shape is named", (t) => {
  const repo = installedRepo(t);
  assertDamage(repo, `${FOLDER}/knowledge-graph.json`, '{"nodes": {}, "edges": []}', WAY_OUT);
  assertDamage(repo, `${FOLDER}/meta.json`, '{"version": "1.0.0"}', /gitCommitHash is missing/);
});

test("a damaged marker is written again", (t) => {
  const repo = installedRepo(t);
  commitChange(repo);
  for (const bad of ["", "{"]) {
    writeFileSync(join(repo.dir, FOLDER, "pending-update.json"), bad);
    assertRight(repo);
    assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"]);
  }
});

test("a broken config names file, key and what is allowed, and the hooks go on with the last good one", (t) => {
  const repo = installedRepo(t);
  repo.write({ ".ua-hooksrc": "exclude: ['tools/**']\n" });
  repo.commit("config");
  assert.equal(repo.uaJson("status").status, "fresh");
  const broken: [text: string, sentence: RegExp][] = [
    ["exclude: [", /the config cannot be read/],
    ["exlude: []\n", /unknown key "exlude" \(known: mode, /],
  ];
  for (const [text, sentence] of broken) {
    writeFileSync(join(repo.dir, ".ua-hooksrc"), text);
    const run = `def run(argument, other${text.length}):\n    return argument\n`;
    const before = readFileSync(join(repo.dir, ".ua-hooksrc"));
    repo.commit("with a broken config", { "tools/run.py": run });
    assert.ok(!repo.marker()?.filesToReanalyze.includes("tools/run.py"), `the last good config still holds: ${text}`);
    for (const command of ["status", "pending"]) {
      const { code, stderr } = repo.ua(command);
      assert.equal(code, 5, stderr);
      assert.ok(stderr.includes(join(repo.dir, ".ua-hooksrc")), stderr);
      assert.match(stderr, sentence);
    }
    assert.deepEqual(readFileSync(join(repo.dir, ".ua-hooksrc")), before);
  }
  writeFileSync(join(repo.dir, ".ua-hooksrc"), "exclude: []\n");
  repo.commit("mended");
  assert.ok(repo.marker()?.filesToReanalyze.includes("tools/run.py"));
});
