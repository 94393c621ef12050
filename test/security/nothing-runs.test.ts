import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gitEnv } from "../../src/git/run.js";
import { currentTarget } from "../../src/store/libsql-target.js";
import { installedRepo, makeRepo, type Repo, repoAt } from "../support/repo.js";
import { installInto, startProject } from "../support/round.js";
import { setTraps, type Traps } from "../support/trap.js";

/** Every program that a git config can name, for attributes that come with the code. */
function configureAll(repo: Repo, { program }: Traps): void {
  const settings: Record<string, string> = {
    "filter.evil.clean": program("clean", true),
    "filter.evil.smudge": program("smudge", true),
    "diff.evil.textconv": program("textconv"),
    "diff.evil.command": program("diff-driver"),
    "diff.external": program("diff-external"),
    "merge.evil.driver": program("merge-driver"),
    "core.fsmonitor": program("fsmonitor"),
    "core.pager": program("pager"),
    "pager.status": program("pager-status"),
    "pager.log": program("pager-log"),
    "core.editor": program("editor"),
    "core.askPass": program("askpass"),
    "core.sshCommand": program("ssh"),
    "core.gitProxy": program("proxy"),
    "core.alternateRefsCommand": program("alternates"),
    "credential.helper": `!${program("credential")}`,
    "gpg.program": program("gpg"),
    "log.showSignature": "true",
    "interactive.diffFilter": program("diff-filter"),
    "sequence.editor": program("sequence"),
    "uploadpack.packObjectsHook": program("pack-objects"),
    "alias.diff": `!${program("alias-diff")}`,
    "alias.hash-object": `!${program("alias-hash")}`,
    "trailer.evil.command": program("trailer"),
  };
  for (const [key, value] of Object.entries(settings)) repo.git("config", key, value);
}

const hostileEnv = ({ program }: Traps): NodeJS.ProcessEnv => ({
  GIT_EXTERNAL_DIFF: program("env-diff"),
  GIT_SSH: program("env-ssh"),
  GIT_SSH_COMMAND: program("env-ssh-command"),
  GIT_PAGER: program("env-pager"),
  PAGER: program("env-pager2"),
  GIT_EDITOR: program("env-editor"),
  GIT_ASKPASS: program("env-askpass"),
  GIT_PROXY_COMMAND: program("env-proxy"),
});

/** A repository where everything is a trap but our hooks, and a commit that they have not seen. */
function trapped(t: TestContext): { repo: Repo; traps: Traps; hostile: Repo } {
  const repo = makeRepo(t);
  const traps = setTraps(repo);
  repo.write({ ".gitattributes": "*.ts filter=evil diff=evil merge=evil\n" });
  startProject(repo);
  const library = repo.at(join(repo.base, "library"));
  mkdirSync(library.dir);
  library.git("init", "-q");
  startProject(library);
  repo.git("submodule", "--quiet", "add", library.dir, "sub");
  repo.commit("submodule");
  installInto(repo);
  const hooks = join(repo.base, "their-hooks");
  mkdirSync(hooks);
  for (const name of ["post-checkout", "post-index-change", "fsmonitor-watchman", "pre-auto-gc"]) {
    writeFileSync(join(hooks, name), `#!/bin/sh\n${traps.program(`hook-${name}`)}\n`, { mode: 0o755 });
  }
  const sub = repo.at(join(repo.dir, "sub"));
  configureAll(sub, traps);
  sub.git("config", "core.hooksPath", hooks);
  sub.write({ "src/a.ts": "// dirty\n" });
  configureAll(repo, traps);
  const quiet = repoAt(repo.dir, repo.base, { ...repo.env, UA_HOOKS: "0" });
  repo.write({ "src/b.ts": "export function twice(x: number, by: number): number {\n  return x * by;\n}\n" });
  quiet.git("commit", "-q", "-am", "unseen");
  repo.git("update-index", "-q", "--refresh");
  traps.sprung();
  return { repo, traps, hostile: repoAt(repo.dir, repo.base, { ...repo.env, ...hostileEnv(traps) }) };
}

test("a hook of ours starts no program that a config, an attribute or the caller names", (t) => {
  const { repo, traps, hostile } = trapped(t);
  // As git would run it, but not by git: what git itself starts at a commit is its own affair.
  for (const event of ["post-commit", "post-merge", "post-checkout"]) {
    const args = event === "post-checkout" ? ["0", "1", "1"] : [];
    const ran = spawnSync("sh", [join(repo.dir, ".git/hooks", event), ...args], { cwd: repo.dir, env: hostile.env });
    assert.deepEqual([ran.status, String(ran.stdout), String(ran.stderr)], [0, "", ""], event);
  }
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"], "and it did its work");
  assert.deepEqual(traps.sprung(), []);
});

test("a command that reports uncommitted files goes through the user's clean filter, as git status does, and no further", (t) => {
  const { repo, traps, hostile } = trapped(t);
  for (const args of [["check"], ["replay", "--last", "2"]]) hostile.uaJson(...args);
  assert.deepEqual(traps.sprung(), [], "commits are not filtered");
  repo.write({ "src/a.ts": `// edited\n${repo.read("src/a.ts")}` });
  const commands = [
    ["status"],
    ["why", "src/b.ts"],
    ["verify"],
    ["registry", "verify"],
    ["record", "add", "It doubles", "--type", "decision", "--subject", "src/a.ts"],
    ["record", "relevant", "src/a.ts"],
  ];
  for (const args of commands) assert.equal(hostile.ua(...args).code, 0, args.join(" "));
  assert.deepEqual(traps.sprung(), ["clean"]);
});

test("no git call of ours reaches for a remote, whatever git is: not even for a blob that a partial clone lacks", (t) => {
  const remote = makeRepo(t, { name: "remote" });
  const traps = setTraps(remote);
  startProject(remote);
  remote.commit("more", { "src/b.ts": "// more\n" });
  remote.git("config", "uploadpack.allowFilter", "true");
  const clone = remote.at(join(remote.base, "clone"));
  remote.git("clone", "-q", "--filter=blob:none", `file://${remote.dir}`, clone.dir);
  const old = clone.git("rev-parse", "HEAD~1:src/b.ts");
  clone.git("config", "remote.origin.url", `ext::${traps.program("ext")}`);
  clone.git("config", "protocol.ext.allow", "always");
  // A git that does not know GIT_NO_LAZY_FETCH is one without it.
  const { GIT_NO_LAZY_FETCH: _unknown, ...env } = gitEnv();
  const ask = (extra: NodeJS.ProcessEnv) =>
    spawnSync("git", ["cat-file", "blob", old], { cwd: clone.dir, env: { ...env, ...extra } });
  assert.notEqual(ask({}).status, 0);
  assert.deepEqual(traps.sprung(), []);
  ask({ GIT_ALLOW_PROTOCOL: "ext" });
  assert.deepEqual(traps.sprung(), ["ext"], "the trap works");
  installInto(clone);
  clone.commit("change", { "src/a.ts": "export const a = 1;\n" });
  assert.equal(clone.ua("status").code, 0);
  assert.deepEqual(traps.sprung(), []);
});

test("NODE_OPTIONS, certificates and coverage of the caller reach neither hook nor agent nor merge driver", (t) => {
  const repo = installedRepo(t);
  const traps = setTraps(repo);
  const evil = join(repo.base, "evil.cjs");
  writeFileSync(evil, traps.javascript("node-options"));
  const coverage = join(repo.base, "coverage");
  const options = { NODE_OPTIONS: `--require ${evil}`, NODE_EXTRA_CA_CERTS: "/nowhere", NODE_PATH: repo.base };
  const env = { ...repo.env, ...options, NODE_V8_COVERAGE: coverage };
  const hostile = repoAt(repo.dir, repo.base, env);
  hostile.write({ "src/b.ts": "export const changed = 1;\n" });
  assert.deepEqual(hostile.tryGit("commit", "-qam", "x"), { code: 0, stdout: "", stderr: "" });
  assert.equal(repo.marker()?.head.commit, repo.head());
  const state = join(repo.dir, ".git/ua-hooks");
  const heard = spawnSync("sh", [join(state, "agent.sh"), "claude", "SessionStart"], {
    cwd: repo.dir,
    env,
    input: "{}",
  });
  assert.match(String(heard.stdout), /additionalContext/);
  installInto(repo, "--team", "--yes");
  for (const name of ["a", "b", "c"]) repo.write({ [`../${name}.json`]: "{}" });
  const files = ["a", "b", "c"].map((name) => join(repo.base, `${name}.json`));
  spawnSync("sh", [join(state, "merge.sh"), ...files, ".understand-anything/meta.json"], { cwd: repo.dir, env });
  assert.deepEqual(traps.sprung(), []);
  assert.ok(!existsSync(coverage), "the coverage of a test that commits has no lines of ours");
});

test("install and its dry run start no program of the checkout, wherever they look for one", (t) => {
  const repo = makeRepo(t);
  const traps = setTraps(repo);
  startProject(repo);
  const script = (name: string) => `#!/bin/sh\n${traps.program(name)}\n`;
  repo.commit("theirs", {
    "lefthook.yml": 'post-commit:\n  jobs:\n    - run: "true"\n',
    "node_modules/.bin/lefthook": script("dependency"),
    "node_modules/.bin/git": script("git"),
    "bin/lefthook": script("path"),
    "bin/git": script("git in bin"),
    "tools/lefthook": script("variable"),
  });
  const programs = ["node_modules/.bin/lefthook", "node_modules/.bin/git", "bin/lefthook", "bin/git", "tools/lefthook"];
  for (const name of programs) chmodSync(join(repo.dir, name), 0o755);
  const inside = [join(repo.dir, "node_modules/.bin"), join(repo.dir, "bin"), "bin", ".", ""];
  const paths = { PATH: [...inside, repo.env.PATH ?? ""].join(":") };
  for (const LEFTHOOK_BIN of ["", "tools/lefthook", join(repo.dir, "tools/lefthook")]) {
    const hostile = repoAt(repo.dir, repo.base, { ...repo.env, ...paths, LEFTHOOK_BIN });
    for (const args of [["--dry-run"], [], ["--yes"]]) assert.equal(hostile.ua("install", ...args).code, 0);
    for (const name of ["status", "doctor"]) hostile.ua(name);
    assert.deepEqual(traps.sprung(), [], LEFTHOOK_BIN);
  }
});

test("install starts the lefthook that a package manager put into an untracked node_modules", (t) => {
  const repo = makeRepo(t);
  const traps = setTraps(repo);
  startProject(repo);
  repo.commit("theirs", {
    "lefthook.yml": 'post-commit:\n  jobs:\n    - run: "true"\n',
    ".gitignore": "node_modules\n",
  });
  repo.write({ "node_modules/.bin/lefthook": `#!/bin/sh\n${traps.program("lefthook")}\n` });
  chmodSync(join(repo.dir, "node_modules/.bin/lefthook"), 0o755);
  assert.equal(repo.ua("install", "--dry-run").code, 0);
  assert.notDeepEqual(traps.sprung(), []);
});

test("a clone's copy of the program that lacks SQLite's binary takes none from the checkout", (t) => {
  const repo = installedRepo(t);
  const traps = setTraps(repo);
  const native = `node_modules/@libsql/${currentTarget()}`;
  rmSync(join(repo.dir, ".git/ua-hooks/runtime/node_modules"), { recursive: true, force: true });
  const libsql = repoAt(repo.dir, repo.base, { ...repo.env, UA_HOOKS_SQLITE: "libsql" });
  const files = {
    [`${native}/package.json`]: '{ "main": "index.js" }',
    [`${native}/index.js`]: traps.javascript("native"),
  };
  libsql.commit("theirs", { ...files, "src/b.ts": "export const changed = 1;\n" });
  const launcher = join(repo.dir, ".git/ua-hooks/bin/ua-hooks");
  for (const args of [["status"], ["install"], ["pending"]])
    spawnSync("sh", [launcher, ...args], { cwd: repo.dir, env: libsql.env });
  assert.deepEqual(traps.sprung(), []);
});
