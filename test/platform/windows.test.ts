import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { aliasSteps, unaliasSteps } from "../../src/agents/git-alias.js";
import { commandFor, isOurEntry } from "../../src/agents/settings-files.js";
import { hasMode, renameFile, withSlashes } from "../../src/platform/windows.js";
import { launcherCommand } from "../../src/repository/launcher.js";
import { installedRepo, makeRepo, type Repo, tempDir } from "../support/repo.js";

// What differs on Windows, as far as another system can show it. .github/workflows/ci.yml runs everything there.

const WINDOWS = true;

function failing(code: string, times: number) {
  const calls: string[] = [];
  const rename = (from: string, to: string) => {
    calls.push(`${from} ${to}`);
    if (calls.length <= times) throw Object.assign(new Error(code), { code });
  };
  return { calls, rename };
}

test("a rename over a file that is in use is tried again on Windows only", () => {
  for (const code of ["EPERM", "EBUSY", "EACCES"]) {
    const { calls, rename } = failing(code, 3);
    renameFile("a", "b", { windows: WINDOWS, rename });
    assert.deepEqual(calls, ["a b", "a b", "a b", "a b"]);
    const elsewhere = failing(code, 3);
    assert.throws(() => renameFile("a", "b", { windows: false, rename: elsewhere.rename }), { code });
    assert.equal(elsewhere.calls.length, 1);
  }
});

test("a rename that fails for another reason, or without end, throws", () => {
  const missing = failing("ENOENT", 1);
  assert.throws(() => renameFile("a", "b", { windows: WINDOWS, rename: missing.rename }), { code: "ENOENT" });
  assert.equal(missing.calls.length, 1);
  const forever = failing("EPERM", Number.POSITIVE_INFINITY);
  assert.throws(() => renameFile("a", "b", { windows: WINDOWS, rename: forever.rename }), { code: "EPERM" });
  assert.ok(forever.calls.length > 10);
});

test("paths for sh and for patterns of git have slashes; a backslash elsewhere is a character of a name", () => {
  assert.equal(withSlashes("C:\\Program Files\\nodejs\\node.exe", WINDOWS), "C:/Program Files/nodejs/node.exe");
  assert.equal(withSlashes("a\\b", false), "a\\b");
});

test("messages name the launcher so that sh and PowerShell run it", (t) => {
  const stateDir = join(tempDir(t), "C:\\clone");
  mkdirSync(join(stateDir, "bin"), { recursive: true });
  writeFileSync(join(stateDir, "bin/ua-hooks"), "#!/bin/sh\n", { mode: 0o755 });
  assert.equal(launcherCommand(stateDir, WINDOWS), `sh '${withSlashes(stateDir, WINDOWS)}/bin/ua-hooks'`);
  assert.equal(launcherCommand(stateDir, false), `'${stateDir}/bin/ua-hooks'`);
});

test("mode bits are compared where there are any", () => {
  assert.equal(hasMode({ mode: 0o100666 }, 0o600, WINDOWS), true);
  assert.equal(hasMode({ mode: 0o100666 }, 0o600, false), false);
  assert.equal(hasMode({ mode: 0o100600 }, 0o600, false), true);
});

/** The clone with the alias that install writes on Windows. */
function withAlias(repo: Repo): { file: string; before: string } {
  const file = join(repo.dir, ".git/config");
  const before = readFileSync(file, "latin1");
  for (const { file: target, text } of aliasSteps(join(repo.dir, ".git"))) writeFileSync(target, text ?? "");
  return { file, before };
}

test("an agent's command for Windows needs no shell and no quotes, and answers as the other one", (t) => {
  const repo = installedRepo(t);
  withAlias(repo);
  repo.commit("due", { "src/b.ts": "export const due = 1;\n" });
  const input = (session: string) => JSON.stringify({ session_id: session, cwd: repo.dir });
  const command = commandFor("claude", "SessionStart", WINDOWS);
  assert.doesNotMatch(command, /["'$`\\|&;]/);
  assert.ok(isOurEntry({ command }) && isOurEntry({ powershell: command }));
  const [program = "", ...args] = command.split(" ");
  const options = { cwd: join(repo.dir, "src"), env: repo.env, encoding: "utf8" } as const;
  const windows = spawnSync(program, args, { ...options, input: input("one") });
  const other = spawnSync("sh", ["-c", commandFor("claude", "SessionStart", false)], {
    ...options,
    input: input("two"),
  });
  assert.match(windows.stdout, /src\/b\.ts/);
  assert.deepEqual([windows.stdout, windows.stderr, windows.status], [other.stdout, "", 0]);
});

test("the alias is removed byte for byte, and twice the same", (t) => {
  const repo = makeRepo(t);
  const { file, before } = withAlias(repo);
  const once = readFileSync(file, "latin1");
  assert.notEqual(once, before);
  withAlias(repo);
  assert.equal(readFileSync(file, "latin1"), once);
  const [step] = unaliasSteps(join(repo.dir, ".git"));
  assert.equal(step?.text?.toString("latin1"), before);
});

test("a folder that a checkout made to look like a git dir names no alias", (t) => {
  const repo = installedRepo(t);
  withAlias(repo);
  const trap = join(repo.base, "ran");
  repo.git("init", "-q", "--bare", "planted.git");
  repo.at(join(repo.dir, "planted.git")).git("config", "alias.ua-hooks-agent", `!touch '${trap}'`);
  const [program = "", ...args] = commandFor("claude", "SessionStart", WINDOWS).split(" ");
  spawnSync(program, args, { cwd: join(repo.dir, "planted.git"), env: repo.env, input: "{}" });
  assert.throws(() => readFileSync(trap), { code: "ENOENT" });
});

test("hooks take a node whose path begins with a drive letter", (t) => {
  const base = tempDir(t);
  const repo = installedRepo(t);
  // A folder `C:` below the current one stands for the drive.
  repo.write({ "C:/node": `#!/bin/sh\necho "$@" >>'${base}/started'\n` });
  chmodSync(join(repo.dir, "C:/node"), 0o755);
  const [, ...rest] = repo.read(".git/ua-hooks/env").split("\n");
  repo.write({ ".git/ua-hooks/env": ["C:/node", ...rest].join("\n") });
  repo.git("commit", "-q", "--allow-empty", "-m", "event");
  assert.match(readFileSync(join(base, "started"), "utf8"), /hook\.cjs event post-commit/);
});

test("a hook file with CRLF gets our block after its first line, and is given back byte for byte", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", { "src/a.ts": "export const a = 1;\n" });
  const theirs = "#!/bin/sh\r\n: theirs\r\n";
  repo.write({ ".git/hooks/post-commit": theirs });
  chmodSync(join(repo.dir, ".git/hooks/post-commit"), 0o755);
  assert.equal(repo.ua("install", "--manager", "native").code, 0);
  const text = repo.read(".git/hooks/post-commit");
  assert.ok(text.startsWith("#!/bin/sh\r\n# >>> ua-hooks"), text);
  assert.ok(text.endsWith(": theirs\r\n"));
  assert.equal(repo.ua("uninstall", "--yes").code, 0);
  assert.equal(repo.read(".git/hooks/post-commit"), theirs);
});
