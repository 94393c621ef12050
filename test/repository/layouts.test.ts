import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { locateProject } from "../../src/repository/locate.js";
import { analysisOf, applyTo, summaries } from "../support/agent.js";
import { makeRepo, type Repo, repoAt } from "../support/repo.js";
import { installInto, startProject, wholeRound } from "../support/round.js";

const locate = (cwd: string) => locateProject({ cwd, env: {} });

test("a normal checkout is its own project, from a sub folder and from inside .git too", async (t) => {
  const repo = makeRepo(t, { name: "with space" });
  startProject(repo);
  wholeRound(repo.at(join(repo.dir, "src", "..")));
  const whole = await locate(repo.dir);
  assert.equal(whole.root, repo.dir);
  for (const inside of ["src", ".git", ".git/hooks", ".git/refs/heads"]) {
    assert.deepEqual(await locate(join(repo.dir, inside)), whole, inside);
  }
  const seen = repo.at(join(repo.dir, "src")).uaJson("status");
  assert.equal(seen.status, "pending");
  assert.equal(seen.dataDir, join(repo.dir, ".understand-anything"));
  repo.write({ "src/c.ts": "export const c = 1;\n" });
  const sub = repo.at(join(repo.dir, "src"));
  sub.git("add", "c.ts");
  assert.deepEqual(sub.tryGit("commit", "-q", "-m", "sub"), { code: 0, stdout: "", stderr: "" });
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts", "src/c.ts"], "a commit made in a sub folder");
  const cwd = repo.at(repo.base).uaJson("status", "--cwd", join(repo.dir, "tools"));
  assert.deepEqual(cwd.worktree, seen.worktree);
});

/** A superproject with the small project as its submodule `sub`. */
function withSubmodule(repo: Repo): Repo {
  const library = repo.at(join(repo.base, "library"));
  mkdirSync(library.dir);
  library.git("init", "-q");
  startProject(library);
  repo.git("submodule", "--quiet", "add", library.dir, "sub");
  repo.commit("with a submodule", { "main.ts": "export const main = 1;\n" });
  return repo.at(join(repo.dir, "sub"));
}

test("a submodule is its own project, and a worktree of it leads to the submodule's checkout", async (t) => {
  const repo = makeRepo(t);
  const sub = withSubmodule(repo);
  installInto(repo);
  assert.equal((await locate(join(repo.dir, ".git", "modules", "sub"))).root, sub.dir);
  wholeRound(sub);
  const moved = repo.commit("submodule moved");
  assert.equal(repo.marker(), null, "a submodule's commits are nothing of the superproject's own");
  assert.equal(repo.uaJson("status").lastVerifiedSha, moved);
  assert.equal(sub.git("rev-parse", "--git-common-dir"), join(repo.dir, ".git/modules/sub"));

  sub.git("reset", "-q", "--hard", "HEAD~2");
  assert.equal(sub.uaJson("pending").state, "none");
  const linked = sub.at(join(repo.base, "sub-tree"));
  sub.git("worktree", "add", "-q", linked.dir, "-b", "topic");
  const project = await locate(linked.dir);
  assert.equal(project.root, sub.dir);
  wholeRound(linked, { dataDir: join(sub.dir, ".understand-anything"), id: "sub-tree", install: false });
});

test("with a separate git dir the project is the work tree, also seen from its linked worktree", async (t) => {
  const repo = makeRepo(t, { init: false });
  const gitDir = join(repo.base, "elsewhere");
  repo.git("init", "-q", "--separate-git-dir", gitDir);
  startProject(repo);
  const linked = repo.at(join(repo.base, "linked"));
  installInto(repo);
  assert.equal((await locate(gitDir)).root, repo.dir, "from inside the git dir, as install noted it");
  repo.git("worktree", "add", "-q", linked.dir, "-b", "topic");
  assert.equal((await locate(linked.dir)).root, repo.dir);
  wholeRound(linked, { dataDir: join(repo.dir, ".understand-anything"), id: "linked", install: false });
  repo.commit("parameter", { "src/b.ts": linked.read("src/b.ts") });
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"], "and the main one goes on");
});

test("a git dir on another file system than its work tree: what an agent delivers is in the graph", (t) => {
  const repo = makeRepo(t, { init: false });
  const other = ["/dev/shm", "/tmp", "/var/tmp"].find(
    (dir) => existsSync(dir) && statSync(dir).dev !== statSync(repo.base).dev,
  );
  if (other === undefined) return t.skip("there is only one file system here");
  const gitDir = mkdtempSync(join(other, "ua-hooks-test-"));
  t.after(() => rmSync(gitDir, { recursive: true, force: true }));
  repo.git("init", "-q", "--separate-git-dir", gitDir);
  startProject(repo);
  installInto(repo);
  applyTo(repo, analysisOf(repo, ["src/b.ts"], "delivered"));
  assert.equal(summaries(repo).get("function:src/b.ts:twice"), "delivered: twice");
});

test("a work tree without a .git is not used, whoever names it", async (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  const gitDir = join(repo.dir, ".git");
  const bare = join(repo.base, "bare");
  mkdirSync(bare);
  // `git --git-dir=… --work-tree=…`: the repository has a work tree of its own.
  const named = await locateProject({ cwd: bare, env: { GIT_DIR: gitDir, GIT_WORK_TREE: bare } });
  assert.equal(named.worktree.path, repo.dir);
  repo.git("config", "core.worktree", bare);
  const { code, stderr } = repoAt(bare, repo.base, { ...repo.env, GIT_DIR: gitDir }).ua("install", "--yes");
  assert.equal(code, 3);
  assert.match(stderr, /names it as its work tree, but no \.git in it leads back/);
  assert.deepEqual(readdirSync(bare), []);
});

test("outside any repository there is a clear error and exit 3", (t) => {
  const repo = makeRepo(t, { init: false });
  for (const command of ["install", "status", "pending", "check", "uninstall", "log"]) {
    const { code, stdout, stderr } = repo.ua(command);
    assert.equal(code, 3, command);
    assert.equal(stdout, "");
    assert.match(
      stderr,
      /^ua-hooks: .*repo is not in a git repository \(no \.git here or in a parent folder\)\n {2}change to a folder of a repository, or run `git init`/,
    );
  }
  mkdirSync(join(repo.dir, ".git"));
  assert.equal(repo.ua("status").code, 3, "an empty .git folder is none");
});
