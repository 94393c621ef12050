import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { hear } from "../support/notification.js";
import { makeRepo, type Repo, SMALL_PROJECT } from "../support/repo.js";

/** What husky 9 leaves: tracked hooks without a run bit, and its own untracked folder that starts them. */
function runHusky(repo: Repo): void {
  const events = ["pre-commit", "post-commit", "post-merge", "post-checkout", "post-rewrite"];
  const shim = '#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n';
  const start =
    '#!/usr/bin/env sh\ns=$(dirname "$(dirname "$0")")/$(basename "$0")\n[ ! -f "$s" ] || sh -e "$s" "$@"\n';
  repo.write({
    ".husky/_/.gitignore": "*",
    ".husky/_/h": start,
    ...Object.fromEntries(events.map((event) => [`.husky/_/${event}`, shim])),
  });
  for (const event of events) chmodSync(join(repo.dir, ".husky/_", event), 0o755);
  repo.git("config", "core.hooksPath", ".husky/_");
}

function huskyRepo(t: TestContext): Repo {
  const repo = makeRepo(t);
  runHusky(repo);
  repo.commit("start", { ...SMALL_PROJECT, ".husky/pre-commit": "true\n" });
  assert.equal(repo.ua("install", "--yes").code, 0);
  return repo;
}

function linkedOf(repo: Repo): Repo {
  repo.git("worktree", "add", "-q", join(repo.base, "linked"), "-b", "linked");
  return repo.at(join(repo.base, "linked"));
}

const WIDER = { "src/b.ts": "export function twice(x: number, y: number): number {\n  return x * y;\n}\n" };
const warningOf = (repo: Repo) => repo.uaJson<{ hooks: { warning: string | null } }>("status").hooks.warning;

interface Doctor {
  checks: { name: string; state: string; said: string; next?: string }[];
}

/** Every place that says something about the hooks names the same command, and none sends its reader to install. */
async function assertNamed(repo: Repo, { said, command }: { said: RegExp; command: string }): Promise<void> {
  for (const args of [
    ["install", "--yes"],
    ["doctor", "--fix", "--yes"],
  ])
    assert.equal(repo.ua(...args).code, 0);
  const { stdout: installed } = repo.ua("install", "--yes");
  assert.match(installed, /git does not run the hooks yet/);
  const warning = warningOf(repo) ?? "";
  const input = JSON.stringify({ session_id: command, hook_event_name: "SessionStart", cwd: repo.dir });
  const { stdout: message } = await hear(repo, ["claude", "SessionStart"], input, { cwd: repo.dir });
  for (const text of [installed, warning, message]) assert.ok(text.includes(`\`${command}\``), text);
  assert.match(warning, said);
  assert.doesNotMatch(warning + message, /ua-hooks install|doctor --fix/);
  const { checks } = repo.uaJson<Doctor>("doctor");
  const bad = checks.filter(({ name }) => name === "core.hooksPath" || name.startsWith("post-"));
  assert.deepEqual(
    [...new Set(bad.filter(({ state }) => state !== "ok").map(({ next }) => next))],
    [`run \`${command}\``],
  );
}

const [major = 0, minor = 0] =
  /\d+\.\d+/
    .exec(spawnSync("git", ["version"], { encoding: "utf8" }).stdout)?.[0]
    .split(".")
    .map(Number) ?? [];
const skip = major > 2 || minor >= 54 ? "this git runs config hooks, whatever core.hooksPath says" : false;

test("husky has not run in a linked worktree: it has to run there, and then ours fire", { skip }, async (t) => {
  const linked = linkedOf(huskyRepo(t));
  await assertNamed(linked, {
    said: /core\.hooksPath = \.husky\/_ \(local\) is not in this worktree, where husky has not run.* nor the project's own \(pre-commit\)/,
    command: "npx husky",
  });
  runHusky(linked);
  assert.equal(warningOf(linked), null);
  linked.commit("wider", WIDER);
  assert.ok(existsSync(join(linked.base, "repo/.understand-anything/pending-update.linked.json")));
});

for (const scope of ["local", "worktree"]) {
  test(`${scope}: a path that was resolved against a sub-folder does not exist, and is not created`, {
    skip,
  }, async (t) => {
    const repo = huskyRepo(t);
    repo.git("config", "extensions.worktreeConfig", "true");
    mkdirSync(join(repo.dir, "packages/p"), { recursive: true });
    repo.git("config", `--${scope}`, "core.hooksPath", join(repo.dir, "packages/p/.husky/_"));
    const command = `git config --${scope} core.hooksPath .husky/_`;
    await assertNamed(repo, {
      said: /packages\/p\/\.husky\/_ \(\w+\) does not exist.* nor the project's own \(pre-commit\)/,
      command,
    });
    assert.deepEqual(readdirSync(join(repo.dir, "packages/p")), [], "no folder in a wrong place");
    repo.git(...command.split(" ").slice(1));
    assert.equal(warningOf(repo), null);
  });

  test(`${scope}: a folder of the project under another path, one outside, and git's own`, { skip }, async (t) => {
    const repo = makeRepo(t);
    repo.commit("start", { ...SMALL_PROJECT, ".githooks/pre-push": "#!/bin/sh\n" });
    repo.git("config", "extensions.worktreeConfig", "true");
    const gone = join(repo.base, "gone");
    const set = (path: string) => repo.git("config", `--${scope}`, "core.hooksPath", path);
    set(join(repo.dir, "src/.githooks"));
    await assertNamed(repo, {
      said: /does not exist.*pre-push/,
      command: `git config --${scope} core.hooksPath .githooks`,
    });
    for (const path of [join(gone, "hooks"), join(gone, ".git/hooks")]) {
      set(path);
      await assertNamed(repo, { said: /does not exist/, command: `git config --${scope} --unset core.hooksPath` });
    }
    assert.equal(existsSync(gone), false);
    repo.git("config", `--${scope}`, "--unset", "core.hooksPath");
    assert.equal(warningOf(repo), null);
    repo.commit("wider", WIDER);
    assert.notEqual(repo.marker(), null);
  });
}

test("another folder in place of husky's: doctor names the project's hooks that are off", (t) => {
  const repo = huskyRepo(t);
  for (const folder of [".git/hooks", ".husky"]) {
    repo.git("config", "core.hooksPath", join(repo.dir, folder));
    assert.equal(repo.ua("install", "--yes").code, 0);
    const found = repo.uaJson<Doctor>("doctor").checks.find(({ name }) => name === "core.hooksPath");
    assert.match(found?.said ?? "", /the project's own hooks are off \(pre-commit\)/, folder);
    assert.equal(found?.next, "run `git config --local core.hooksPath .husky/_`");
  }
});

test("uninstall leaves no empty folder: of a linked worktree, of a repair", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", SMALL_PROJECT);
  repo.git("config", "core.hooksPath", ".githooks");
  const linked = linkedOf(repo);
  assert.equal(repo.ua("install", "--yes").code, 0);
  assert.equal(linked.ua("install", "--yes").code, 0);
  repo.write({ ".ua-hooksrc.json": '{ "selfRepair": true }' });
  for (const each of [repo, linked]) {
    rmSync(join(each.dir, ".githooks"), { recursive: true, force: true });
    each.uaJson("status");
  }
  assert.equal(linked.ua("uninstall", "--yes").code, 0);
  for (const each of [repo, linked]) assert.equal(each.has(".githooks"), false);
});
