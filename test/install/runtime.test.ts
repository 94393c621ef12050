import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { cli, dist, installedRepo, makeRepo, type Repo, repoAt } from "../support/repo.js";
import { installInto, startProject } from "../support/round.js";
import { snapshot } from "../support/tree.js";

const change = (repo: Repo, name: string) =>
  repo.commit(name, { "src/b.ts": `export function twice(${name}: number): number {\n  return ${name};\n}\n` });
const pending = (repo: Repo) => repo.marker()?.head.commit;

/** The package as a dependency of the repository; only what a program needs, its packages from here. */
function addPackage(at: string): void {
  mkdirSync(at, { recursive: true });
  for (const name of ["dist", "hooks", "templates", "package.json"])
    cpSync(join(dist, "..", name), join(at, name), { recursive: true });
  mkdirSync(join(at, "node_modules"));
  for (const name of ["@libsql"]) symlinkSync(join(dist, "..", "node_modules", name), join(at, "node_modules", name));
}

function run(repo: Repo, program: string, args: string[], cwd = repo.dir, env = repo.env) {
  return spawnSync(process.execPath, [program, ...args], { cwd, env, encoding: "utf8" });
}

const entryOf = (repo: Repo) => repo.read(".git/ua-hooks/env").split("\n")[1] ?? "";

/** A repository with the package as its dependency, which git ignores; installed by it. */
function withDependency(t: TestContext, home = "node_modules/ua-hooks"): Repo {
  const repo = makeRepo(t);
  repo.write({ ".gitignore": "node_modules\n" });
  startProject(repo);
  addPackage(join(repo.dir, home));
  const { status, stderr } = run(repo, join(repo.dir, home, "dist/cli.cjs"), ["install"]);
  assert.equal(status, 0, stderr);
  return repo;
}

test("a local dependency: the hooks run the clone's copy, with node_modules away and after a move", (t) => {
  const repo = withDependency(t);
  assert.equal(entryOf(repo), "ua-hooks/runtime/hook.cjs");
  assert.equal(change(repo, "a"), pending(repo));
  rmSync(join(repo.dir, "node_modules"), { recursive: true });
  assert.equal(change(repo, "b"), pending(repo));
  renameSync(repo.dir, join(repo.base, "moved"));
  const moved = repo.at(join(repo.base, "moved"));
  assert.equal(change(moved, "c"), pending(moved));
});

test("an upgraded dependency: doctor says that the hooks run another version, and install, or --fix, brings it along", (t) => {
  const repo = withDependency(t);
  const program = join(repo.dir, "node_modules/ua-hooks/dist");
  const doctor = (...args: string[]) => run(repo, join(program, "cli.cjs"), ["doctor", ...args]).stdout;
  assert.doesNotMatch(doctor(), /another version/);
  writeFileSync(join(program, "hook.cjs"), `${readFileSync(join(program, "hook.cjs"), "utf8")}// 0.2.0\n`);
  assert.match(doctor(), /the hooks run another version of ua-hooks than this one/);
  doctor("--fix", "--yes");
  assert.doesNotMatch(doctor(), /another version/);
  assert.match(repo.read(".git/ua-hooks/runtime/hook.cjs"), /0\.2\.0/);
});

test("pnpm's layout, in a sub folder of a monorepo", (t) => {
  const repo = makeRepo(t);
  repo.write({ ".gitignore": "node_modules\n", "packages/app/package.json": "{}\n" });
  startProject(repo);
  const store = join(repo.dir, "node_modules/.pnpm/ua-hooks@0.1.0/node_modules/ua-hooks");
  addPackage(store);
  mkdirSync(join(repo.dir, "packages/app/node_modules"), { recursive: true });
  const named = join(repo.dir, "packages/app/node_modules/ua-hooks");
  symlinkSync(store, named);
  const { status, stderr } = run(repo, join(named, "dist/cli.cjs"), ["install"], join(repo.dir, "packages/app"));
  assert.equal(status, 0, stderr);
  assert.equal(change(repo, "a"), pending(repo));
});

test("npx: the copy in the state dir works without the package", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  const cache = join(repo.base, "npx-cache/node_modules/ua-hooks");
  addPackage(cache);
  assert.equal(run(repo, join(cache, "dist/cli.cjs"), ["install"]).status, 0);
  rmSync(join(repo.base, "npx-cache"), { recursive: true });
  assert.equal(entryOf(repo), "ua-hooks/runtime/hook.cjs");
  assert.equal(change(repo, "a"), pending(repo));
});

test("the node of install is gone: another one is found, with no PATH and an empty environment, and written down", async (t) => {
  const repo = installedRepo(t);
  const env = join(repo.dir, ".git/ua-hooks/env");
  const [, entry, mode] = readFileSync(env, "utf8").split("\n");
  const homes: Record<string, string> = {
    nvm: ".nvm/versions/node/v22.1.0/bin/node",
    volta: ".volta/bin/node",
    fnm: ".local/share/fnm/node-versions/v20.17.0/installation/bin/node",
  };
  for (const [name, path] of Object.entries(homes)) {
    writeFileSync(env, `/gone/node\n${entry}\n${mode}\n`);
    const node = join(repo.base, path);
    mkdirSync(dirname(node), { recursive: true });
    writeFileSync(node, `#!/bin/sh\necho ${name} >>"${join(repo.base, "used")}"\nexec "${process.execPath}" "$@"\n`, {
      mode: 0o755,
    });
    const bare = repoAt(repo.dir, repo.base, { HOME: repo.base, PATH: onlyGit(t, repo), UA_HOOKS_FOREGROUND: "1" });
    repo.write({ "src/b.ts": `export function twice(${name}: number): number {\n  return ${name};\n}\n` });
    bare.git("-c", "user.name=A", "-c", "user.email=a@x", "commit", "-qam", name);
    assert.equal(pending(repo), repo.head(), name);
    assert.equal(readFileSync(join(repo.base, "used"), "utf8").trim().split("\n").at(-1), name);
    rmSync(node);
  }
  const { checkInstallation } = await import("../../src/worker/check-installation.js");
  const { locateProject } = await import("../../src/repository/locate.js");
  await checkInstallation(await locateProject({ cwd: repo.dir, env: {} }));
  assert.equal(readFileSync(env, "utf8").split("\n")[0], process.execPath, "the runner writes down what it runs under");
});

/** A PATH as a GUI client has it: git and sh's own few programs, no node. */
function onlyGit(_t: TestContext, repo: Repo): string {
  const dir = join(repo.base, "only-git");
  mkdirSync(dir, { recursive: true });
  for (const name of ["git", "sh", "cat", "rm"]) {
    const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
    if (!existsSync(join(dir, name))) symlinkSync(found, join(dir, name));
  }
  return dir;
}

test("npm's lifecycle: nothing in CI, never a failure, and `npm uninstall` leaves silent hooks", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  const before = snapshot(repo.dir);
  const under = (extra: NodeJS.ProcessEnv, cwd = repo.dir) =>
    run(repo, cli, ["install"], cwd, { ...repo.env, ...extra });
  const skipped = under({ CI: "1", npm_lifecycle_event: "prepare" });
  assert.deepEqual([skipped.status, skipped.stdout], [0, "ua-hooks: nothing installed in CI\n"]);
  assert.deepEqual(snapshot(repo.dir), before);
  const nowhere = under({ npm_lifecycle_event: "prepare" }, repo.base);
  assert.equal(nowhere.status, 0, "a tarball without .git");
  assert.match(nowhere.stderr, /not installed: .*is not in a git repository/);
  assert.equal(under({}, repo.base).status, 3, "typed by hand it is an error");
  repo.git("config", "core.hooksPath", "/somewhere/shared");
  assert.equal(under({ npm_lifecycle_event: "prepare" }).status, 0);
  repo.git("config", "--unset", "core.hooksPath");
  repo.write({ ".gitignore": "node_modules\n" });
  addPackage(join(repo.dir, "node_modules/ua-hooks"));
  assert.equal(run(repo, join(repo.dir, "node_modules/ua-hooks/dist/cli.cjs"), ["install"]).status, 0);
  rmSync(join(repo.dir, "node_modules"), { recursive: true });
  repo.write({ "src/b.ts": "// changed\n" });
  assert.deepEqual(repo.tryGit("commit", "-qam", "x"), { code: 0, stdout: "", stderr: "" });
  assert.deepEqual(repo.tryGit("checkout", "-q", "-b", "other"), { code: 0, stdout: "", stderr: "" });
});

test("a fresh clone of a team's repository says in one line how to switch it on", (t) => {
  const repo = installedRepo(t);
  installInto(repo, "--team", "--yes");
  repo.git("add", "-f", ".gitattributes", ".understand-anything/knowledge-graph.json");
  repo.commit("shared");
  repo.git("clone", "-q", repo.dir, join(repo.base, "clone"));
  const clone = repo.at(join(repo.base, "clone"));
  assert.match(clone.ua("status").stdout, /a shared knowledge graph; run `ua-hooks install` to use it in this clone/);
  assert.match(clone.read(".gitattributes"), /^# `ua-hooks install` enables the merge driver in a new clone/m);
});

test("a repository whose path has a space, quotes, a newline and letters of other alphabets", (t) => {
  for (const name of ["a space", 'it\'s "quoted" $HOME `x`', "new\nline", "zażółć-日本"]) {
    const repo = makeRepo(t, { name });
    startProject(repo);
    mkdirSync(join(repo.dir, ".husky"));
    repo.git("config", "core.hooksPath", ".hooks");
    installInto(repo);
    assert.equal(repo.git("status", "--porcelain"), "", name);
    assert.equal(change(repo, "a"), pending(repo), name);
    repo.git("worktree", "add", "-q", join(repo.base, "linked"));
    assert.equal(repo.uaJson<{ healthy: boolean }>("doctor").healthy, true, name);
    assert.equal(repo.ua("uninstall", "--purge", "--yes").code, 0);
    assert.equal(existsSync(join(repo.dir, ".hooks")), false);
  }
});
