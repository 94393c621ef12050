import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { makeRepo, type Repo, repoAt } from "../support/repo.js";
import { startProject } from "../support/round.js";
import { gitsOwn, snapshot } from "../support/tree.js";

// git 2.54 and later: hooks that git's own config names. UA_HOOKS_TEST_GIT names such a git where PATH has an older one.

const EVENTS = ["post-commit", "post-merge", "post-checkout", "post-rewrite"];

function newGit(): string | null {
  const found =
    process.env.UA_HOOKS_TEST_GIT ?? spawnSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).stdout.trim();
  const { stdout } = spawnSync(found, ["--version"], { encoding: "utf8" });
  const [, major, minor] = /(\d+)\.(\d+)/.exec(stdout ?? "") ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 54) ? found : null;
}

const git = newGit();
const skip = git === null ? "no git 2.54 or later here (UA_HOOKS_TEST_GIT=/path/to/git)" : false;

/** The same repository by way of that git. */
function modern(t: TestContext, repo = makeRepo(t)): Repo {
  const bin = join(repo.base, "new-git");
  mkdirSync(bin, { recursive: true });
  if (!existsSync(join(bin, "git"))) symlinkSync(git ?? "", join(bin, "git"));
  return repoAt(repo.dir, repo.base, { ...repo.env, PATH: `${bin}:${process.env.PATH}`, UA_HOOKS_FOREGROUND: "0" });
}

const journal = (repo: Repo) => {
  const file = join(repo.dir, ".git/ua-hooks/journal");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  rmSync(file, { force: true });
  return lines;
};

const pairs = (repo: Repo) => {
  const dir = join(repo.dir, ".git/ua-hooks/rewrites");
  const texts = readdirSync(dir).map((name) => readFileSync(join(dir, name), "utf8"));
  for (const name of readdirSync(dir)) rmSync(join(dir, name));
  return texts.join("");
};

/** A program that is not there: the journal only grows. */
function stopRunners(repo: Repo): void {
  const [node, , mode] = repo.read(".git/ua-hooks/env").split("\n");
  repo.write({ ".git/ua-hooks/env": `${node}\nnowhere.cjs\n${mode}\n` });
}

const WRITTEN = (event: string) =>
  `[hook "ua-hooks-${event}"]\n\tevent = ${event}\n\tcommand = "ua_hooks() { ua_common=\${GIT_DIR:-.git}; ` +
  'if [ ! -d \\"$ua_common\\" ] || [ -f \\"$ua_common/commondir\\" ]; then ua_common=$(git rev-parse --git-common-dir ' +
  '2>/dev/null) || :; fi; if [ -r \\"$ua_common/ua-hooks/entry.sh\\" ]; then ua_slot=config; . \\"$ua_common/ua-hooks/entry.sh\\"; ' +
  `fi; }; ua_hooks ${event}"\n`;

test("the exact config that is written, readable by any git, and gone again", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  const before = snapshot(repo.dir, gitsOwn);
  assert.equal(repo.ua("install", "--no-init", "--manager", "config").code, 0);
  const block = `# >>> ua-hooks hooks >>>\n${EVENTS.map(WRITTEN).join("")}# <<< ua-hooks hooks <<<\n`;
  assert.ok(repo.read(".git/config").endsWith(block));
  for (const event of EVENTS) {
    assert.equal(repo.git("config", `hook.ua-hooks-${event}.event`), event);
    assert.match(repo.git("config", `hook.ua-hooks-${event}.command`), new RegExp(`; ua_hooks ${event}$`));
  }
  assert.equal(repo.ua("uninstall", "--purge").code, 0);
  assert.deepEqual(snapshot(repo.dir, gitsOwn), before);
});

test("each event once, though the hook file is there too; stdin reaches both; no manager can send git elsewhere", {
  skip,
}, (t) => {
  const repo = modern(t);
  startProject(repo);
  const { places } = repo.uaJson<{ places: string[] }>("install", "--no-init");
  assert.deepEqual(places, ["config", "native"]);
  stopRunners(repo);
  for (const hooksPath of [null, "/nowhere"]) {
    if (hooksPath !== null) repo.git("config", "core.hooksPath", hooksPath);
    repo.git("commit", "-q", "--allow-empty", "-m", "x");
    assert.deepEqual(journal(repo), ["post-commit ."], `core.hooksPath ${hooksPath}`);
    const old = repo.head();
    repo.git("commit", "-q", "--amend", "--allow-empty", "-m", "y");
    assert.deepEqual(journal(repo), ["post-commit .", "post-rewrite ."]);
    assert.equal(pairs(repo), `${old} ${repo.head()}\nend\n`);
    repo.git("checkout", "-q", "-B", "topic", "HEAD~1");
    assert.deepEqual(journal(repo), ["post-checkout ."]);
    repo.git("merge", "-q", "main");
    assert.deepEqual(journal(repo), ["post-merge ."]);
    repo.git("checkout", "-q", "main");
    journal(repo);
  }
  const start = repo.head();
  for (const name of ["one", "two"]) repo.commit(name, { [name]: "x\n" });
  repo.git("checkout", "-q", "-B", "picked", start);
  repo.commit("another", { another: "x\n" });
  journal(repo);
  repo.git("cherry-pick", `${start}..main`); // one git process, two events
  assert.deepEqual(journal(repo), ["post-commit .", "post-commit ."]);
});

test("an older git beside it runs the hook file; a worktree and a moved repository are found", { skip }, (t) => {
  const old = makeRepo(t);
  const repo = modern(t, old);
  startProject(repo);
  assert.equal(repo.ua("install", "--no-init").code, 0);
  stopRunners(repo);
  repo.git("commit", "-q", "--allow-empty", "-m", "by the new one");
  assert.deepEqual(journal(repo), ["post-commit ."]);
  repoAt(old.dir, old.base, { ...old.env, UA_HOOKS_FOREGROUND: "0" }).git(
    "commit",
    "-q",
    "--allow-empty",
    "-m",
    "by the old one",
  );
  assert.deepEqual(journal(repo), ["post-commit ."]);
  repo.git("worktree", "add", "-q", join(repo.base, "linked"), "-b", "linked");
  assert.deepEqual(journal(repo), ["post-checkout linked"]);
  modern(t, repo.at(join(repo.base, "linked"))).git("commit", "-q", "--allow-empty", "-m", "there");
  assert.deepEqual(journal(repo), ["post-commit linked"]);
  renameSync(repo.dir, join(repo.base, "moved"));
  const moved = repo.at(join(repo.base, "moved"));
  moved.git("commit", "-q", "--allow-empty", "-m", "moved");
  assert.deepEqual(journal(moved), ["post-commit ."]);
});

test("where the target is gone git notices nothing, and foreign hook files are left alone", { skip }, (t) => {
  const repo = modern(t);
  startProject(repo);
  repo.write({ ".git/hooks/post-checkout": "#!/bin/sh\n: theirs\n" });
  spawnSync("chmod", ["+x", join(repo.dir, ".git/hooks/post-checkout")]);
  assert.equal(repo.ua("install", "--no-init").code, 0);
  assert.equal(repo.read(".git/hooks/post-checkout"), "#!/bin/sh\n: theirs\n");
  stopRunners(repo);
  repo.git("checkout", "-q", "--detach", "HEAD");
  repo.git("commit", "-q", "--allow-empty", "-m", "x");
  journal(repo);
  repo.git("checkout", "-q", "main");
  assert.deepEqual(journal(repo), ["post-checkout ."]);
  renameSync(join(repo.dir, ".git/ua-hooks"), join(repo.base, "away"));
  assert.deepEqual(repo.tryGit("checkout", "-q", "-b", "other"), { code: 0, stdout: "", stderr: "" });
  assert.deepEqual(repo.tryGit("commit", "-q", "--allow-empty", "-m", "y"), { code: 0, stdout: "", stderr: "" });
});

/** As with git 2.55, as far as its version and its config tell; its hooks are those of the git here. */
function saidToBeModern(t: TestContext): Repo {
  const repo = makeRepo(t);
  const bin = join(repo.base, "said-to-be-new");
  const real = spawnSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).stdout.trim();
  mkdirSync(bin);
  const script = `#!/bin/sh\ncase "$*" in version | *" version") echo git version 2.55.0 ;; *) exec "${real}" "$@" ;; esac\n`;
  writeFileSync(join(bin, "git"), script, { mode: 0o755 });
  return repoAt(repo.dir, repo.base, { ...repo.env, PATH: `${bin}:${process.env.PATH}` });
}

interface Doctor {
  checks: { name: string; state: string; said: string; next?: string }[];
}

for (const [what, key] of [
  ["one hook", "hook.ua-hooks-post-commit.enabled"],
  ["an event", "hook.post-commit.enabled"],
]) {
  test(`git's config switches ${what} off: status and doctor name the key and the command`, (t) => {
    const repo = saidToBeModern(t);
    startProject(repo);
    repo.write({ ".git/hooks/post-commit": "#!/bin/sh\nexit 0\n" });
    spawnSync("chmod", ["+x", join(repo.dir, ".git/hooks/post-commit")]);
    assert.equal(repo.ua("install", "--yes", "--no-init").code, 0);
    const warning = () => repo.uaJson<{ hooks: { warning: string | null } }>("status").hooks.warning;
    const about = () => {
      const { stdout } = repo.ua("doctor", "--json");
      return (JSON.parse(stdout) as Doctor).checks.filter(({ name }) => name === "config hooks");
    };
    assert.equal(warning(), null);
    assert.deepEqual(
      about().map(({ state }) => state),
      ["ok"],
    );
    repo.git("config", String(key), "off");
    const mend = `git config --local --unset-all ${key}`;
    assert.equal(warning(), `post-commit bypassed by ${key} = false (local, .git/config): ${mend}`);
    const [found] = about();
    assert.deepEqual([found?.state, found?.next], ["warning", mend]);
    repo.git("config", "--add", String(key), "true");
    assert.equal(warning(), null, "the last value counts");
    repo.git("config", "--unset-all", String(key));
    assert.equal(warning(), null);
  });
}
