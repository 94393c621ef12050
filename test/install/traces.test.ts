import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { install } from "../../src/install/install.js";
import { locateProject } from "../../src/repository/locate.js";
import { cli, installedRepo, makeRepo, type Repo, repoAt } from "../support/repo.js";
import { installInto, startProject } from "../support/round.js";
import { gitsOwn, snapshot } from "../support/tree.js";

const commitParameter = (repo: Repo) =>
  repo.commit("parameter", { "src/b.ts": repo.read("src/b.ts").replace("x: number", "x: number, y = 1") });

test("twenty installs in a row change nothing after the first", async (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  installInto(repo);
  const volatile = (path: string) => /^\.git\/ua-hooks\/(state\.db|code|proofs|runner|runtime)/.test(path);
  const first = snapshot(repo.dir, volatile);
  const program = statSync(join(repo.dir, ".git/ua-hooks/runtime/hook.cjs")).ino;
  const project = await locateProject({ cwd: repo.dir, env: {} });
  const nobody = async () => assert.fail("nobody is asked");
  const options = {
    dryRun: false,
    init: true,
    rebuild: false,
    team: false,
    agents: null,
    shared: false,
    mayWriteSettings: nobody,
    mayWriteTracked: nobody,
    onProgress: () => {},
  };
  for (let at = 0; at < 18; at++) assert.deepEqual((await install(project, options)).steps, []);
  assert.deepEqual(repo.uaJson<{ written: unknown[] }>("install").written, []);
  assert.deepEqual(snapshot(repo.dir, volatile), first);
  assert.equal(statSync(join(repo.dir, ".git/ua-hooks/runtime/hook.cjs")).ino, program, "not even the program's copy");
});

test("uninstall --purge leaves no trace, whatever happened in between", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  const hook = "#!/bin/sh\n: theirs\n";
  repo.write({ ".git/hooks/post-commit": hook, ".git/info/exclude": "# mine\n*.o" });
  const before = snapshot(repo.dir, gitsOwn);
  installInto(repo);
  commitParameter(repo);
  repo.git("worktree", "add", "-q", join(repo.base, "linked"), "-b", "topic");
  commitParameter(repo.at(join(repo.base, "linked")));
  const own = repoAt(join(repo.base, "own"), repo.base, { ...repo.env, UNDERSTAND_NO_WORKTREE_REDIRECT: "1" });
  repo.git("worktree", "add", "-q", own.dir, "-b", "own");
  installInto(own);
  repo.git("checkout", "-q", "-b", "other");
  repo.git("reset", "-q", "--hard", "HEAD~1");
  assert.equal(repo.ua("uninstall", "--purge").code, 0);
  assert.deepEqual(readdirSync(own.dir).sort(), [".git", "src", "tools"], "a worktree that kept its own data");
  for (const name of ["linked", "own"]) {
    const gitDir = join(repo.dir, ".git/worktrees", name);
    assert.deepEqual(
      readdirSync(gitDir).filter((file) => file.startsWith("ua-hooks")),
      [],
    );
    repo.git("worktree", "remove", join(repo.base, name));
  }
  for (const branch of ["main", "topic", "own"]) repo.git("branch", "-qD", branch);
  repo.git("branch", "-m", "main");
  assert.deepEqual(snapshot(repo.dir, gitsOwn), before);
});

test("uninstall --purge removes the marker of a worktree that is gone", (t) => {
  const repo = installedRepo(t);
  repo.git("worktree", "add", "-q", "-b", "topic", "../linked");
  repo.at(join(repo.base, "linked")).commit("due", { "src/new.ts": "export const due = 1;\n" });
  assert.ok(repo.has(".understand-anything/pending-update.linked.json"));
  repo.git("worktree", "remove", "--force", "../linked");
  assert.equal(repo.ua("uninstall", "--purge", "--yes").code, 0);
  assert.ok(!repo.has(".understand-anything"));
});

test("uninstall --purge leaves what was there before install: a graph, a config, and what is tracked now", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  installInto(repo);
  repo.git("add", "-f", ".understand-anything/knowledge-graph.json");
  repo.commit("the graph is tracked");
  assert.equal(repo.ua("uninstall", "--purge", "--yes").code, 0);
  assert.deepEqual(readdirSync(join(repo.dir, ".understand-anything")), ["knowledge-graph.json"]);
  assert.equal(repo.git("status", "--porcelain"), "");

  repo.write({ ".understand-anything/config.json": '{"autoUpdate":true,"outputLanguage":"de"}' });
  installInto(repo);
  assert.equal(repo.ua("uninstall", "--purge", "--yes").code, 0);
  assert.equal(repo.read(".understand-anything/config.json"), '{"autoUpdate":true,"outputLanguage":"de"}');
});

test("uninstall without --purge keeps what was learned, and a later install goes on with it", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  installInto(repo);
  const { kept } = repo.uaJson<{ kept: string[] }>("uninstall");
  assert.ok(kept.includes(join(repo.dir, ".git/ua-hooks")));
  commitParameter(repo);
  assert.equal(repo.marker(), null, "no hook is there to judge");
  installInto(repo);
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"], "the old baseline still holds");
  assert.equal(repo.ua("uninstall").code, 0);
  assert.equal(repo.marker(), null, "a marker that nobody keeps up to date goes");
  assert.match(repo.ua("uninstall").stdout, /Nothing was installed/);
});

test("a step that fails undoes the earlier ones", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  repo.write({ ".git/hooks/post-commit": "#!/bin/sh\n: theirs\n" });
  // The last hook file's place is taken by a folder with something in it: chaining would move it, writing fails.
  mkdirSync(join(repo.dir, ".git/hooks/post-rewrite.before-ua-hooks"), { recursive: true });
  writeFileSync(join(repo.dir, ".git/hooks/post-rewrite.before-ua-hooks/x"), "");
  mkdirSync(join(repo.dir, ".git/hooks/post-rewrite"));
  const before = snapshot(repo.dir, gitsOwn);
  const { code } = repo.ua("install");
  assert.notEqual(code, 0);
  assert.deepEqual(snapshot(repo.dir, gitsOwn), before);
});

test("an install whose baseline fails undoes everything too", (t) => {
  const repo = makeRepo(t, { args: ["--template="] });
  startProject(repo);
  repo.write({ ".understand-anything/fingerprints.json": "{" });
  const before = snapshot(repo.dir, gitsOwn);
  assert.equal(repo.ua("install").code, 5);
  assert.deepEqual(snapshot(repo.dir, gitsOwn), before);
  repo.write({ ".understand-anything/fingerprints.json": "{}", ".understand-anything/knowledge-graph.json": "[" });
  const later = snapshot(repo.dir, gitsOwn);
  assert.equal(repo.ua("install").code, 5, "found late, while the graph is taken in");
  assert.deepEqual(snapshot(repo.dir, gitsOwn), later);
});

test("--dry-run writes nothing", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  const before = snapshot(repo.dir);
  const { state, written } = repo.uaJson<{ state: string; written: unknown[] }>("install", "--dry-run");
  assert.equal(state, "planned");
  assert.ok(written.length >= 4);
  assert.deepEqual(snapshot(repo.dir), before);
});

test("without HOME everything works", (t) => {
  const repo = makeRepo(t);
  const { HOME: _home, XDG_CONFIG_HOME: _xdg, ...env } = repo.env;
  const homeless = repoAt(repo.dir, repo.base, env);
  startProject(homeless);
  installInto(homeless);
  commitParameter(homeless);
  assert.equal(homeless.uaJson("status").status, "pending");
  assert.equal(homeless.ua("uninstall", "--purge", "--yes").code, 0);
});

for (const umask of ["0777", "0000"]) {
  test(`under umask ${umask} the state is ours alone`, (t) => {
    const repo = makeRepo(t);
    startProject(repo);
    const under = (command: string) =>
      spawnSync("sh", ["-c", `umask ${umask}; ${command}`], { cwd: repo.dir, env: repo.env });
    assert.equal(under(`"${process.execPath}" "${cli}" install`).status, 0);
    repo.write({ "src/b.ts": "export const b = 1;\n" });
    assert.equal(under("git commit -q -a -m change").status, 0);
    assert.equal(repo.uaJson("status").status, "pending");
    const state = join(repo.dir, ".git/ua-hooks");
    assert.equal(lstatSync(state).mode & 0o777, 0o700);
    for (const name of readdirSync(state)) {
      const stat = lstatSync(join(state, name));
      assert.equal(stat.mode & 0o677, 0o600, name); // with or without the run bit
    }
    const graph = lstatSync(join(repo.dir, ".understand-anything/knowledge-graph.json")).mode & 0o777;
    assert.equal(graph, umask === "0777" ? 0o600 : 0o644, "never less than ours, never more than the umask allows");
  });
}
