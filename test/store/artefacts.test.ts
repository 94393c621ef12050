import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { UaError } from "../../src/errors.js";
import { refuseDamaged } from "../../src/install/baseline.js";
import {
  artefactOf,
  artefactPath,
  CONFIG,
  FINGERPRINTS,
  GRAPH,
  liveCopy,
  META,
  readArtefact,
  readAutoUpdate,
  readMeta,
  setTrackedArtefacts,
  trackedArtefacts,
  writeArtefact,
} from "../../src/knowledge/artefacts.js";
import { fingerprintText, packedEntry, readFingerprintFile } from "../../src/knowledge/fingerprint-file.js";
import { readGraphFile } from "../../src/knowledge/graph-file.js";
import { checkConfig, loadConfig } from "../../src/repository/config.js";
import type { Project } from "../../src/repository/locate.js";
import { openState } from "../../src/store/state.js";
import { JSON_DAMAGE } from "../support/damage.js";
import { tempDir } from "../support/repo.js";

/** A project as the store sees one: folders, no git. */
function makeProject(t: TestContext, scope = "."): Project {
  const root = tempDir(t);
  const commonDir = join(root, ".git");
  const stateDir = join(commonDir, "ua-hooks");
  const dataDir = join(root, ".understand-anything");
  mkdirSync(dataDir);
  mkdirSync(stateDir, { recursive: true });
  const worktree = { id: scope, path: root, gitDir: commonDir, linked: scope !== "." };
  return { root, mainPath: root, worktree, scope, commonDir, stateDir, dataDir };
}

const entry = (hash: string) => ({ contentHash: hash, functions: [], classes: [], imports: [], exports: [] });
const put = (project: Project, name: string, value: unknown) =>
  writeFileSync(join(project.dataDir, name), typeof value === "string" ? value : JSON.stringify(value));

const isDamage = (file: string) => (error: unknown) => {
  assert.ok(error instanceof UaError, String(error));
  assert.equal(error.code, "damaged");
  assert.ok(error.message.startsWith(`${file} cannot be read: `), error.message);
  assert.match(error.next ?? "", /correct the file, or move it away/);
  return true;
};

const READERS: [
  name: typeof GRAPH | typeof META | typeof FINGERPRINTS | typeof CONFIG,
  read: (p: Project) => unknown,
][] = [
  [GRAPH, (project) => readGraphFile(project, artefactPath(project, GRAPH))],
  [META, readMeta],
  [FINGERPRINTS, (project) => readFingerprintFile(project)],
  [CONFIG, readAutoUpdate],
];

for (const [name, read] of READERS) {
  test(`every kind of damage of ${name} is reported, and nothing is overwritten`, (t) => {
    const project = makeProject(t);
    for (const [what, damage] of Object.entries(JSON_DAMAGE)) {
      const bad = damage('{\n  "gitCommitHash": "abc",\n  "nodes": []\n}\n');
      put(project, name, bad);
      assert.throws(() => read(project), isDamage(join(project.dataDir, name)), what);
      assert.throws(() => refuseDamaged(project), isDamage(join(project.dataDir, name)), what);
      assert.equal(readFileSync(join(project.dataDir, name), "utf8"), bad);
    }
  });
}

test("nested, flat and mixed fingerprints are read; beside `files` is the newer one", (t) => {
  const project = makeProject(t);
  const paths = () => [...(readFingerprintFile(project)?.files ?? [])].map(([path, e]) => [path, e.contentHash]);
  put(project, FINGERPRINTS, { version: "1.0.0", gitCommitHash: "c", files: { "a.ts": entry("1") } });
  assert.deepEqual(paths(), [["a.ts", "1"]]);
  assert.equal(readFingerprintFile(project)?.gitCommitHash, "c");
  put(project, FINGERPRINTS, { "a.ts": entry("1"), "src/b.ts": entry("2") });
  assert.deepEqual(paths(), [
    ["a.ts", "1"],
    ["src/b.ts", "2"],
  ]);
  put(project, FINGERPRINTS, {
    version: "1.0.0",
    files: { "a.ts": entry("1"), "b.ts": entry("2") },
    "a.ts": entry("3"),
  });
  assert.deepEqual(paths(), [
    ["a.ts", "3"],
    ["b.ts", "2"],
  ]);
});

test("entries that cannot be used are passed over, unless there is no other", (t) => {
  const project = makeProject(t);
  put(project, FINGERPRINTS, { files: { "a.ts": entry("1"), "b.ts": "no", "c.ts": { contentHash: 4 } } });
  assert.deepEqual([...(readFingerprintFile(project)?.files.keys() ?? [])], ["a.ts"]);
  for (const bad of [{ files: { "b.ts": "no" } }, { files: [1] }, { "a.ts": 1 }, { files: {}, "x.ts": null }]) {
    put(project, FINGERPRINTS, bad);
    assert.throws(() => readFingerprintFile(project), isDamage(join(project.dataDir, FINGERPRINTS)));
  }
  put(project, FINGERPRINTS, { version: "1.0.0", gitCommitHash: "", generatedAt: "", files: {} });
  assert.equal(readFingerprintFile(project)?.files.size, 0, "an empty store is no damage");
});

test("a path called like something of the language's own is a path", async (t) => {
  const project = makeProject(t);
  const names = ["__proto__", "constructor", "toString", "__proto__.ts", "files", "version", "10", "2"];
  const changes = new Map(names.map((name) => [name, packedEntry({ ...entry(name), filePath: name } as never)]));
  const db = await openState(project.stateDir);
  t.after(() => db.close());
  const text = Buffer.concat([...fingerprintText(db, ".", { commit: "c", at: "now", changes })]).toString("utf8");
  put(project, FINGERPRINTS, text);
  const read = readFingerprintFile(project)?.files;
  assert.deepEqual([...(read?.keys() ?? [])].sort(), [...names].sort());
  for (const name of names) assert.equal(read?.get(name)?.contentHash, name);
});

test("what a hook writes of a tracked artefact is the live copy; readers prefer it; a command writes the file", async (t) => {
  for (const scope of [".", "own"]) {
    const project = makeProject(t, scope);
    const db = await openState(project.stateDir);
    try {
      writeArtefact(db, project, META, { gitCommitHash: "one" }, { allowTracked: false });
      assert.equal(artefactPath(project, META), join(project.dataDir, META), "untracked: the file itself");
      setTrackedArtefacts(db, project, [META]);
      assert.deepEqual([...trackedArtefacts(db, project)], [META]);
      writeArtefact(db, project, META, { gitCommitHash: "two", theme: "x" }, { allowTracked: false });
      assert.equal(JSON.parse(readFileSync(join(project.dataDir, META), "utf8")).gitCommitHash, "one");
      assert.equal(artefactPath(project, META), liveCopy(project, META));
      assert.equal(readMeta(project)?.gitCommitHash, "two");
      writeArtefact(db, project, META, { gitCommitHash: "three" }, { allowTracked: true });
      assert.equal(readMeta(project)?.gitCommitHash, "three", "an older live copy does not hide it");
      assert.deepEqual(readArtefact(project, META), { gitCommitHash: "three" });
    } finally {
      db.close();
    }
  }
});

test("only artefacts are artefacts", () => {
  assert.equal(artefactOf(".understand-anything/meta.json"), META);
  assert.equal(artefactOf(".ua/knowledge-graph.json"), GRAPH);
  for (const other of ["meta.json", "src/.ua/meta.json", ".ua/x/meta.json", ".ua/pending-update.json"]) {
    assert.equal(artefactOf(other), null, other);
  }
});

test("wrong config keys and values are all named, with the file and what is allowed", async (t) => {
  const raw = { mode: "both", exclude: "x", thresholds: { full: -1, half: 2 }, exlude: [], parseBudgetMs: 9000 };
  assert.throws(
    () => checkConfig(raw, "/p/.ua-hooksrc"),
    (error: unknown) => {
      assert.ok(error instanceof UaError);
      assert.equal(error.exitCode, 5);
      for (const part of [
        '/p/.ua-hooksrc: "mode" must be "marker" or "inline"',
        '"exclude" must be a list of globs',
        '"thresholds.full" must be a whole number from 1 to 1000000000',
        'unknown key "thresholds.half"',
        'unknown key "exlude" (known: mode, ',
        '"parseBudgetMs" must be a whole number from 1 to 4000',
      ]) {
        assert.ok(error.message.includes(part), `${part} in ${error.message}`);
      }
      return true;
    },
  );
  const root = tempDir(t);
  for (const bad of ["exclude: [", "- a\n- b\n", "<<<<<<< HEAD\nmode: marker\n", "\u0000", "just words"]) {
    writeFileSync(join(root, ".ua-hooksrc"), bad);
    await assert.rejects(loadConfig(root), (error: unknown) => {
      assert.ok(error instanceof UaError && error.exitCode === 5, String(error));
      assert.ok(error.message.includes(join(root, ".ua-hooksrc")), error.message);
      return true;
    });
  }
  writeFileSync(join(root, ".ua-hooksrc"), "");
  assert.equal((await loadConfig(root)).mode, "marker", "an empty config file says nothing");
});
