import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { locateProject } from "../../src/project/locate.js";
import { makeRepo, type Repo } from "../support/repo.js";
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
  const cwd = repo.at(repo.base).uaJson("status", "--cwd", join(repo.dir, "tools"));
  assert.deepEqual(cwd.worktree, seen.worktree);
});

test("a commit made in a sub folder is judged like any other", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  installInto(repo);
  repo.write({ "src/b.ts": repo.read("src/b.ts").replace("x: number)", "x: number, y = 1)") });
  assert.deepEqual(repo.at(join(repo.dir, "src")).tryGit("commit", "-qam", "sub"), { code: 0, stdout: "", stderr: "" });
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"]);
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
  assert.equal((await locate(join(repo.dir, ".git", "modules", "sub"))).root, sub.dir);
  wholeRound(sub);
  assert.equal(repo.has(".understand-anything"), false, "the superproject is another project");
  assert.equal(sub.git("rev-parse", "--git-common-dir"), join(repo.dir, ".git/modules/sub"));

  sub.git("reset", "-q", "--hard", "HEAD~2");
  assert.equal(sub.uaJson("pending").state, "none");
  const linked = sub.at(join(repo.base, "sub-tree"));
  sub.git("worktree", "add", "-q", linked.dir, "-b", "topic");
  const project = await locate(linked.dir);
  assert.equal(project.root, sub.dir);
  wholeRound(linked, { dataDir: join(sub.dir, ".understand-anything"), id: "sub-tree", install: false });
});

test("the superproject sees its submodule's commits as nothing of its own", (t) => {
  const repo = makeRepo(t);
  const sub = withSubmodule(repo);
  installInto(repo);
  sub.commit("inside", { "src/b.ts": "export const other = 1;\n" });
  const head = repo.commit("submodule moved");
  assert.equal(repo.marker(), null);
  assert.equal(repo.uaJson("status").lastVerifiedSha, head);
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
  linked.git("reset", "-q", "--hard", "HEAD~2");
  linked.uaJson("pending");
  wholeRound(repo);
});

test("outside any repository there is a clear error and exit 3", (t) => {
  const repo = makeRepo(t, { init: false });
  for (const command of ["install", "status", "pending", "check", "uninstall", "log"]) {
    const { code, stdout, stderr } = repo.ua(command);
    assert.equal(code, 3, command);
    assert.equal(stdout, "");
    assert.match(stderr, /^ua-hooks: .*repo is not in a git repository \(no \.git here or above\)\n {2}run `git init`/);
  }
  mkdirSync(join(repo.dir, ".git"));
  assert.equal(repo.ua("status").code, 3, "an empty .git folder is none");
});
