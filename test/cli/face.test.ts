import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { table } from "../../src/cli/output.js";
import { makeRepo, repoAt, tempDir } from "../support/repo.js";
import { installInto, startProject } from "../support/round.js";

test("`ua-hooks` alone shows the one next step, and after it how things stand", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  const before = repo.ua();
  assert.equal(before.code, 0);
  assert.match(before.stdout, /uninitialized .*run `ua-hooks install`/);
  assert.match(before.stdout, /`ua-hooks replay` shows what it would have saved/);
  installInto(repo);
  const after = repo.ua();
  assert.match(after.stdout, /^Status {4}fresh/);
  assert.match(after.stdout, /`ua-hooks --help` lists the commands/);
});

test("install says what it found, what it did, what happens now, and how to undo it", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  repo.write({ ".husky/pre-commit": "true\n" });
  const { stdout } = repo.ua("install");
  const label = (word: string) => stdout.split("\n").find((line) => line.startsWith(word)) ?? "";
  assert.match(label("Found"), /2 typescript, 1 python of 3 files; husky; no knowledge graph yet$/);
  assert.match(
    label("Hooks"),
    /post-commit, post-merge, post-checkout, post-rewrite in husky's folder and the clone's/,
  );
  assert.match(label("Baseline"), /structural graph of 3 files, no LLM needed/);
  assert.match(label("State"), /fresh, verified at [0-9a-f]{10}/);
  assert.match(stdout, /\.git\/hooks\/post-\{commit,merge,checkout,rewrite\} {2}new hook file/);
  assert.match(label("Now"), /verified in the background; `ua-hooks status`/);
  assert.match(label("Undo"), /`ua-hooks uninstall` removes the hooks, `--purge` what is stored as well/);
  assert.ok(stdout.trimEnd().split("\n").length <= 12, stdout);
});

test("a manager that has no file for our events is not said to have our hooks", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  repo.commit("pre-commit", { ".pre-commit-config.yaml": "repos: []\n" });
  const { places } = repo.uaJson<{ places: string[] }>("install");
  assert.deepEqual(places, ["native"]);
});

test("replay before install shows what would have been saved, and writes nothing", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  repo.commit("comment", { "src/b.ts": `// doubles\n${repo.read("src/b.ts")}` });
  const { code, stdout } = repo.ua("replay");
  assert.equal(code, 0);
  assert.match(stdout, /SKIP +0\/1 +comment/);
  assert.match(
    stdout,
    /50 % of the 2 commits that change source needed no tokens; about [\d,]+ tokens needed, [\d,]+ not spent/,
  );
  assert.match(stdout, /Nothing was written. `ua-hooks install` installs the hooks/);
  assert.equal(repo.has(".git/ua-hooks"), false);
  assert.equal(repo.has(".understand-anything"), false);
});

test("replay counts the commits that change no source, and names the file for the policy that is chosen", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  repo.commit("text only", { "NOTES.txt": "a\n" });
  const { stdout } = repo.ua("replay", "--policies");
  assert.doesNotMatch(stdout, /text only/);
  assert.match(stdout, /^1 commit without a change of source files: SKIP, not listed$/m);
  assert.match(stdout, /^refresh +Ask no model +Tokens +Of whole files +Missed: behaviour +body$/m);
  assert.match(stdout, /^structural +\d+ % +[\d,]+ +\d+ % +\d+ +\d+$/m);
  assert.match(stdout, /^To choose one: .* in \.ua-hooksrc\.json$/m);
});

test("from pending to a described symbol by what each step prints", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  installInto(repo);
  repo.commit("parameter", { "src/b.ts": "export function twice(other: number): number {\n  return other;\n}\n" });
  assert.match(repo.ua("pending").stdout, /^To describe them: `ua-hooks claim`/m);
  const { stdout } = repo.ua("claim");
  assert.match(stdout, /^Lease +[0-9a-f]+, until \d{4}-\d\d-\d\d \d\d:\d\d UTC$/m);
  const [, claim = ""] = /^`ua-hooks (claim --lease [0-9a-f]+ --json)` prints their code/m.exec(stdout) ?? [];
  assert.equal(repo.ua(...claim.split(" ")).code, 0, stdout);
  assert.match(repo.ua("claim").stderr, /if it is yours, `ua-hooks claim --lease [0-9a-f]+`/);
  const [, answer = ""] = /^(\{ "descriptions": \{$[\s\S]*^\} \})$/m.exec(stdout) ?? [];
  const { code, stderr } = repo.ua("apply", "answers.json");
  assert.deepEqual([code, stderr.split("\n")[0]], [2, "ua-hooks: there is no file answers.json"]);
  repo.write({ "answer.json": '{ "descriptions": { "src/b.ts:twice": { "summary": "Doubles." } } }' });
  assert.match(repo.ua("apply", "answer.json").stdout, /not taken: did you mean "function:src\/b\.ts:twice"\?/);
  repo.write({ "answer.json": answer });
  assert.match(repo.ua("apply", "answer.json").stdout, /^\d symbols? described; nothing is pending any more/);
});

test("help names every command once, in groups", (t) => {
  const { stdout } = makeRepo(t).ua("--help");
  assert.match(stdout, /^Every day$[\s\S]*^ {2}install {2,}[\s\S]*^With coding agents$/m);
  const names = [...stdout.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, name]) => name);
  assert.equal(new Set(names).size, names.length);
  assert.ok(
    stdout.split("\n").every((line) => !/^\S/.test(line) || line.length <= 80),
    stdout,
  );
});

test("did you mean: commands, options and verbs", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  installInto(repo);
  const next = (...args: string[]) => {
    const { code, stderr } = repo.ua(...args);
    assert.equal(code, 2, args.join(" "));
    return stderr.trimEnd().split("\n").at(-1)?.trim();
  };
  assert.equal(next("statsu"), "did you mean `ua-hooks status`?");
  assert.equal(next("status", "--jsno"), "did you mean `--json`?");
  assert.equal(next("install", "--manger", "husky"), "did you mean `--manager`?");
  assert.equal(next("record", "lsit"), "did you mean `ua-hooks record list`?");
  assert.equal(next("registry", "verfy"), "did you mean `ua-hooks registry verify`?");
  assert.equal(next("context", "shw"), "did you mean `ua-hooks context show`?");
  assert.equal(next("status", "--wholly-else"), "see `ua-hooks status --help`");
  assert.equal(next("status", "odd"), "see `ua-hooks status --help`");
});

test("with npx, the next command is printed with npx, and after install with the clone's own launcher", (t) => {
  const { dir, base, env, ...repo } = makeRepo(t);
  startProject({ dir, base, env, ...repo });
  const npx = repoAt(dir, base, { ...env, npm_command: "exec" });
  assert.match(npx.ua().stdout, /run `npx ua-hooks install`/);
  assert.match(npx.ua("pending").stderr, /run `npx ua-hooks install`/);
  const launcher = `'${join(dir, ".git/ua-hooks/bin/ua-hooks")}'`;
  const installed = npx.ua("install").stdout;
  assert.ok(installed.includes(`\`${launcher} status\``), installed);
  assert.doesNotMatch(installed + npx.ua().stdout, /npx/);
});

test("pause: events pass by and reads still prove; resume catches up", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  installInto(repo);
  assert.equal(repo.ua("pause").code, 0);
  repo.commit("parameter", { "src/b.ts": "export function twice(other: number): number {\n  return other;\n}\n" });
  assert.equal(repo.marker(), null, "no hook worked");
  assert.equal(repo.has(".git/ua-hooks/journal"), false);
  const { hooks } = repo.uaJson<{ hooks: { paused: string } }>("status");
  assert.match(hooks.paused, /^\d{4}-/);
  assert.match(repo.ua("pause").stdout, /disabled since/);
  assert.match(repo.ua("status").stdout, /disabled since .*`ua-hooks resume` enables them/);
  repo.git("revert", "--no-edit", "HEAD");
  assert.equal(repo.uaJson("pending").state, "none", "a read proves, paused or not");
  repo.git("revert", "--no-edit", "HEAD");
  const { stdout } = repo.ua("resume");
  assert.match(stdout, /enabled again\.\npending: 1 file has structural changes/);
  repo.git("revert", "--no-edit", "HEAD");
  assert.equal(repo.marker(), null, "the hooks are enabled");
  assert.equal(repo.uaJson<{ hooks: { paused: null } }>("status").hooks.paused, null);
});

test("completions are made from the commands, and the shells take them", (t) => {
  const repo = makeRepo(t);
  const ask = (words: string[]) => {
    const line = `eval "$(cat)"; COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); _ua_hooks; echo "\${COMPREPLY[@]}"`;
    return spawnSync("bash", ["-c", line], { input: repo.ua("completions", "bash").stdout, encoding: "utf8" });
  };
  assert.equal(ask(["ua-hooks", "uninst"]).stdout, "uninstall\n");
  assert.match(ask(["ua-hooks", "status", "--"]).stdout, /^--exit-code --json --cwd --help\n$/);
  assert.doesNotMatch(repo.ua("completions", "bash").stdout, /merge-driver/, "what help hides stays hidden");
  for (const shell of ["zsh", "fish"]) {
    const script = repo.ua("completions", shell).stdout;
    assert.match(script, /uninstall/);
    const { error, status, stderr } = spawnSync(shell, ["-n"], { input: script, encoding: "utf8", cwd: tempDir(t) });
    if (error === undefined) assert.equal(status, 0, stderr);
    else t.diagnostic(`${shell} is not here: its script was not checked`);
  }
  assert.equal(repo.ua("completions", "tcsh").code, 2);
});

test("a table on a narrow terminal goes on below its last column", () => {
  const rows = [
    ["Status", "pending  one file has structural changes and another one was deleted"],
    ["HEAD", "0123456789 main"],
  ];
  assert.deepEqual(table(rows, 40), [
    "Status  pending  one file has structural",
    "        changes and another one was",
    "        deleted",
    "HEAD    0123456789 main",
  ]);
  assert.deepEqual(table(rows, 12).length, 2, "with hardly any room the terminal wraps as it likes");
  assert.deepEqual(table([["a", "x".repeat(50)]], 30), [`a  ${"x".repeat(50)}`], "a path stays whole");
  assert.deepEqual(
    table(
      [
        ["\x1b[32mab\x1b[39m", "c"],
        ["abc", "d"],
      ],
      80,
    ),
    ["\x1b[32mab\x1b[39m   c", "abc  d"],
  );
});
