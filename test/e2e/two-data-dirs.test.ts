import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { analysisOf, applyTo } from "../support/agent.js";
import { makeRepo, type Repo, repoAt, SMALL_PROJECT } from "../support/repo.js";
import { installInto } from "../support/round.js";

const LONG = ".understand-anything";
const ASIDE = ".git/ua-hooks/aside/main";

interface Status {
  status: string;
  dataDir: string;
}

/** As `/understand` leaves them in a fresh project: no fingerprints. */
function theirGraph(repo: Repo, summary: string, folder = ".ua"): Record<string, string> {
  const commit = repo.head();
  const node = { id: "file:src/a.ts", type: "file", name: "a.ts", filePath: "src/a.ts" };
  const project = { name: "p", languages: ["typescript"], frameworks: [], description: "d" };
  return {
    [`${folder}/knowledge-graph.json`]: JSON.stringify({
      version: "1.0.0",
      project: { ...project, analyzedAt: "2026-11-01T00:00:00.000Z", gitCommitHash: commit },
      nodes: [{ ...node, summary, tags: ["m"], complexity: "simple" }],
      edges: [],
      layers: [{ id: "layer:c", name: "C", description: "x", nodeIds: [node.id] }],
      tour: [],
    }),
    [`${folder}/meta.json`]: JSON.stringify({ gitCommitHash: commit, version: "1.0.0", analyzedFiles: 1 }),
  };
}

/** A clone with ua-hooks, whose `.understand-anything/` install made, and the repository that it comes from. */
function teamAndClone(t: TestContext, core: string): { team: Repo; clone: Repo } {
  const team = makeRepo(t);
  team.commit("start", SMALL_PROJECT);
  const dir = join(team.base, "clone");
  team.git("clone", "-q", team.dir, dir);
  const clone = repoAt(dir, team.base, { ...team.env, UA_HOOKS_CORE: core });
  installInto(clone);
  return { team, clone };
}

const dataDirOf = (repo: Repo) => repo.uaJson<Status>("status").dataDir;
const said = (repo: Repo, path: string) => repo.ua("why", path).stdout;
const clean = (repo: Repo, when: string) => assert.equal(repo.git("status", "--porcelain"), "", when);

test("a project that another tool analyzed in .ua/ gets ua-hooks: its texts count, and its config.json stays", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", SMALL_PROJECT);
  const config = '{"autoUpdate":true}';
  repo.write({ ...theirGraph(repo, "their text"), ".ua/config.json": config });
  installInto(repo);
  assert.equal(dataDirOf(repo), join(repo.dir, ".ua"));
  assert.match(said(repo, "src/a.ts"), /their text/);
  repo.commit("a comment", { "src/a.ts": `// one\n${repo.read("src/a.ts")}` });
  assert.equal(repo.read(".ua/config.json"), config);
  assert.equal(repo.has(LONG), false);
});

for (const core of ["", "statements"]) {
  const name = core === "" ? "" : `, core ${core}`;

  test(`a pull brings a committed .ua/: it is used, and our own folder goes into the state dir${name}`, (t) => {
    const { team, clone } = teamAndClone(t, core);
    applyTo(clone, analysisOf(clone, ["src/b.ts"], "mine"));
    clone.write({ [`${LONG}/config.json`]: '{ "outputLanguage": "de" }\n' });
    clone.write({ ".git/info/exclude": `${clone.read(".git/info/exclude")}/${LONG}/config.json\n` });
    team.commit("the graph", theirGraph(team, "the team's text"));
    clone.git("pull", "-q");

    const first = clone.ua("status");
    assert.match(`${first.stdout}${first.stderr}`, /git tracks \.ua\/.*\.understand-anything\/ was moved to .*aside/);
    const second = clone.ua("status");
    assert.doesNotMatch(`${second.stdout}${second.stderr}`, /was moved/, "said once");
    assert.equal(dataDirOf(clone), join(clone.dir, ".ua"));
    assert.match(said(clone, "src/a.ts"), /the team's text/);
    assert.match(said(clone, "src/b.ts"), /mine: src\/b\.ts/, "its descriptions are in the store");
    assert.equal(clone.has(LONG), false);
    assert.ok(clone.has(`${ASIDE}/knowledge-graph.json`));
    clean(clone, "after the pull");

    clone.commit("more", { "src/c.ts": "export const c = (x: number) => x;\n" });
    assert.notEqual(clone.uaJson<Status>("status").status, "unknown");
    assert.ok(existsSync(join(clone.dir, ".ua/pending-update.json")), "the marker is there");
    clean(clone, "with a marker");

    clone.git("checkout", "-q", "--detach", "HEAD~2");
    assert.equal(dataDirOf(clone), join(clone.dir, ".ua"), "our fingerprints kept the folder");
    assert.match(said(clone, "src/b.ts"), /mine: src\/b\.ts/);
    clean(clone, "on a branch that does not track it");
    clone.git("checkout", "-q", "main");
    assert.match(said(clone, "src/b.ts"), /mine: src\/b\.ts/);
    clean(clone, "in the end");
  });

  test(`a branch without .ua/ has our own folder again, with what others wrote into it${name}`, (t) => {
    const { team, clone } = teamAndClone(t, core);
    applyTo(clone, analysisOf(clone, ["src/b.ts"], "mine"));
    clone.write({ [`${LONG}/config.json`]: '{ "outputLanguage": "de" }\n' });
    clone.write({ ".git/info/exclude": `${clone.read(".git/info/exclude")}/${LONG}/config.json\n` });
    team.commit("the graph", { ...theirGraph(team, "the team's text"), ".ua/fingerprints.json": "{}" });
    clone.git("pull", "-q");
    assert.equal(dataDirOf(clone), join(clone.dir, ".ua"));
    for (const round of [1, 2]) {
      clone.git("checkout", "-q", "--detach", "HEAD~1");
      assert.equal(dataDirOf(clone), join(clone.dir, LONG), `round ${round}`);
      assert.match(said(clone, "src/b.ts"), /mine: src\/b\.ts/);
      assert.equal(clone.read(`${LONG}/config.json`), '{ "outputLanguage": "de" }\n');
      clean(clone, "without .ua/");
      clone.git("checkout", "-q", "main");
      assert.equal(dataDirOf(clone), join(clone.dir, ".ua"), "and back");
      assert.equal(clone.has(LONG), false);
      assert.match(said(clone, "src/a.ts"), /the team's text/);
      assert.match(said(clone, "src/b.ts"), /mine: src\/b\.ts/);
      clean(clone, "in the end");
    }
  });

  test(`a committed .ua/ in a linked worktree's main worktree: every worktree uses it${name}`, (t) => {
    const { team, clone } = teamAndClone(t, core);
    const linked = clone.at(join(clone.base, "linked"));
    clone.git("worktree", "add", "-q", linked.dir, "-b", "linked");
    team.commit("the graph", theirGraph(team, "the team's text"));
    linked.git("pull", "-q", "origin", "main");
    assert.equal(dataDirOf(linked), join(clone.dir, LONG), "only the linked worktree's branch has it");
    clone.git("pull", "-q");
    assert.equal(dataDirOf(linked), join(clone.dir, ".ua"));
    assert.equal(dataDirOf(clone), join(clone.dir, ".ua"));
    clean(linked, "linked");
    clean(clone, "main");
  });

  test(`what another tool wrote into the folder a moment before is stored before it is moved${name}`, (t) => {
    const { team, clone } = teamAndClone(t, core);
    team.commit("the graph", theirGraph(team, "the team's text"));
    const graph = JSON.parse(clone.read(`${LONG}/knowledge-graph.json`));
    for (const node of graph.nodes) if (node.id === "file:src/b.ts") node.summary = "Doubles a number.";
    clone.write({ [`${LONG}/knowledge-graph.json`]: JSON.stringify(graph) });
    clone.git("pull", "-q");
    assert.equal(dataDirOf(clone), join(clone.dir, ".ua"));
    assert.match(said(clone, "src/b.ts"), /Doubles a number\./);
  });
}

test("git tracks neither or both: .understand-anything/ is used, nothing is moved, and doctor names the other", (t) => {
  const { clone } = teamAndClone(t, "");
  clone.write(theirGraph(clone, "an untracked text"));
  clone.write({ ".git/info/exclude": `${clone.read(".git/info/exclude")}/.ua/\n` });
  clone.commit("a change", { "README.md": "hello\n" });
  assert.equal(dataDirOf(clone), join(clone.dir, LONG));
  assert.match(clone.ua("doctor").stdout, /data dir +\.understand-anything\/ is used; \.ua\/ is not/);
  clone.git("add", "-f", ".ua", `${LONG}/knowledge-graph.json`);
  clone.commit("both");
  assert.equal(dataDirOf(clone), join(clone.dir, LONG));
  assert.match(clone.ua("doctor").stdout, /data dir +\.understand-anything\/ is used; \.ua\/ is not/);
  assert.ok(clone.has(`${LONG}/meta.json`));
  clean(clone, "nothing was moved");
});

test("autoUpdate is false: nothing is moved, and doctor names the folder that git tracks", (t) => {
  const { team, clone } = teamAndClone(t, "");
  clone.write({ [`${LONG}/config.json`]: '{ "autoUpdate": false }\n' });
  team.commit("the graph", theirGraph(team, "the team's text"));
  clone.git("pull", "-q");
  assert.equal(clone.uaJson<Status>("status").dataDir, join(clone.dir, LONG));
  assert.match(clone.ua("doctor").stdout, /\.understand-anything\/ is used; \.ua\/ is not/);
});

test("uninstall --purge gives back what others wrote into the folder that was moved", (t) => {
  const { team, clone } = teamAndClone(t, "");
  clone.write({ [`${LONG}/.understandignore`]: "docs/\n" });
  team.commit("the graph", theirGraph(team, "the team's text"));
  clone.git("pull", "-q");
  assert.equal(dataDirOf(clone), join(clone.dir, ".ua"));
  assert.equal(clone.has(`${LONG}/.understandignore`), false);
  assert.equal(clone.ua("uninstall", "--purge", "--yes").code, 0);
  assert.equal(clone.read(`${LONG}/.understandignore`), "docs/\n");
  assert.equal(clone.has(`${LONG}/knowledge-graph.json`), false, "install made it");
  assert.equal(clone.has(".git/ua-hooks"), false);
  assert.deepEqual(clone.git("ls-files", ".ua").split("\n").length, 2);
});
