import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { launcherCommand } from "../../src/repository/launcher.js";
import { dist, installedRepo, makeRepo, type Repo, tempDir } from "../support/repo.js";
import { installInto, startProject } from "../support/round.js";
import { setTraps } from "../support/trap.js";

const launcherOf = (dir: string) => join(dir, ".git/ua-hooks/bin/ua-hooks");
const EMPTY = { PATH: "/nowhere" };

function shell(repo: Repo, command: string, extra: NodeJS.ProcessEnv = {}, cwd = repo.dir) {
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", command], {
    ...{ cwd, env: { ...repo.env, ...extra }, encoding: "utf8" as const },
  });
  return { status, stdout, stderr };
}

/** The part of a message that is a command. */
const commandIn = (text: string) => /`([^`]+)`/.exec(text)?.[1] ?? "";

function told(repo: Repo, cwd = repo.dir): string {
  const agent = join(repo.dir, ".git/ua-hooks/agent.sh");
  const input = JSON.stringify({ session_id: "s", cwd });
  const { stdout } = spawnSync("sh", [agent, "claude", "SessionStart"], {
    cwd,
    env: repo.env,
    input,
    encoding: "utf8",
  });
  return (JSON.parse(stdout) as { hookSpecificOutput: { additionalContext: string } }).hookSpecificOutput
    .additionalContext;
}

test("launcher: what an agent is told to run is the clone's own program, not the checkout's", (t) => {
  const repo = makeRepo(t, { name: "it's a project" });
  const traps = setTraps(repo);
  startProject(repo);
  installInto(repo, "--agent", "claude", "--yes");
  repo.commit("theirs", {
    "node_modules/.bin/ua-hooks": `#!/bin/sh\n${traps.program("bin")}\n`,
    "node_modules/ua-hooks/package.json": '{ "name": "ua-hooks", "bin": "x.js" }',
    "node_modules/ua-hooks/x.js": traps.javascript("package"),
    "node_modules/.bin/node": `#!/bin/sh\n${traps.program("node")}\n`,
    "src/b.ts": "export const changed = 1;\n",
  });
  for (const name of ["ua-hooks", "node"]) chmodSync(join(repo.dir, "node_modules/.bin", name), 0o755);
  const command = commandIn(told(repo));
  assert.equal(command, `${launcherCommand(join(repo.dir, ".git/ua-hooks"))} claim --json`);
  const path = { PATH: `node_modules/.bin:${join(repo.dir, "node_modules/.bin")}` };
  writeFileSync(join(repo.base, "evil.cjs"), traps.javascript("node-options"));
  // A claim reads the changed code with git.
  const withGit = { PATH: `${path.PATH}:/usr/bin:/bin` };
  const ran = shell(repo, command, { ...withGit, NODE_OPTIONS: `--require ${join(repo.base, "evil.cjs")}` });
  assert.equal(ran.status, 0, ran.stderr);
  assert.equal(JSON.parse(ran.stdout).filesToReanalyze[0], "src/b.ts");

  writeFileSync(join(repo.dir, ".git/ua-hooks/env"), "/gone/node\nua-hooks/runtime/hook.cjs\ndetached\n");
  assert.match(shell(repo, command, path).stderr, /there is no node/);
  for (const script of ["agent.sh claude SessionStart", "merge.sh a b c d"])
    shell(repo, `. '.git/ua-hooks/${script.replace(" ", "' ")}`, path);
  shell(repo, "sh .git/hooks/post-commit", { ...path, PATH: `${path.PATH}:/bin:/usr/bin`, HOME: "/nowhere" });
  assert.deepEqual(traps.sprung(), []);
});

test("launcher: runs every command by the clone's own copy, from linked worktrees, moved, without node on PATH", (t) => {
  const repo = makeRepo(t, { name: "a b" });
  startProject(repo);
  installInto(repo);
  const launch = (args: string, cwd = repo.dir) => shell(repo, `/bin/sh '${launcherOf(repo.dir)}' ${args}`, EMPTY, cwd);
  assert.equal(statSync(launcherOf(repo.dir)).mode & 0o777, 0o700);
  const runtime = join(repo.dir, ".git/ua-hooks/runtime");
  for (const name of ["cli.cjs", "verify.cjs", "quick.cjs", "program.cjs", "mcp.cjs"])
    assert.ok(existsSync(join(runtime, name)), name);
  assert.match(launch("--version").stdout, /^\d+\.\d+/);
  const git = { PATH: process.env.PATH ?? "" };
  const withGit = (args: string, cwd = repo.dir) => shell(repo, `'${launcherOf(repo.dir)}' ${args}`, git, cwd);
  assert.match(withGit("status").stdout, /^Status +fresh/);
  repo.git("worktree", "add", "-q", "--detach", join(repo.base, "linked tree"));
  const linked = JSON.parse(withGit("status --json", join(repo.base, "linked tree")).stdout) as { worktree: object };
  assert.deepEqual(linked.worktree, { id: "linked-tree", path: join(repo.base, "linked tree"), linked: true });
  assert.equal(withGit("install --rebuild").status, 0);
  assert.match(withGit("doctor").stdout, /ok +version/);
  assert.equal(withGit(`report --out '${join(repo.base, "report.html")}'`).status, 0);
  assert.match(withGit("nothing").stderr, new RegExp(`see \`.*${launcherOf(repo.dir)}.* --help\``));

  const moved = join(repo.base, "moved");
  renameSync(repo.dir, moved);
  const after = shell(repo, `sh .git/ua-hooks/bin/ua-hooks status`, git, moved);
  assert.match(after.stdout, /^Status +fresh/);
  const gone = shell(repo, `'${launcherOf(moved)}' uninstall --yes`, git, moved);
  assert.equal(gone.status, 0, gone.stderr);
  assert.equal(existsSync(launcherOf(moved)), false);
});

test("launcher: where the Node of install is gone, no script takes one from the work tree, also through a link in PATH", (t) => {
  const repo = installedRepo(t);
  const traps = setTraps(repo);
  repo.commit("theirs", { "bin/node": `#!/bin/sh\n${traps.program("node")}\n` });
  chmodSync(join(repo.dir, "bin/node"), 0o755);
  repo.git("worktree", "add", "-q", "--detach", join(repo.base, "linked"));
  symlinkSync(join(repo.dir, "bin"), join(repo.base, "link"));
  const state = join(repo.dir, ".git/ua-hooks");
  const env = readFileSync(join(state, "env"), "utf8");
  for (const name of ["a", "b", "c"]) writeFileSync(join(repo.base, name), "{}");
  const files = ["a", "b", "c"].map((name) => `'${join(repo.base, name)}'`).join(" ");
  const commands = [
    `'${launcherOf(repo.dir)}' --version`,
    `echo {} | sh '${state}/agent.sh' claude SessionStart`,
    `sh '${state}/merge.sh' ${files} .understand-anything/meta.json`,
    "git commit -q --allow-empty -m x",
  ];
  writeFileSync(join(state, "merge.sh"), readFileSync(join(dirname(dist), "hooks/merge.sh")));
  for (const folder of [join(repo.dir, "bin"), join(repo.base, "link")]) {
    for (const command of commands) {
      for (const cwd of [repo.dir, join(repo.base, "linked")]) {
        writeFileSync(join(state, "env"), env.replace(/^.*/, "/gone/node"));
        shell(repo, command, { PATH: `${folder}:${process.env.PATH}`, UA_HOOKS_FOREGROUND: "1" }, cwd);
        assert.deepEqual(traps.sprung(), [], `${command} in ${cwd}`);
      }
    }
  }
});

test("launcher: install refuses to keep a Node that a checkout can replace", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  mkdirSync(join(repo.dir, "node_modules/node/bin"), { recursive: true });
  const own = join(repo.dir, "node_modules/node/bin/node");
  copyFileSync(process.execPath, own, constants.COPYFILE_FICLONE);
  const { status, stderr } = shell(repo, `'${own}' '${join(dist, "cli.cjs")}' install`);
  assert.equal(status, 5, stderr);
  assert.match(stderr, /this Node, .*\/node_modules\/node\/bin\/node, is in the work tree/);
  assert.ok(!existsSync(join(repo.dir, ".git/ua-hooks/env")));
});

test("launcher: where files cannot be executed, it is named with sh; where there is none, not at all", (t) => {
  const stateDir = tempDir(t);
  assert.equal(launcherCommand(stateDir), null);
  mkdirSync(join(stateDir, "bin"));
  writeFileSync(join(stateDir, "bin/ua-hooks"), "", { mode: 0o600 });
  assert.equal(launcherCommand(stateDir), `sh '${stateDir}/bin/ua-hooks'`);
  chmodSync(join(stateDir, "bin/ua-hooks"), 0o700);
  assert.equal(launcherCommand(stateDir), `'${stateDir}/bin/ua-hooks'`);
});

test("launcher: no message, skill, paragraph or notification of ours says npx, but where there is no launcher", (t) => {
  const repo = installedRepo(t);
  assert.equal(repo.ua("install", "--agent", "claude,codex,opencode", "--shared", "--yes").code, 0);
  const files = ["AGENTS.md", ".claude/settings.json", ".codex/hooks.json", ".agents/ua-hooks/opencode.js"];
  const skills = [".claude/skills", ".agents/skills"].map((folder) => `${folder}/ua-hooks-update/SKILL.md`);
  for (const name of [...files, ...skills]) assert.doesNotMatch(repo.read(name), /npx/, name);
  for (const name of [...skills, "AGENTS.md"]) {
    const command = /^sh "\$\(git .*$/m.exec(repo.read(name))?.[0] ?? "";
    assert.match(shell(repo, `${command} status`, { PATH: process.env.PATH ?? "" }).stdout, /^Status /, name);
  }
  const home = dirname(dist);
  const texts = ["hooks", "templates"].flatMap((folder) =>
    readdirSync(join(home, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name)),
  );
  const programs = ["hook", "agent", "cli", "verify", "quick", "program", "mcp"].map((name) =>
    join(dist, `${name}.cjs`),
  );
  for (const file of [...texts, ...programs]) {
    const said = [...readFileSync(file, "utf8").matchAll(/npx ua-hooks( [\w-]+)?/g)].map(([text]) => text);
    assert.deepEqual(
      // What a command prints for a reader who came by npx, the example in its help, and what is left to do after uninstall.
      said.filter((text) => !/\b(cli|quick|program)\.cjs$/.test(file) || !/^npx ua-hooks( (un)?install)?$/.test(text)),
      [],
      file,
    );
  }
});
