import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { EVENTS } from "../../src/git/hook-events.js";
import { detectHookEnvironment } from "../../src/hook-managers/environment.js";
import { lefthook } from "../../src/hook-managers/lefthook.js";
import type { HookManager } from "../../src/hook-managers/manager.js";
import { Transaction } from "../../src/hook-managers/plan.js";
import { preCommit } from "../../src/hook-managers/pre-commit.js";
import { prek } from "../../src/hook-managers/prek.js";
import { decisiveFiles } from "../../src/hook-managers/repair.js";
import { simpleGitHooks } from "../../src/hook-managers/simple-git-hooks.js";
import { slotLine } from "../../src/hook-managers/templates.js";
import { checkHooks } from "../../src/hook-managers/watch.js";
import { locateProject } from "../../src/repository/locate.js";
import { installedRepo, makeRepo, type Repo } from "../support/repo.js";
import { installInto } from "../support/round.js";

// What is written into managers' own files: theirs stays byte for byte, and any shell can run ours.

const SHELLS = [["sh"], ["dash"], ["bash"], ["bash", "--posix"], ["busybox", "sh"]];
const isHere = (program: string) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

for (const shell of SHELLS) {
  const skip = isHere(shell[0] ?? "") ? false : `${shell[0]} is not here`;
  test(`our one line in ${shell.join(" ")}, under -eu: the event, its arguments, stdin for the next, silence without us`, {
    skip,
  }, (t) => {
    const repo = installedRepo(t);
    const state = join(repo.dir, ".git/ua-hooks");
    const [node] = readFileSync(join(state, "env"), "utf8").split("\n");
    writeFileSync(join(state, "env"), `${node}\nnowhere.cjs\ndetached\n`);
    const pair = `${"1".repeat(40)} ${"2".repeat(40)}\n`;
    const run = (extra: NodeJS.ProcessEnv = {}) => {
      const line = slotLine(state, "a-manager", "post-rewrite");
      const script = `set -eu\n${line} "$@"\necho "after $*"\ncat\n`;
      const [program = "", ...args] = shell;
      const env = { ...repo.env, UA_HOOKS_FOREGROUND: "0", ...extra };
      return spawnSync(program, [...args, "-c", script, "x", "amend"], {
        cwd: repo.dir,
        env,
        input: pair,
        encoding: "utf8",
      });
    };
    const { status, stdout, stderr } = run();
    assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: `after amend\n${pair}`, stderr: "" });
    assert.equal(readFileSync(join(state, "journal"), "utf8"), "post-rewrite .\n");
    rmSync(join(state, "journal"));
    assert.equal(run({ UA_HOOKS_DONE: `post-rewrite ${repo.dir}` }).stdout, `after amend\n${pair}`);
    assert.equal(existsSync(join(state, "journal")), false, "the hook file around it has told us already");
    assert.equal(repo.ua("uninstall").code, 0);
    assert.deepEqual(run().stdout, `after amend\n${pair}`, "without us it does nothing");
  });
}

async function edit(
  t: TestContext,
  place: HookManager,
  files: Record<string, string>,
): Promise<{ repo: Repo; notes: string[] }> {
  const repo = makeRepo(t);
  repo.write(files);
  const environment = {
    ...(await detectHookEnvironment(await locateProject({ cwd: repo.dir, env: {} }))),
    mayRun: false,
  };
  const work = new Transaction();
  const { steps, notes = [] } = await place.plan(environment, async () => true);
  work.carryOut(steps);
  const again = new Transaction(true);
  again.carryOut((await place.plan(environment, async () => true)).steps);
  assert.deepEqual(again.steps, [], "a second time changes nothing");
  return { repo, notes };
}

async function undone(repo: Repo, place: HookManager, files: Record<string, string>): Promise<void> {
  const environment = await detectHookEnvironment(await locateProject({ cwd: repo.dir, env: {} }));
  new Transaction().carryOut(place.undo(environment));
  for (const [file, text] of Object.entries(files)) assert.equal(repo.read(file), text, file);
}

const LEFTHOOK_FILE = '#!/bin/sh\ncall_lefthook()\n{\n  :\n}\ncall_lefthook run "$0"\n';
const lefthookFiles = (local: string) => ({
  "lefthook.yml": "post-commit:\n  jobs:\n    - run: x\n",
  "lefthook-local.yml": local,
  ...Object.fromEntries(["post-commit", "post-rewrite"].map((event) => [`.git/hooks/${event}`, LEFTHOOK_FILE])),
});

for (const [what, local] of Object.entries({
  "other events": "# mine\npre-push:\n  jobs:\n    - run: x # why\n",
  "a job of its own":
    "post-commit: # mine\n\n  # about it\n  jobs:\n    # and this\n    - name: a\n      run: x\n\npre-push:\n  parallel: true\n",
  "items that are not indented": "post-commit:\n  jobs:\n  - run: x\n",
  "commands in place of jobs": "post-commit:\n    parallel: true\n    commands:\n        a:\n            run: x\n",
  "an event with nothing in it": "post-commit:\npre-push:\n  jobs:\n    - run: x\n",
  "no newline at the end": "pre-push:\n  jobs:\n    - run: x",
  "quotes around a key": '"post-commit":\n  jobs:\n    - run: "a: b"\n',
})) {
  test(`lefthook-local.yml with ${what}: our jobs go in, theirs stay, and all comes out again`, async (t) => {
    const files = lefthookFiles(local);
    const { repo, notes } = await edit(t, lefthook, files);
    assert.deepEqual(notes, []);
    const text = repo.read("lefthook-local.yml");
    for (const event of ["post-commit", "post-rewrite"]) assert.ok(text.includes(`ua_hooks ${event} {0}`), text);
    assert.match(text, /ua_hooks post-rewrite \{0\}\n +use_stdin: true\n/);
    await undone(repo, lefthook, files);
  });
}

for (const [what, local] of Object.entries({
  "a flow map": "post-commit: { jobs: [{ run: x }] }\n",
  "broken YAML": "post-commit:\n  jobs:\n   - a\n  b\n: :\n",
})) {
  test(`lefthook-local.yml as ${what} is left alone, and that is said`, async (t) => {
    const files = lefthookFiles(local);
    const { repo, notes } = await edit(t, lefthook, files);
    assert.match(notes.join(), /lefthook-local\.yml was not changed/);
    assert.equal(repo.read("lefthook-local.yml"), local);
  });
}

for (const [what, text] of Object.entries({
  "items at the margin":
    "# all\nrepos: # here\n\n- repo: https://example.com/x\n  rev: v1\n  hooks:\n  - id: a # why\n",
  "items further in":
    "default_install_hook_types: [pre-commit]\nrepos:\n    # first\n    -   repo: local\n        hooks:\n        -   id: a\nexclude: x\n",
})) {
  test(`.pre-commit-config.yaml with ${what}: our hook goes in, theirs stay, and it comes out again`, async (t) => {
    const files = { ".pre-commit-config.yaml": text, ".git/hooks/post-merge": "# File generated by pre-commit\n" };
    const { repo } = await edit(t, preCommit, files);
    assert.match(repo.read(".pre-commit-config.yaml"), /id: ua-hooks-post-checkout/);
    await undone(repo, preCommit, files);
  });
}

test(".pre-commit-config.yaml with a list on one line is left alone, and that is said", async (t) => {
  const files = {
    ".pre-commit-config.yaml": "repos: []\n",
    ".git/hooks/post-merge": "# File generated by pre-commit\n",
  };
  const { repo, notes } = await edit(t, preCommit, files);
  assert.match(notes.join(), /does not list one repository per line/);
  assert.equal(repo.read(".pre-commit-config.yaml"), "repos: []\n");
});

for (const [what, file, text] of [
  [
    "package.json",
    "package.json",
    '{\n\t"name": "x",\n\t"simple-git-hooks": {\n\t\t"pre-commit": "a \\"b\\" {",\n\t\t"post-merge": "c"\n\t},\n\t"devDependencies": { "simple-git-hooks": "2.0.0" }\n}',
  ],
  ["an empty section", "package.json", '{ "simple-git-hooks": {} }\n'],
  ["a file of its own", ".simple-git-hooks.json", '{"post-commit":"x","preserveUnused":["commit-msg"]}'],
] as const) {
  test(`simple-git-hooks' config in ${what}: our lines go in, theirs stay, and all comes out again`, async (t) => {
    const files = { [file]: text };
    const { repo } = await edit(t, simpleGitHooks, files);
    const read = JSON.parse(repo.read(file)) as Record<string, Record<string, string>>;
    const hooks = (read["simple-git-hooks"] ?? read) as unknown as Record<string, string>;
    for (const event of ["post-commit", "post-merge", "post-checkout", "post-rewrite"])
      assert.ok(hooks[event]?.startsWith("ua_hooks() {"), event);
    await undone(repo, simpleGitHooks, files);
  });
}

test("a formatter that went over simple-git-hooks' config does not keep us from leaving", async (t) => {
  const repo = makeRepo(t);
  const theirs = { "simple-git-hooks": { "commit-msg": "a", "post-commit": "b" } };
  repo.write({ "package.json": `${JSON.stringify(theirs)}\n` });
  installInto(repo, "--no-init", "--yes");
  const read = JSON.parse(repo.read("package.json")) as { "simple-git-hooks": Record<string, string> };
  const sorted = Object.fromEntries(Object.entries(read["simple-git-hooks"]).sort());
  repo.write({ "package.json": `${JSON.stringify({ "simple-git-hooks": sorted }, null, 4)}\n` });
  assert.equal(repo.ua("uninstall").code, 0);
  assert.deepEqual(JSON.parse(repo.read("package.json")), theirs);
});

const isLefthooks = (file: string) => ({
  file,
  hook: "call_lefthook",
  text: (event: string) => `ua_hooks ${event} {0}`,
});

/** Files of a manager that runs our hooks from them, and what its hook files say. */
const HELD = [
  ...["lefthook-local.yml", ".lefthook-local.yaml", ".config/lefthook-local.toml", "lefthook-local.jsonc"].map(
    isLefthooks,
  ),
  {
    file: ".git/hooks/post-commit.legacy",
    hook: "File generated by pre-commit",
    text: () => "ua-hooks/entry.sh",
  },
];

for (const { file, hook, text } of HELD) {
  test(`${file} is watched: once our part is gone from it, that is said without a full check`, async (t) => {
    const repo = installedRepo(t);
    const project = await locateProject({ cwd: repo.dir, env: {} });
    const events = file.includes("post-commit") ? ["post-commit"] : EVENTS;
    for (const event of events) writeFileSync(join(repo.dir, ".git/hooks", event), `#!/bin/sh\n# ${hook}\n`);
    repo.write({ [file]: events.map(text).join("\n") });
    assert.equal((await checkHooks(project)).warning, null);
    repo.write({ [file]: "" });
    assert.match((await checkHooks(project)).warning ?? "", /bypassed by (lefthook|pre-commit)/);
    rmSync(join(repo.dir, file));
    repo.write({ [file]: events.map(text).join("\n") });
    assert.equal((await checkHooks(project)).warning, null);
  });
}

test("every config file of simple-git-hooks, and a user's own git config, are watched", async (t) => {
  const repo = installedRepo(t);
  const environment = await detectHookEnvironment(await locateProject({ cwd: repo.dir, env: {} }));
  const watched = decisiveFiles(environment);
  const endings = ["cjs", "js", "mjs", "json"];
  for (const name of endings.flatMap((ending) => [`.simple-git-hooks.${ending}`, `simple-git-hooks.${ending}`]))
    assert.ok(watched.includes(join(repo.dir, name)), name);
  assert.ok(watched.some((file) => /git\/?config$/.test(file)));
});

const PREK_TYPES = 'default_install_hook_types = ["post-commit"]\n';
for (const [what, text] of Object.entries({
  "a local repository": `${PREK_TYPES}[[repos]] # mine\nrepo = "local"\n\n[[repos.hooks]]\nid = "a"\nname = "a"\nlanguage = "system"\nentry = "true"\n`,
  "Windows' line ends": `# mine\r\n${PREK_TYPES.replace("\n", "\r\n")}`,
})) {
  test(`prek.toml with ${what}: our repository goes to its end, theirs stays, and all comes out again`, async (t) => {
    const files = { "prek.toml": text };
    const { repo, notes } = await edit(t, prek, files);
    assert.match(notes.join(), /^commit .*prek\.toml now/);
    assert.ok(repo.read("prek.toml").startsWith(text));
    for (const event of EVENTS) assert.ok(repo.read("prek.toml").includes(`ua_hooks ${event}`), event);
    await undone(repo, prek, files);
  });
}

for (const [what, end, note] of [
  [
    "with all repositories in one value",
    'repos = [{ repo = "builtin", hooks = [{ id = "check-json" }] }]\n',
    "one value",
  ],
  ["without a line break at its end", "fail_fast = true", "does not end with a line break"],
] as const) {
  test(`prek.toml ${what} is left alone, and that is said`, async (t) => {
    const { repo, notes } = await edit(t, prek, { "prek.toml": PREK_TYPES + end });
    assert.match(notes.join(), new RegExp(`${note}.*: prek's next install removes our hooks`));
    assert.equal(repo.read("prek.toml"), PREK_TYPES + end);
  });
}

test("prek.toml of a project that has no hook for our events is not touched", async (t) => {
  const text = '[[repos]]\nrepo = "builtin"\nhooks = [{ id = "check-json" }]\n';
  const { repo, notes } = await edit(t, prek, { "prek.toml": text });
  assert.deepEqual(notes, []);
  assert.equal(repo.read("prek.toml"), text);
});
