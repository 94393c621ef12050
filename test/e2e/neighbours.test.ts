import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { contentHash } from "../../src/fingerprint/content.js";
import { analysisOf, applyTo } from "../support/agent.js";
import { installedRepo, makeRepo, type Repo } from "../support/repo.js";
import { installInto, startProject, wholeRound } from "../support/round.js";

const FOLDER = ".understand-anything";
const readJson = (repo: Repo, name: string, folder = FOLDER) => JSON.parse(repo.read(`${folder}/${name}`));
const writeJson = (repo: Repo, name: string, value: unknown) =>
  repo.write({ [`${FOLDER}/${name}`]: JSON.stringify(value) });
const withParameter = (repo: Repo) => ({
  "src/b.ts": repo.read("src/b.ts").replace("x: number)", "x: number, y = 1)"),
});
const withComment = (repo: Repo) => ({ "src/b.ts": `// doubles\n${repo.read("src/b.ts")}` });

test("a .ua folder serves in place of .understand-anything", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  mkdirSync(join(repo.dir, ".ua"));
  wholeRound(repo, { dataDir: join(repo.dir, ".ua") });
  assert.equal(repo.has(FOLDER), false);
  assert.equal(repo.has(".ua/config.json"), false);
  mkdirSync(join(repo.dir, FOLDER));
  assert.equal(repo.uaJson("status").dataDir, join(repo.dir, FOLDER), "where both exist, the long name wins");
});

/** An entry as Understand-Anything writes it: nothing of ours in it. */
function foreignEntries(repo: Repo): Record<string, Record<string, unknown>> {
  const { files } = readJson(repo, "fingerprints.json") as { files: Record<string, Record<string, unknown>> };
  return Object.fromEntries(
    Object.entries(files).map(([path, { extractor: _e, blobOid: _b, ...entry }]) => [path, entry]),
  );
}

test("another tool's fingerprints are taken as they are: nested, flat and mixed", (t) => {
  const repo = installedRepo(t);
  const entries = foreignEntries(repo);
  const { "src/b.ts": b, ...rest } = entries;
  const head = { version: "1.0.0", gitCommitHash: repo.head(), generatedAt: "then" };
  const stale = { ...b, contentHash: "0".repeat(64) };
  const mixed = { ...head, files: { ...rest, "src/b.ts": stale }, "src/b.ts": b };
  for (const value of [{ ...head, files: entries }, entries, mixed]) {
    writeJson(repo, "fingerprints.json", value);
    assert.equal(repo.uaJson("status").status, "fresh");
  }
  const before = repo.read(`${FOLDER}/fingerprints.json`);
  wholeRound(repo, { install: false });
  assert.equal(repo.read(`${FOLDER}/fingerprints.json`), before, "a verdict does not write them");
});

test("another tool's entry stays as it is while it is about what was answered last", (t) => {
  const repo = installedRepo(t);
  const entries = foreignEntries(repo);
  const files = { ...entries, "src/b.ts": { ...entries["src/b.ts"], note: "theirs" } };
  writeJson(repo, "fingerprints.json", { version: "1.0.0", gitCommitHash: repo.head(), generatedAt: "then", files });
  const entry = () => readJson(repo, "fingerprints.json").files["src/b.ts"];
  repo.ua("claim", "--undescribed");
  assert.deepEqual(applyTo(repo, analysisOf(repo, ["src/b.ts"], "agent")).applied, ["src/b.ts"]);
  assert.deepEqual(entry(), files["src/b.ts"], "the same content");
  repo.commit("wider", withParameter(repo));
  applyTo(repo, analysisOf(repo, ["src/b.ts"], "agent"));
  assert.deepEqual(entry().functions[0].params, ["x", "y"]);
  assert.equal(entry().note, undefined, "another content");
});

test("keys and nodes that we do not know survive install, commits and a rebuild", (t) => {
  const repo = installedRepo(t);
  writeJson(repo, "config.json", { outputLanguage: "de", autoUpdate: true, other: { tool: [1, 2] } });
  writeJson(repo, "meta.json", { ...readJson(repo, "meta.json"), theme: "dark", other: null });
  const graph = readJson(repo, "knowledge-graph.json");
  const concept = { id: "concept:x", type: "concept", name: "x", summary: "s", tags: [], complexity: "simple", own: 1 };
  writeJson(repo, "knowledge-graph.json", {
    ...graph,
    kind: "codebase",
    own: { x: 1 },
    nodes: [...graph.nodes, concept],
  });
  const text = repo.read(`${FOLDER}/knowledge-graph.json`);
  installInto(repo);
  const head = repo.commit("comment", withComment(repo));
  assert.equal(repo.uaJson("status").status, "fresh");
  assert.equal(repo.read(`${FOLDER}/knowledge-graph.json`), text);
  assert.deepEqual(readJson(repo, "config.json"), { outputLanguage: "de", autoUpdate: true, other: { tool: [1, 2] } });
  const meta = readJson(repo, "meta.json");
  assert.deepEqual([meta.theme, meta.other, meta.gitCommitHash], ["dark", null, head]);

  installInto(repo, "--rebuild");
  assert.deepEqual([readJson(repo, "meta.json").theme, readJson(repo, "meta.json").other], ["dark", null]);
  assert.deepEqual(
    [readJson(repo, "knowledge-graph.json").kind, readJson(repo, "knowledge-graph.json").own],
    ["codebase", { x: 1 }],
  );
});

test("autoUpdate: false is respected, also by install --yes; without the key, or with true, the hooks are on", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  repo.write({ [`${FOLDER}/config.json`]: '{"outputLanguage":"de","autoUpdate":false}' });
  const { code, stdout } = repo.ua("install");
  assert.equal(code, 0);
  assert.match(stdout, /autoUpdate is false in config\.json/);
  assert.equal(repo.read(`${FOLDER}/config.json`), '{"outputLanguage":"de","autoUpdate":false}', "nobody was asked");
  repo.commit("parameter", withParameter(repo));
  assert.equal(repo.marker(), null);
  assert.equal(repo.uaJson("pending").state, "none");
  assert.match(String(repo.uaJson("status").reason), /autoUpdate is not true/);

  installInto(repo, "--yes");
  assert.deepEqual(
    readJson(repo, "config.json"),
    { outputLanguage: "de", autoUpdate: false },
    "the key is never ours to write",
  );
  for (const config of [{ outputLanguage: "de" }, { autoUpdate: true }]) {
    writeJson(repo, "config.json", config);
    assert.equal(repo.uaJson("status").status, "pending");
    assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"], "judged from the baseline on");
  }
  for (const value of ["yes", "true", 1, null, {}]) {
    writeJson(repo, "config.json", { autoUpdate: value });
    repo.commit("another", { "src/c.ts": `export const c = ${JSON.stringify(value)};\n` });
    const reason = String(repo.uaJson("status").reason);
    assert.match(
      reason,
      /autoUpdate is not true in config\.json; remove the key or set it to true/,
      "only true is true",
    );
  }
});

test("a meta.json that another tool moved on is the new baseline", (t) => {
  const repo = installedRepo(t);
  const head = repo.commit("parameter", withParameter(repo));
  assert.notEqual(repo.marker(), null);
  const { files } = readJson(repo, "fingerprints.json");
  const { blobOid: _b, extractor: _e, ...old } = files["src/b.ts"];
  files["src/b.ts"] = { ...old, contentHash: contentHash(Buffer.from(repo.read("src/b.ts"))) };
  writeJson(repo, "fingerprints.json", { version: "1.0.0", gitCommitHash: head, generatedAt: "now", files });
  writeJson(repo, "meta.json", { ...readJson(repo, "meta.json"), gitCommitHash: head, lastAnalyzedAt: "now" });
  assert.equal(repo.uaJson("pending").state, "none");
  assert.equal(repo.marker(), null, "what was pending is done");
  const status = repo.uaJson<{ status: string; baseline: { commit: string } }>("status");
  assert.deepEqual([status.status, status.baseline.commit], ["fresh", head]);
});

test("where a fingerprint and the graph's commit disagree, the fingerprint says what was analysed", (t) => {
  const repo = installedRepo(t);
  const first = repo.read("src/b.ts");
  const head = repo.commit("parameter", withParameter(repo));
  // Another tool moved the commit on, but its entry still describes the text before.
  const files = foreignEntries(repo);
  assert.equal(files["src/b.ts"]?.contentHash, contentHash(Buffer.from(first)));
  writeJson(repo, "fingerprints.json", { version: "1.0.0", gitCommitHash: head, generatedAt: "now", files });
  writeJson(repo, "meta.json", { ...readJson(repo, "meta.json"), gitCommitHash: head, lastAnalyzedAt: "now" });
  repo.uaJson("status");
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"]);
  repo.commit("back", { "src/b.ts": first });
  assert.equal(repo.marker(), null, "the analysed content again");
});
