import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commandFor } from "../../src/agents/settings-files.js";
import { META, writeArtefact } from "../../src/knowledge/artefacts.js";
import { withCodeCache } from "../../src/platform/code-cache.js";
import { locateProject } from "../../src/repository/locate.js";
import { openState } from "../../src/store/state.js";
import { getChangedFiles, isStale } from "../../src/verification/graph-freshness.js";
import { hear } from "../support/notification.js";
import { dist, installedRepo, makeRepo, repoAt, start, tempDir } from "../support/repo.js";
import { startProject } from "../support/round.js";
import { setTraps } from "../support/trap.js";

test("a git dir that a checkout put into the work tree is not used as a repository: its state and config are not read", async (t) => {
  const repo = installedRepo(t);
  const traps = setTraps(repo);
  // Somebody else's repository, with knowledge, pending work and a config that names programs, as tracked files of this one.
  const theirs = makeRepo(t, { name: "theirs" });
  startProject(theirs);
  assert.equal(theirs.ua("install").code, 0);
  theirs.commit("pending", { "src/b.ts": "export const evil = 1;\n" });
  theirs.git("config", "core.worktree", "..");
  theirs.git("config", "core.bare", "false");
  theirs.git("config", "core.fsmonitor", traps.program("fsmonitor"));
  const planted = join(repo.dir, "vendor/library");
  mkdirSync(join(repo.dir, "vendor"));
  cpSync(join(theirs.dir, ".git"), planted, { recursive: true });

  await assert.rejects(
    locateProject({ cwd: planted, env: {} }),
    /is inside another repository, whose checkout may have created it/,
  );
  const inside = repo.at(join(planted, "refs"));
  assert.match(inside.ua("status").stderr, /is not in a git repository .*vendor\/library is inside another repository/);
  const input = JSON.stringify({ cwd: planted, hook_event_name: "SessionStart", session_id: "1" });
  assert.equal(
    (await hear(repo, ["claude", "SessionStart"], input)).stdout,
    "",
    "the agent hears of its own project only",
  );
  // The line in an agent's settings looks for its script from where the agent stands.
  writeFileSync(join(planted, "ua-hooks/agent.sh"), `${traps.program("planted")}\n`);
  const [line, own] = [commandFor("claude", "SessionStart"), repo.git("rev-parse", "--absolute-git-dir")];
  spawnSync("sh", ["-c", line], { cwd: planted, env: repo.env, input });
  assert.deepEqual(traps.sprung(), []);
  writeFileSync(join(own, "ua-hooks/agent.sh"), `${traps.program("own")}\n`);
  spawnSync("sh", ["-c", line], { cwd: join(repo.dir, "vendor"), env: repo.env, input });
  assert.deepEqual(traps.sprung(), ["own"], "and finds its own");

  // Named with GIT_DIR it is the one that is meant; but the work tree that it names is another repository's.
  await assert.rejects(locateProject({ cwd: planted, env: { GIT_DIR: planted } }), /no \.git in it leads back/);
  const layout = repo.at(join(repo.base, "layout"));
  mkdirSync(layout.dir);
  layout.git("clone", "-q", "--bare", repo.dir, ".bare");
  layout.write({ ".git": "gitdir: ./.bare\n" });
  layout.git("worktree", "add", "-q", "main-tree", "main");
  assert.equal(
    (await locateProject({ cwd: join(layout.dir, "main-tree"), env: {} })).commonDir,
    join(layout.dir, ".bare"),
  );
  await assert.rejects(
    locateProject({ cwd: join(layout.dir, ".bare"), env: {} }),
    /bare repository: it has no worktree/,
  );
});

test("a state dir that is a link out of the git dir is refused", (t) => {
  const repo = installedRepo(t);
  const outside = join(repo.base, "outside");
  renameSync(join(repo.dir, ".git/ua-hooks"), outside);
  symlinkSync(outside, join(repo.dir, ".git/ua-hooks"));
  repo.write({ "src/b.ts": "export const changed = 1;\n" });
  assert.deepEqual(repo.tryGit("commit", "-qam", "x"), { code: 0, stdout: "", stderr: "" });
  const { code, stderr } = repo.ua("status");
  assert.equal(code, 5);
  assert.match(stderr, /\.git\/ua-hooks is a symbolic link to a place outside/);
});

test("a data dir that is swapped for a link after it was looked at is refused at the write itself", async (t) => {
  const repo = installedRepo(t);
  const project = await locateProject({ cwd: repo.dir, env: {} });
  const outside = join(repo.base, "outside");
  mkdirSync(outside);
  rmSync(project.dataDir, { recursive: true });
  symlinkSync(outside, project.dataDir);
  const db = await openState(project.stateDir);
  t.after(() => db.close());
  assert.throws(() => writeArtefact(db, project, META, {}, { allowTracked: true }), /which is a symbolic link/);
  assert.deepEqual(readdirSync(outside), []);
});

test("compiled code is taken from a folder of our own only", async (t) => {
  const state = tempDir(t);
  const code = join(state, "code");
  mkdirSync(code, { mode: 0o700 });
  const isUsed = async () => {
    const compile = Object.getOwnPropertyDescriptor(process.getBuiltinModule("node:module").prototype, "_compile");
    await withCodeCache(code, "cli", async () => {});
    const now = Object.getOwnPropertyDescriptor(process.getBuiltinModule("node:module").prototype, "_compile");
    return compile?.value !== now?.value;
  };
  if (process.version.startsWith("v20.")) assert.equal(await isUsed(), true);
  for (const mode of [0o720, 0o702, 0o777]) {
    chmodSync(code, mode);
    assert.equal(await isUsed(), false, mode.toString(8));
  }
  chmodSync(code, 0o700);
  for (const mode of [0o720, 0o702, 0o777]) {
    chmodSync(state, mode);
    assert.equal(await isUsed(), false, `others can put another folder there: ${mode.toString(8)}`);
  }
  chmodSync(state, 0o700);
  rmSync(code, { recursive: true });
  const elsewhere = tempDir(t);
  symlinkSync(elsewhere, code);
  assert.equal(await isUsed(), false, "a link");
});

test("no folder for compiled code is made in a place of another user", {
  skip: process.getuid?.() === 0 ? false : "only root can make files of another user",
}, (t) => {
  for (const theirs of [".git/ua-hooks", ".git", "."]) {
    const repo = installedRepo(t);
    const { UA_HOOKS_CODE: _shared, ...env } = repo.env;
    rmSync(join(repo.dir, ".git/ua-hooks/code"), { recursive: true, force: true });
    lchownSync(join(repo.dir, theirs), 54_321, 54_321);
    repoAt(repo.dir, repo.base, env).ua("status");
    assert.equal(repo.has(".git/ua-hooks/code"), false, theirs);
  }
});

test("a commit's name that is an option of git's is no option: from artefacts, flags and the API", (t) => {
  const repo = installedRepo(t);
  const written = join(repo.base, "written");
  const evil = `--output=${written}`;
  for (const ask of [getChangedFiles, isStale]) {
    try {
      ask(repo.dir, evil);
    } catch {
      // refused, which is as good
    }
  }
  for (const name of ["meta.json", "knowledge-graph.json", "fingerprints.json"]) {
    const file = `.understand-anything/${name}`;
    repo.write({ [file]: repo.read(file).replaceAll(/("gitCommitHash": )"[^"]*"/g, `$1${JSON.stringify(evil)}`) });
  }
  repo.commit("judged", { "src/b.ts": "export const changed = 1;\n" });
  repo.ua("status");
  repo.ua("check", "--base", evil);
  repo.ua("check", `--head=${evil}`);
  repo.ua("replay", "--", evil);
  repo.ua("registry", "update-summaries", "--commit", evil);
  assert.equal(existsSync(written), false);
});

test("a branch that tracks files in node_modules replaces what is ignored there, and the hooks run none of it", async (t) => {
  const repo = makeRepo(t);
  repo.write({ ".gitignore": "node_modules\n" });
  startProject(repo);
  const home = join(repo.dir, "node_modules/ua-hooks");
  mkdirSync(join(home, "dist"), { recursive: true });
  for (const part of ["hooks", "templates"]) cpSync(join(dist, "..", part), join(home, part), { recursive: true });
  cpSync(dist, join(home, "dist"), { recursive: true, filter: (path) => !/\/(grammars|types)$/.test(path) });
  symlinkSync(join(dist, "grammars"), join(home, "dist/grammars"));
  symlinkSync(join(dist, "..", "node_modules/@libsql"), join(repo.dir, "node_modules/@libsql"));
  const env = { cwd: repo.dir, env: repo.env };
  const { code, stderr } = await start(process.execPath, [join(home, "dist/cli.cjs"), "install"], env);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  const traps = setTraps(repo);
  // As somebody's branch has it: added by force, so that git takes it for its own.
  const sound = repo.read("node_modules/ua-hooks/dist/hook.cjs");
  repo.git("checkout", "-q", "-b", "theirs");
  repo.write({ "node_modules/ua-hooks/dist/hook.cjs": traps.javascript("checkout") });
  repo.git("add", "-f", "node_modules/ua-hooks/dist/hook.cjs");
  repo.git("commit", "-q", "-m", "another program");
  repo.git("checkout", "-q", "main");
  repo.write({ "node_modules/ua-hooks/dist/hook.cjs": sound });
  repo.git("checkout", "-q", "theirs");
  assert.notEqual(repo.read("node_modules/ua-hooks/dist/hook.cjs"), sound, "git has overwritten it");
  assert.deepEqual(traps.sprung(), []);
  assert.equal(repo.uaJson("status").lastVerifiedSha, repo.head(), "and they work");
});
