import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { locateProject } from "../../src/repository/locate.js";
import { analysisOf, applyTo } from "../support/agent.js";
import { installedRepo, makeRepo, type Repo } from "../support/repo.js";
import { installInto, markersIn, startProject, wholeRound } from "../support/round.js";

function addWorktree(repo: Repo, name: string, ...args: string[]): Repo {
  const linked = repo.at(join(repo.base, "trees", name));
  repo.git(
    "worktree",
    "add",
    "-q",
    linked.dir,
    ...(args.length === 0 ? ["-b", `topic/${name.replaceAll(" ", "-")}`] : args),
  );
  return linked;
}

test("a linked worktree belongs to the main one, and its marker is kept there", async (t) => {
  const repo = installedRepo(t);
  const dataDir = join(repo.dir, ".understand-anything");
  const linked = addWorktree(repo, "topic tree");
  mkdirSync(join(linked.dir, "src/deep"), { recursive: true });
  const project = await locateProject({ cwd: join(linked.dir, "src/deep"), env: {} });
  assert.equal(project.root, repo.dir);
  assert.equal(project.dataDir, dataDir);
  const id = project.worktree.id;
  wholeRound(linked, { dataDir, id, install: false });
  assert.deepEqual(await locateProject({ cwd: project.worktree.gitDir, env: {} }), project, "from inside its git dir");
  assert.equal(repo.uaJson("status").status, "fresh", "the main view's verdict is its own");
});

test("install in a linked worktree installs for the main root", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  const linked = addWorktree(repo, "first");
  const dataDir = join(repo.dir, ".understand-anything");
  wholeRound(linked, { dataDir, id: "first" });
  assert.equal(repo.uaJson("status").status, "fresh");
});

test("a worktree called main is not the main worktree", (t) => {
  const repo = installedRepo(t);
  const dataDir = join(repo.dir, ".understand-anything");
  wholeRound(addWorktree(repo, "main"), { dataDir, id: "main", install: false });
  assert.equal(repo.uaJson("pending").state, "none");
  repo.commit("main's own", { "src/b.ts": "export const gone = 1;\n" });
  assert.deepEqual(markersIn(dataDir), ["pending-update.json", "pending-update.main.json"]);
});

test("of a worktree that was removed nothing is believed when its name comes back", (t) => {
  const repo = installedRepo(t);
  const dataDir = join(repo.dir, ".understand-anything");
  const linked = addWorktree(repo, "again");
  wholeRound(linked, { dataDir, id: "again", install: false });
  repo.git("worktree", "remove", linked.dir);
  // Without hooks, so that no event of the new worktree can tell: only its git dir can.
  repo.at(repo.dir).git("-c", "core.hooksPath=/dev/null", "worktree", "add", "-q", "--detach", linked.dir, "main");
  const seen = linked.uaJson("status");
  assert.equal(seen.status, "fresh");
  assert.equal(seen.lastVerifiedSha, repo.head());
  assert.deepEqual(markersIn(dataDir), []);
});

test("with extensions.worktreeConfig the main root is found", async (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  repo.git("config", "extensions.worktreeConfig", "true");
  repo.git("config", "--worktree", "user.name", "somebody");
  installInto(repo);
  const linked = addWorktree(repo, "configured");
  linked.git("config", "--worktree", "user.name", "another");
  wholeRound(linked, { dataDir: join(repo.dir, ".understand-anything"), id: "configured", install: false });
});

/** A bare clone of the small project with two worktrees. */
function bareRepo(t: TestContext): { bare: Repo; one: Repo; two: Repo } {
  const source = makeRepo(t);
  startProject(source);
  const bare = source.at(join(source.base, "store.git"));
  source.git("clone", "-q", "--bare", source.dir, bare.dir);
  return { bare, one: addWorktree(bare, "one"), two: addWorktree(bare, "two") };
}

const graphOf = (bare: Repo) => bare.read("ua-hooks/data/knowledge-graph.json");
const logOf = (repo: Repo) => repo.uaJson<{ runs: { reason: string }[] }>("log").runs.map(({ reason }) => reason);
const wider = (repo: Repo) => repo.read("src/b.ts").replace("(x: number", "(x: number, y: string");

test("bare: the graph's worktree is removed, and the next that changes takes over, with what was delivered there before", (t) => {
  const { bare, one, two } = bareRepo(t);
  const three = addWorktree(bare, "three");
  installInto(one);
  assert.equal(two.uaJson("status").graphWorktree, "one");
  two.commit("wider", { "src/b.ts": wider(two) });
  applyTo(two, analysisOf(two, ["src/b.ts"], "Two's"));
  assert.doesNotMatch(graphOf(bare), /Two's/, "it is in the store, and the graph describes another worktree");

  bare.git("worktree", "remove", "--force", one.dir);
  assert.match(two.ua("status").stdout, /Graph .*the worktree one, which is gone/);
  assert.equal(two.ua("run").code, 0);
  assert.match(graphOf(bare), /Two's/);
  assert.equal(two.uaJson("status").graphWorktree, "two");
  assert.ok(logOf(two).includes("the graph's worktree one is gone: it now describes two"), logOf(two).join("\n"));
  assert.deepEqual(two.uaJson<{ differences: string[] }>("verify", "--against-clean").differences, []);

  three.commit("comment", { "src/b.ts": `// three\n${three.read("src/b.ts")}` });
  assert.equal(three.uaJson("status").graphWorktree, "two", "two is there: nothing to take over");
  assert.equal(three.ua("run").code, 2);
});

test("bare: a locked worktree may be on a drive that is not mounted, and keeps the graph", (t) => {
  const { bare, one, two } = bareRepo(t);
  installInto(one);
  bare.git("worktree", "lock", one.dir);
  rmSync(one.dir, { recursive: true });
  two.commit("wider", { "src/b.ts": wider(two) });
  assert.equal(two.uaJson("status").graphWorktree, "one");
  bare.git("worktree", "unlock", one.dir);
  two.commit("wider still", { "src/b.ts": wider(two) });
  assert.equal(two.uaJson("status").graphWorktree, "two");
});

test("bare: install --rebuild in another worktree makes the graph its own", (t) => {
  const { one, two } = bareRepo(t);
  installInto(one);
  assert.equal(two.ua("install").code, 0);
  assert.equal(two.uaJson("status").graphWorktree, "one");
  assert.equal(two.ua("install", "--rebuild").code, 0);
  assert.equal(two.uaJson("status").graphWorktree, "two");
});

for (const worktreeConfig of [false, true]) {
  const how = worktreeConfig ? " (core.bare in config.worktree)" : "";
  test(`a bare repository keeps the data beside its state; the graph is install's worktree${how}`, async (t) => {
    const { bare, one, two } = bareRepo(t);
    if (worktreeConfig) {
      bare.git("config", "extensions.worktreeConfig", "true");
      bare.git("config", "--unset", "core.bare");
      bare.git("config", "--file", "config.worktree", "core.bare", "true");
    }
    const dataDir = join(bare.dir, "ua-hooks", "data");
    installInto(one);
    assert.equal((await locateProject({ cwd: two.dir, env: {} })).root, null);

    if (worktreeConfig) return assert.equal(two.uaJson("status").dataDir, dataDir);
    const meta = () => JSON.parse(bare.read("ua-hooks/data/meta.json")) as { gitCommitHash: string };
    const start = one.head();
    two.commit("comment", { "src/b.ts": `// two\n${two.read("src/b.ts")}` });
    assert.equal(meta().gitCommitHash, start, "the other worktree does not move the graph's commit");
    const head = one.commit("comment", { "src/b.ts": `// one\n${one.read("src/b.ts")}` });
    assert.equal(meta().gitCommitHash, head);

    wholeRound(one, { dataDir, id: "one", install: false });
    assert.equal(two.uaJson("status").status, "fresh");
    const { code, stderr } = bare.ua("status");
    assert.equal(code, 3);
    assert.match(stderr, /bare repository: it has no worktree here/);
  });
}
