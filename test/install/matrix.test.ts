import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { makeRepo, type Repo, repoAt } from "../support/repo.js";
import { startProject } from "../support/round.js";
import { gitsOwn, snapshot } from "../support/tree.js";
import { EVENTS, husky, lefthook, MANAGERS, type Manager, simpleGitHooks, theirs, withManagers } from "./managers.js";

// Each manager, for real, in every order: ours and theirs both hear of every commit, amend, checkout, merge and rebase.

/** Runners would empty the journal: with a program that is not there, it only grows. */
function stopRunners(repo: Repo): void {
  const env = join(repo.dir, ".git/ua-hooks/env");
  const [node, , mode] = readFileSync(env, "utf8").split("\n");
  writeFileSync(env, `${node}\nnowhere.cjs\n${mode}\n`);
}

function project(t: TestContext, manager: Manager): Repo {
  const made = makeRepo(t, { args: ["--template="] });
  const repo = withManagers(repoAt(made.dir, made.base, { ...made.env, UA_HOOKS_FOREGROUND: "0" }));
  startProject(repo);
  repo.commit("their hooks", { "README.md": "x\n", ...manager.files });
  return repo;
}

const ours = (repo: Repo, ...args: string[]) => {
  const { code, stderr } = repo.ua("install", "--no-init", ...args);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  stopRunners(repo);
  commitTracked(repo);
};

/** What was asked for is committed, as a team does: pre-commit runs nothing while its config is not. */
function commitTracked(repo: Repo): void {
  repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-a", "-m", "ua-hooks' lines");
  repo.git("branch", "-f", "other"); // a branch without the lines is one where husky calls nobody
}

interface Heard {
  ours: string[];
  theirs: string[];
  pairs: string;
}

/** Runs git, and tells who heard of it: our journal, their notes, and the pairs that we kept. */
function heard(repo: Repo, ...args: string[]): Heard {
  const state = join(repo.dir, ".git/ua-hooks");
  const pairsDir = join(state, "rewrites");
  const kept = () => (existsSync(pairsDir) ? readdirSync(pairsDir).map((name) => join(pairsDir, name)) : []);
  for (const file of [join(state, "journal"), ...kept()]) rmSync(file, { force: true });
  theirs(repo);
  repo.git(...args);
  const journal = existsSync(join(state, "journal")) ? readFileSync(join(state, "journal"), "utf8") : "";
  const pairs = kept().map((file) => readFileSync(file, "utf8").replace("end\n", "").trim());
  return { ours: journal.split("\n").filter(Boolean), theirs: theirs(repo), pairs: pairs.join("\n") };
}

let round = 0;

/** Every operation; `quick`: ours came through the block, so that it sees stdin, and once each. */
function bothHearAll(repo: Repo, manager: Manager, when: string, stdin = true): void {
  const at = `${manager.name}, ${when}`;
  const file = `file${++round}.txt`;
  const names = (lines: readonly string[]) => [...new Set(lines.map((line) => line.split(" ")[0] ?? ""))].sort();
  const expect = (what: string, events: string[], { ours: mine, theirs: their }: Heard) => {
    assert.deepEqual(names(mine), [...events].sort(), `${at}: ours at ${what}`);
    assert.deepEqual(mine.length, new Set(mine).size, `${at}: ours once each at ${what}`);
    const wanted = events.filter((event) => manager.events.includes(event));
    assert.deepEqual(names(their), wanted.sort(), `${at}: theirs at ${what}`);
  };
  repo.write({ [file]: "x\n" });
  repo.git("add", file);
  expect("commit", ["post-commit"], heard(repo, "commit", "-q", "-m", file));
  const old = repo.head();
  const amended = heard(repo, "commit", "-q", "--amend", "-m", `${file} again`);
  expect("amend", ["post-commit", "post-rewrite"], amended);
  const pair = `${old} ${repo.head()}`;
  if (stdin) assert.equal(amended.pairs, pair, `${at}: stdin reaches ours`);
  if (manager.readsStdin)
    assert.ok(amended.theirs.includes(`post-rewrite amend ${pair}`), `${at}: stdin reaches theirs`);
  expect("checkout", ["post-checkout"], heard(repo, "checkout", "-q", "other"));
  repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", `other ${round}`);
  repo.git("-c", "core.hooksPath=/dev/null", "checkout", "-q", "main");
  repo.git("-c", "core.hooksPath=/dev/null", "branch", "-f", "moving", "main");
  expect("merge", ["post-merge"], heard(repo, "merge", "-q", "-m", "merge", "other"));
  repo.git("-c", "core.hooksPath=/dev/null", "checkout", "-q", "moving");
  const rebased = heard(repo, "rebase", "-q", "other");
  assert.deepEqual(new Set(rebased.ours.map((line) => line.split(" ")[0])).has("post-rewrite"), true, `${at}: rebase`);
  if (manager.events.includes("post-rewrite"))
    assert.ok(
      rebased.theirs.some((line) => line.startsWith("post-rewrite")),
      `${at}: theirs at rebase`,
    );
  repo.git("-c", "core.hooksPath=/dev/null", "checkout", "-q", "main");
  repo.git("-c", "core.hooksPath=/dev/null", "branch", "-q", "-D", "moving");
}

/** Hook files, config and work tree; not what git and the test wrote, nor what managers note down beside. */
function traces(repo: Repo): Record<string, string> {
  return snapshot(
    repo.dir,
    (path) => gitsOwn(path) || /^file\d+\.txt$|^\.git\/info\/lefthook\.checksum$|^\.git\/lfs(\/|$)/.test(path),
  );
}

/** As an earlier version left it: our block, and our line in a command, with other words in them. */
function age(repo: Repo): void {
  const files = [".git/hooks", ".husky"].flatMap((dir) => EVENTS.map((event) => `${dir}/${event}`));
  for (const file of [...files, "lefthook-local.yml", "package.json", ".pre-commit-config.yaml", "prek.toml"]) {
    if (!repo.has(file)) continue;
    const older = repo.read(file).replaceAll("[ -r ", "[ -e ");
    writeFileSync(join(repo.dir, file), older);
  }
}

const warning = (repo: Repo) => repo.uaJson<{ hooks: { warning: string | null } }>("status").hooks.warning;

for (const manager of MANAGERS) {
  const skip = manager.missing ?? false;
  // git-lfs with --force and hk overwrite our files, and have no place in a config for us.
  const lasts = manager.name !== "git-lfs" && manager.name !== "hk";
  const legacyHasStdin = !/^(?:pre-commit|prek)/.test(manager.name);
  test(`${manager.name}: theirs, then ours; their re-install; our upgrade; our uninstall`, { skip }, (t) => {
    const repo = project(t, manager);
    manager.install(repo);
    const before = traces(repo);
    ours(repo, "--yes");
    bothHearAll(repo, manager, "theirs, then ours");
    manager.install(repo);
    if (lasts) bothHearAll(repo, manager, "after their re-install", legacyHasStdin);
    else assert.match(warning(repo) ?? "", new RegExp(`bypassed by ${manager.name}`));
    ours(repo, "--yes");
    age(repo);
    assert.notDeepEqual(traces(repo), before);
    ours(repo, "--yes");
    assert.equal(Object.values(traces(repo)).join().includes("[ -e "), false, "our part is up to date");
    bothHearAll(repo, manager, "after our upgrade");
    manager.install(repo);
    assert.equal(repo.ua("uninstall", "--purge", "--yes").code, 0);
    assert.deepEqual(traces(repo), before);
  });

  test(`${manager.name}: ours, then theirs; our uninstall`, { skip }, (t) => {
    const alone = project(t, manager);
    manager.install(alone);
    const repo = project(t, manager);
    ours(repo, "--yes");
    manager.install(repo);
    if (!lasts) {
      assert.match(warning(repo) ?? "", new RegExp(`bypassed by ${manager.name}`));
      ours(repo);
    }
    assert.equal(warning(repo)?.includes("bypassed") ?? false, false);
    bothHearAll(repo, manager, "ours, then theirs", legacyHasStdin);
    assert.equal(repo.ua("uninstall", "--purge", "--yes").code, 0);
    assert.deepEqual(withSortedConfig(traces(repo)), withSortedConfig(traces(alone)));
  });
}

/** git-lfs writes its keys in another order each time. */
function withSortedConfig(found: Record<string, string>): Record<string, string> {
  return { ...found, ".git/config": found[".git/config"]?.split("\n").sort().join("\n") ?? "" };
}

for (const manager of [husky, simpleGitHooks]) {
  test(`${manager.name}, without a terminal: bypassed, reported, repaired`, { skip: manager.missing ?? false }, (t) => {
    const repo = project(t, manager);
    ours(repo);
    assert.equal(repo.git("status", "--porcelain"), "", "nothing tracked was written");
    manager.install(repo);
    assert.match(warning(repo) ?? "", new RegExp(`bypassed by ${manager.name}`));
    const again = repo.uaJson<{ notes: string[] }>("install", "--no-init");
    assert.match(again.notes.join(), /--yes writes it/);
    ours(repo, "--yes");
    bothHearAll(repo, manager, "put right");
  });
}

test("husky with names to spare: taken without asking, untracked, kept at its re-install", {
  skip: husky.missing ?? false,
}, (t) => {
  const lean = { ...husky, files: { "package.json": "{}\n", ".husky/pre-commit": "true\n" }, events: [] };
  const repo = project(t, lean);
  lean.install(repo);
  const before = traces(repo);
  ours(repo);
  assert.equal(repo.git("status", "--porcelain"), "");
  lean.install(repo);
  bothHearAll(repo, { ...lean, readsStdin: false }, "own files");
  assert.equal(repo.ua("uninstall", "--purge", "--yes").code, 0);
  assert.deepEqual(traces(repo), before);
});

test("lefthook without hooks for our events: plain hook files that it leaves alone and that print nothing", {
  skip: lefthook.missing ?? false,
}, (t) => {
  const lean = { ...lefthook, files: { "lefthook.yml": 'pre-push:\n  jobs:\n    - run: "true"\n' }, events: [] };
  const repo = project(t, lean);
  lean.install(repo);
  const before = traces(repo);
  ours(repo);
  assert.equal(repo.has("lefthook-local.yml"), false);
  lean.install(repo);
  assert.deepEqual(repo.tryGit("commit", "-q", "--allow-empty", "-m", "x"), { code: 0, stdout: "", stderr: "" });
  bothHearAll(repo, { ...lean, readsStdin: false }, "own files");
  assert.equal(repo.ua("uninstall", "--purge", "--yes").code, 0);
  assert.deepEqual(traces(repo), before);
});
