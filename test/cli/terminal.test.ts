import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { cli, installedRepo, makeRepo, type Repo, repoAt, SMALL_PROJECT, start, until } from "../support/repo.js";
import { hasTerminal, onTerminal } from "../support/terminal.js";
import { hold, unseen } from "../support/workers.js";

/** Nothing of ours is left, and git sees no difference. */
function isUntouched(repo: Repo): void {
  assert.equal(repo.has(".git/ua-hooks"), false, "no state");
  assert.equal(repo.has(".git/hooks/post-commit"), false, "no hook");
  assert.equal(repo.git("status", "--porcelain"), "", "no file of ours");
}

test("Ctrl-C in the middle of install: the bar is wiped, nothing is left, 130", async (t) => {
  if (!hasTerminal(t)) return;
  const repo = makeRepo(t);
  const files: Record<string, string> = {};
  const bodies = Array.from({ length: 60 }, (_, n) => `export function f${n}(a: number): number {\n  return a;\n}\n`);
  for (let n = 0; n < 1000; n++) files[`src/f${n}.ts`] = `export const n = ${n};\n${bodies.join("")}`;
  repo.commit("many files", files);
  const bar = /fingerprinting [█░]+ \d+\/1000 {2}\d+\/s {2}\d+ (s|min) left/;
  const { code, seen } = await onTerminal(repo, ["install"], { typing: [{ when: bar, keys: "\x03" }] });
  if (code === 0 && !bar.test(seen)) return t.skip("this machine is done before a bar is drawn");
  assert.match(seen, bar, "a bar with rate and time left");
  assert.equal(code, 130);
  assert.ok(seen.trimEnd().endsWith("\r\x1b[2K"), "the line of the bar is empty again");
  isUntouched(repo);
});

test("Ctrl-C at a question takes everything back; Ctrl-D is a no", async (t) => {
  if (!hasTerminal(t)) return;
  const repo = makeRepo(t);
  repo.commit("shared settings", { ...SMALL_PROJECT, ".claude/settings.json": "{}\n" });
  const question = /Add the agents' entries\?.*\[y\/N\]/s;
  const install = ["install", "--agent", "claude", "--shared"];
  const stopped = await onTerminal(repo, install, { typing: [{ when: question, keys: "\x03" }] });
  assert.equal(stopped.code, 130);
  isUntouched(repo);
  const refused = await onTerminal(repo, install, { typing: [{ when: question, keys: "\x04" }] });
  assert.equal(refused.code, 0);
  assert.equal(repo.read(".claude/settings.json"), "{}\n");
  assert.equal(repo.has(".git/hooks/post-commit"), true);
});

test("a command that takes long says what it does, and its answer begins on an empty line", async (t) => {
  if (!hasTerminal(t)) return;
  const repo = installedRepo(t);
  repo.write({ "../answer.json": '{ "descriptions": {} }' });
  for (const [args, label] of [
    [["claim"], "preparing the packets"],
    [["apply", "../answer.json"], "updating the graph"],
  ] as const) {
    const text = `export function twice(x: number): number {\n  return x; // ${label}\n}\n`;
    unseen(repo).commit(label, { "src/b.ts": text });
    const { fault, reached, letGo } = hold(repo, "verify.saved");
    const env = { ...repo.env, UA_HOOKS_FAULT: fault };
    const other = start(process.execPath, [cli, "status"], { cwd: repo.dir, env });
    await until("another process has the lock", reached);
    const { seen } = await onTerminal(repo, [...args], { typing: [{ when: new RegExp(`${label} …$`), act: letGo }] });
    await other;
    assert.match(seen, new RegExp(`${label} …\\r\\x1b\\[2K`), args[0]);
  }
});

test("on a terminal the next command is named by the shortest path that works there, in a pipe by the whole one", async (t) => {
  if (!hasTerminal(t)) return;
  const repo = installedRepo(t);
  repo.commit("parameter", { "src/b.ts": "export function twice(x: number, y = 2): number {\n  return x * y;\n}\n" });
  const launcher = join(repo.dir, ".git/ua-hooks/bin/ua-hooks");
  const said = async (cwd: string) =>
    (await onTerminal(repo.at(cwd), ["pending"], { program: `'${launcher}'`, columns: 300 })).seen;
  assert.match(await said(repo.dir), /To describe them: `\.git\/ua-hooks\/bin\/ua-hooks claim`/);
  assert.ok((await said(join(repo.dir, "src"))).includes(`'${launcher}' claim`));
  assert.ok(spawnSync(launcher, ["pending"], { cwd: repo.dir, env: repo.env }).stdout.includes(`'${launcher}' claim`));
});

test("on a narrow terminal lines go on below themselves, in colour; a pipe gets whole lines and none", async (t) => {
  if (!hasTerminal(t)) return;
  const repo = installedRepo(t);
  repo.commit("parameter", {
    "src/b.ts": "export function twice(x: number, y: number): number {\n  return x * y;\n}\n",
  });
  const { seen } = await onTerminal(repo, ["status"], { columns: 44 });
  const lines = stripVTControlCharacters(seen).split(/\r?\n/);
  assert.ok(lines.includes("Status    pending  1 file has structural"), seen);
  assert.ok(lines.includes("          changes: 1 modified"), seen);
  assert.ok(seen.includes("\x1b[33mpending\x1b[39m"), "what needs a look is yellow");
  const piped = repoAt(repo.dir, repo.base, { ...repo.env, NO_COLOR: "", TERM: "xterm-256color" });
  for (const args of [["status"], ["pending"], ["check"], ["why", "src/b.ts"], ["replay"], ["log"], ["doctor"]]) {
    const { stdout, stderr } = piped.ua(...args);
    assert.ok(!`${stdout}${stderr}`.includes("\x1b"), `${args.join(" ")} in a pipe`);
  }
});
