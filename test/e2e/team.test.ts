import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import type { KnowledgeGraph } from "../../src/graph/types.js";
import { parseGraph } from "../support/parse-graph.js";
import { cleanEnv, makeRepo, type Repo, repoAt, SMALL_PROJECT, tempDir } from "../support/repo.js";
import { checkGraph } from "../support/whole-graph.js";

const NAME = "our team's repo";
const FOLDER = ".understand-anything";
const NAMES = ["knowledge-graph.json", "fingerprints.json", "meta.json"];
const GRAPH = `${FOLDER}/knowledge-graph.json`;

/** The small project with its artefacts committed for the team. */
function teamRepo(t: TestContext): Repo {
  const repo = makeRepo(t, { name: NAME });
  repo.commit("start", SMALL_PROJECT);
  assert.equal(repo.ua("install", "--team", "--yes").code, 0);
  repo.commit("the artefacts");
  assert.equal(repo.git("ls-files", FOLDER, ".gitattributes").split("\n").length, 4);
  return repo;
}

/** A branch from main with new code, its analysis, and an agent's words about one file. */
function analysedBranch(repo: Repo, name: string, files: Record<string, string>, words: Record<string, string>): void {
  repo.git("checkout", "-q", "-b", name, "main");
  repo.commit(`${name}: code`, files);
  assert.equal(repo.ua("install", "--rebuild").code, 0);
  const graph = graphOf(repo);
  for (const node of graph.nodes) node.summary = words[node.id] ?? node.summary;
  repo.write({ [GRAPH]: `${JSON.stringify(graph, null, 2)}\n` });
  repo.commit(`${name}: analysis`);
}

const graphOf = (repo: Repo): KnowledgeGraph => parseGraph(repo.read(GRAPH));

function assertKnowsBoth(graph: KnowledgeGraph): void {
  assert.deepEqual(checkGraph(graph), []);
  const said = new Map(graph.nodes.map(({ id, summary }) => [id, summary]));
  assert.equal(said.get("file:src/b.ts"), "One's");
  assert.equal(said.get("file:src/a.ts"), "Two's");
  for (const id of ["function:src/b.ts:thrice", "file:src/one.ts", "file:lib/two.ts"]) assert.ok(said.has(id), id);
}

/** Made once and copied: the way there is the same for each story. */
let template: string | undefined;
after(() => template !== undefined && rmSync(template, { recursive: true, force: true }));

function twoBranches(t: TestContext): Repo {
  template ??= makeTwoBranches(t);
  const base = tempDir(t);
  cpSync(template, base, { recursive: true });
  return repoAt(join(base, NAME), base, cleanEnv(base));
}

function makeTwoBranches(t: TestContext): string {
  const repo = teamRepo(t);
  const b = `${SMALL_PROJECT["src/b.ts"]}export function thrice(x: number): number {\n  return x * 3;\n}\n`;
  analysedBranch(repo, "one", { "src/b.ts": b, "src/one.ts": "export const one = 1;\n" }, { "file:src/b.ts": "One's" });
  const py = "def run(argument, other):\n    return other\n";
  analysedBranch(
    repo,
    "two",
    { "tools/run.py": py, "lib/two.ts": "export const two = 2;\n" },
    { "file:src/a.ts": "Two's" },
  );
  const kept = mkdtempSync(join(tmpdir(), "ua-hooks-test-"));
  cpSync(repo.base, kept, { recursive: true });
  return kept;
}

/** All that both branches learned is there, sound, and each file is described as it now is. */
function assertBoth(repo: Repo): void {
  assertKnowsBoth(graphOf(repo));
  const { files } = JSON.parse(repo.read(`${FOLDER}/fingerprints.json`)) as {
    files: Record<string, { blobOid: string }>;
  };
  for (const [path, { blobOid }] of Object.entries(files)) assert.equal(blobOid, repo.git("rev-parse", `HEAD:${path}`));
  assert.equal(repo.git("status", "--porcelain"), "");
  // A linked worktree has no graph to prove; what it committed is proven where it is merged.
  if (!existsSync(join(repo.dir, ".git/HEAD")) || !existsSync(join(repo.dir, ".git/ua-hooks/state.db"))) return;
  assert.deepEqual(repo.uaJson<{ differences: string[] }>("verify", "--against-clean").differences, []);
}

test("team: two branches that both changed the graph merge without a conflict", (t) => {
  const repo = twoBranches(t);
  const base = JSON.parse(repo.git("show", `main:${FOLDER}/meta.json`)) as { gitCommitHash: string };
  repo.git("checkout", "-q", "one");
  repo.git("merge", "-q", "-m", "merge", "two");
  assertBoth(repo);
  const meta = JSON.parse(repo.read(`${FOLDER}/meta.json`)) as { gitCommitHash: string };
  assert.equal(meta.gitCommitHash, base.gitCommitHash, "no side covers the other: what both started from");
});

test("team: rebase and cherry-pick come out like the merge, also from a linked worktree", (t) => {
  const repo = twoBranches(t);
  repo.git("checkout", "-q", "main");
  const linked = repo.at(join(repo.base, "linked"));
  repo.git("worktree", "add", "-q", linked.dir, "two");
  linked.git("rebase", "-q", "one");
  assertBoth(linked);
  repo.git("checkout", "-q", "one");
  repo.git("cherry-pick", "two~1", "two");
  assertBoth(repo);
  assert.equal(repo.git("rev-parse", `HEAD:${GRAPH}`), linked.git("rev-parse", `HEAD:${GRAPH}`));
});

test("team: the driver goes on after the repository was moved, and without node it is git's text merge", (t) => {
  const repo = twoBranches(t);
  const moved = repo.at(join(repo.base, "moved"));
  renameSync(repo.dir, moved.dir);
  moved.git("checkout", "-q", "one");
  moved.git("merge", "-q", "-m", "merge", "two");
  assertBoth(moved);
  moved.git("reset", "-q", "--hard", "HEAD~1");
  rmSync(join(moved.dir, ".git/ua-hooks"), { recursive: true });
  assert.notEqual(moved.tryGit("merge", "-q", "-m", "merge", "two").code, 0);
  assert.match(moved.read(`${FOLDER}/meta.json`), /^<{7} /m);
});

const FAILING_NODES: Record<string, (repo: Repo) => void> = {
  "a program that was cut off": (repo) => {
    const program = join(repo.dir, ".git/ua-hooks/runtime/hook.cjs");
    truncateSync(program, statSync(program).size - 2000);
  },
  "an empty program, which node runs without an error": (repo) =>
    truncateSync(join(repo.dir, ".git/ua-hooks/runtime/hook.cjs"), 0),
  "a node that ends with 0": (repo) => replaceNode(repo, "exit 0"),
  "a node that ends with 1": (repo) => replaceNode(repo, "echo SyntaxError >&2; exit 1"),
  "a node that is killed after it has written": (repo) => replaceNode(repo, `"${process.execPath}" "$@"; kill -9 $$`),
  "a node that ends as if it had merged, without a result": (repo) => replaceNode(repo, "exit 96"),
  "no program": (repo) => rmSync(join(repo.dir, ".git/ua-hooks/runtime/hook.cjs")),
};

/** The node that the hooks start becomes a shell script. */
function replaceNode(repo: Repo, script: string): void {
  const node = join(repo.base, "node");
  writeFileSync(node, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const env = join(repo.dir, ".git/ua-hooks/env");
  const [, ...rest] = readFileSync(env, "utf8").split("\n");
  writeFileSync(env, [node, ...rest].join("\n"));
}

for (const [what, fail] of Object.entries(FAILING_NODES)) {
  test(`team: with ${what} it is git's text merge, once`, (t) => {
    const repo = twoBranches(t);
    repo.git("checkout", "-q", "one");
    fail(repo);
    assert.equal(repo.tryGit("merge", "-q", "-m", "merge", "two").code, 1);
    const merged = NAMES.map((name) => repo.read(`${FOLDER}/${name}`));
    const untracked = repo
      .git("status", "--porcelain")
      .split("\n")
      .filter((line) => line.startsWith("??"));
    assert.deepEqual(untracked, []);
    repo.git("merge", "--abort");

    repo.git("config", "--remove-section", "merge.ua-hooks");
    assert.equal(repo.tryGit("merge", "-q", "-m", "merge", "two").code, 1);
    const asGit = (text: string) => text.replace(/^(<{7}|>{7}) .*$/gm, "$1");
    assert.deepEqual(
      merged.map(asGit),
      NAMES.map((name) => asGit(repo.read(`${FOLDER}/${name}`))),
    );
  });
}

test("team: the driver as a command needs no state dir, and makes none", (t) => {
  const repo = makeRepo(t);
  const version = (summary: string, name: string) =>
    JSON.stringify({
      ...{
        version: "1.0.0",
        nodes: [
          { ...NODE, id: "file:a.ts", summary },
          { ...NODE, id: "file:b.ts", name },
        ],
      },
      ...{ project: { name: "p", languages: [], frameworks: [], description: "", analyzedAt: "", gitCommitHash: "" } },
      ...{ edges: [], layers: [], tour: [] },
    });
  repo.write({ base: version("", "b"), ours: version("ours", "b"), theirs: version("", "theirs") });
  const { code, stderr } = repo.ua("merge-driver", "base", "ours", "theirs", GRAPH);
  assert.equal(code, 0, stderr);
  const { nodes } = parseGraph(repo.read("ours"));
  assert.deepEqual([nodes[0]?.summary, nodes[1]?.name], ["ours", "theirs"]);
  assert.equal(repo.has(".git/ua-hooks"), false);
});

const NODE = { type: "file", name: "a", summary: "", tags: [], complexity: "simple" };

test("team: a teammate without us gets git's own merge; with a plain install, ours", (t) => {
  const repo = twoBranches(t);
  const mate = repo.at(join(repo.base, "mate"));
  repo.git("clone", "-q", repo.dir, mate.dir);
  mate.git("checkout", "-q", "one");
  const { code, stdout } = mate.tryGit("merge", "-m", "merge", "origin/two");
  assert.equal(code, 1);
  assert.match(stdout, /CONFLICT \(content\): Merge conflict in .understand-anything\/meta.json/);
  mate.git("merge", "--abort");
  assert.equal(mate.uaJson("install").team, "found");
  mate.git("merge", "-q", "-m", "merge", "origin/two");
  assertBoth(mate);
  assert.equal(mate.ua("uninstall").code, 0);
  assert.equal(mate.git("status", "--porcelain"), "", "the team's .gitattributes is not one clone's to take out");
});

test("team: markers that a forge's own merge left are repaired in the store, and the tracked file stays", (t) => {
  const repo = twoBranches(t);
  const forge = repo.at(join(repo.base, "forge"));
  repo.git("clone", "-q", repo.dir, forge.dir);
  forge.git("checkout", "-q", "one");
  assert.equal(forge.tryGit("merge", "-m", "merge", "origin/two").code, 1);
  forge.commit("merged on the forge");
  repo.git("checkout", "-q", "one");
  repo.git("pull", "-q", forge.dir, "one");
  assert.match(repo.read(`${FOLDER}/meta.json`), /^<{7} /m);
  assert.equal(repo.git("status", "--porcelain"), "");
  const status = repo.uaJson<{ status: string; reason: string }>("status");
  assert.equal(status.status, "fresh", status.reason);
  assert.match(repo.read(`${FOLDER}/knowledge-graph.json`), /^<{7} /m);
  // A typed command may write it.
  assert.equal(repo.ua("export").code, 0);
  assertKnowsBoth(parseGraph(repo.read(`${FOLDER}/knowledge-graph.json`)));
  repo.commit("mended");
  assert.equal(repo.uaJson("status").status, "fresh");
});

test("team: a graph that cannot be read is a conflict, with markers for people", (t) => {
  const repo = twoBranches(t);
  repo.git("checkout", "-q", "two");
  repo.commit("torn", { [GRAPH]: "{ torn\n" });
  repo.git("checkout", "-q", "one");
  const { code, stderr, stdout } = repo.tryGit("merge", "-m", "merge", "two");
  assert.equal(code, 1);
  assert.match(stdout + stderr, /knowledge-graph.json cannot be merged by id: .*not JSON/);
  assert.match(repo.read(GRAPH), /^<{7} ours$/m);
  assert.match(repo.git("status", "--porcelain"), /^UU .*knowledge-graph.json/m);
});

test("team: uninstall takes out what install wrote, byte for byte", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", { ...SMALL_PROJECT, ".gitattributes": "*.png binary\n" });
  const config = repo.read(".git/config");
  assert.equal(repo.uaJson("install", "--team", "--yes").team, "shared");
  assert.match(repo.read(".gitattributes"), /^\/.understand-anything\/meta.json merge=ua-hooks$/m);
  assert.notEqual(repo.git("config", "merge.ua-hooks.driver"), "");
  assert.doesNotMatch(repo.read(".git/info/exclude"), /knowledge-graph/);
  const written = [".gitattributes", ".git/config"].map((file) => repo.read(file));
  assert.equal(repo.uaJson("install").team, "found");
  assert.deepEqual(
    [".gitattributes", ".git/config"].map((file) => repo.read(file)),
    written,
    "a second install",
  );
  assert.equal(repo.ua("uninstall").code, 0);
  assert.equal(repo.read(".gitattributes"), "*.png binary\n");
  assert.equal(repo.read(".git/config"), config);
  repo.git("rm", "-q", ".gitattributes");
  assert.equal(repo.ua("install", "--team", "--yes").code, 0);
  assert.ok(repo.has(".gitattributes"));
  assert.equal(repo.ua("uninstall", "--purge", "--yes").code, 0);
  assert.equal(repo.has(".gitattributes"), false, "a file that was ours alone goes");
});

test("team: without a terminal, .gitattributes is not changed and this clone has the driver", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", SMALL_PROJECT);
  const { stdout } = repo.ua("install", "--team");
  assert.match(stdout, /\.gitattributes was not changed/);
  assert.equal(repo.has(".gitattributes"), false);
  assert.match(repo.git("check-attr", "merge", GRAPH), /merge: ua-hooks$/);
  assert.equal(repo.uaJson("install").team, "clone", "a plain install later does not undo it");
  assert.equal(repo.uaJson("install", "--team", "--yes").team, "shared");
  assert.doesNotMatch(readIfThere(join(repo.dir, ".git/info/attributes")), /ua-hooks/, "one place is enough");
});

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
