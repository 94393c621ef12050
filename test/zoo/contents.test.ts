import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { visit } from "../support/life.js";
import { whileReadOnly } from "../support/mounts.js";
import { installedRepo, makeRepo, type Repo, repoAt, SMALL_PROJECT } from "../support/repo.js";
import { installInto, startProject, wholeRound } from "../support/round.js";

const isLong = process.env.UA_HOOKS_LONG === "1";

/** Kinds of content and config. Every byte that git allows in a name is in test/e2e/odd-names.test.ts. */
visit({
  [isLong ? "100,000 files" : "2,000 files"]: (t) => ({ repo: manyFiles(makeRepo(t), isLong ? 100_000 : 2_000) }),
  "names that differ in case only, core.ignorecase": (t) => {
    const repo = makeRepo(t);
    repo.commit("start", { ...SMALL_PROJECT, "src/Case.ts": "export const a = 1;\n" });
    repo.git("config", "core.ignorecase", "true");
    const blob = repo.git("rev-parse", "HEAD:src/b.ts");
    repo.git("update-index", "--add", "--cacheinfo", `100644,${blob},src/case.ts`);
    repo.git("commit", "-q", "-m", "another case");
    repo.git("checkout", "-q", "-f", "HEAD");
    return { repo };
  },
  "CRLF in the work tree": (t) => {
    const repo = makeRepo(t);
    repo.git("config", "core.safecrlf", "false"); // no warnings of git's own
    repo.commit("start", { ".gitattributes": "* text=auto eol=crlf\n*.py eol=lf\n", ...SMALL_PROJECT });
    rmSync(join(repo.dir, "src"), { recursive: true });
    repo.git("checkout", "-q", "--", ".");
    assert.match(repo.read("src/a.ts"), /\r\n/);
    return { repo };
  },
  "a filter that rewrites every file": (t) => {
    const repo = makeRepo(t);
    repo.git("config", "filter.rot.clean", "tr a-z b-za");
    repo.git("config", "filter.rot.smudge", "tr b-za a-z");
    repo.git("config", "filter.rot.required", "true");
    repo.commit("start", { ".gitattributes": "*.py filter=rot\n", ...SMALL_PROJECT });
    return { repo };
  },
  "ident and encodings": (t) => {
    const repo = makeRepo(t);
    const py = Buffer.from("# $Id$\ndef run(argument):\n    return argument\n", "utf16le");
    const attributes = "*.ts ident\n*.py working-tree-encoding=UTF-16LE\n";
    repo.commit("start", { ...SMALL_PROJECT, ".gitattributes": attributes, "tools/run.py": py });
    return { repo };
  },
  "core.fsmonitor with a program": (t) => {
    const repo = makeRepo(t);
    startProject(repo);
    const program = join(repo.base, "monitor.sh");
    writeFileSync(program, "#!/bin/sh\nprintf 'token\\0/\\0'\n", { mode: 0o755 }); // "anything may have changed"
    repo.git("config", "core.fsmonitor", program);
    repo.git("config", "core.untrackedCache", "true");
    return { repo };
  },
  "split index, index version 4": (t) => {
    const repo = makeRepo(t);
    repo.git("config", "core.splitIndex", "true");
    repo.git("config", "index.version", "4");
    startProject(repo);
    return { repo };
  },
  "core.fileMode off, core.symlinks off, core.quotePath off": (t) => {
    const repo = makeRepo(t);
    for (const key of ["core.fileMode", "core.symlinks", "core.quotePath"]) repo.git("config", key, "false");
    startProject(repo);
    return { repo };
  },
  "a user's config that changes what git prints": (t) => {
    const repo = makeRepo(t);
    const settings = {
      ...{ "color.ui": "always", "core.abbrev": "4", "diff.noprefix": "true", "diff.renames": "copies" },
      ...{ "status.short": "true", "status.branch": "true", "status.showUntrackedFiles": "no", "log.date": "relative" },
      ...{
        "diff.submodule": "log",
        "diff.orderFile": "/nowhere",
        "diff.ignoreSubmodules": "all",
        "log.follow": "true",
      },
      ...{
        "diff.relative": "true",
        "status.relativePaths": "true",
        "log.showRoot": "false",
        "format.pretty": "oneline",
      },
    };
    startProject(repo);
    for (const [key, value] of Object.entries(settings)) {
      if (key !== "diff.orderFile") repo.git("config", key, value);
    }
    return { repo };
  },
});

function manyFiles(repo: Repo, count: number): Repo {
  const files = Object.entries(SMALL_PROJECT);
  const blob = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const lines = [
    "commit refs/heads/main\ncommitter A <a@example.com> 1700000000 +0000\ndata 5\nstart\n",
    ...files.map(([path, text]) => `M 100644 inline ${path}\n${blob(text)}`),
    ...Array.from({ length: count }, (_, at) => `M 100644 inline many/${at % 100}/f${at}.txt\n${blob(`${at}\n`)}`),
  ];
  const { status } = spawnSync("git", ["fast-import", "--quiet"], {
    cwd: repo.dir,
    env: repo.env,
    input: lines.join(""),
  });
  assert.equal(status, 0);
  repo.git("reset", "-q", "--hard", "main");
  return repo;
}

test("zoo: mode changes leave nothing pending; a file that becomes a link is gone, and back again known", (t) => {
  const repo = installedRepo(t);
  const file = join(repo.dir, "src/b.ts");
  chmodSync(file, 0o755);
  repo.commit("mode");
  assert.equal(repo.marker(), null, "a run bit changes no code");
  assert.equal(repo.uaJson("status").lastVerifiedSha, repo.head());
  const text = repo.read("src/b.ts");
  rmSync(file);
  symlinkSync("a.ts", file);
  repo.commit("a link now");
  assert.deepEqual([repo.marker()?.filesToReanalyze, repo.marker()?.deletedFiles], [[], ["src/b.ts"]]);
  rmSync(file);
  mkdirSync(file);
  repo.commit("a folder now", { "src/b.ts/index.ts": "export const inner = 1;\n" });
  assert.deepEqual(
    [repo.marker()?.filesToReanalyze, repo.marker()?.deletedFiles],
    [["src/b.ts/index.ts"], ["src/b.ts"]],
  );
  rmSync(file, { recursive: true });
  repo.commit("a file again", { "src/b.ts": text });
  assert.equal(repo.marker(), null);
  wholeRound(repo, { install: false });
});

test("zoo: a repository that git refuses (safe.directory) is unknown, loudly, and nothing of it runs", (t) => {
  const repo = installedRepo(t);
  repo.commit("pending", { "src/b.ts": "export const changed = 1;\n" });
  repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "unseen");
  // git's own switch for its tests: every repository is somebody else's.
  const others = repoAt(repo.dir, repo.base, { ...repo.env, GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" });
  if (others.tryGit("status").code === 0) return t.skip("this git knows no owners");
  const { stdout } = others.ua("status");
  assert.match(stdout, /unknown .*dubious ownership/);
  assert.equal(others.ua("install").code === 0, false);
  assert.equal(repo.uaJson("status").status, "pending", "and its owner goes on");
});

test("zoo: a repository on a read-only mount answers, and its hooks are silent", async (t) => {
  const made = installedRepo(t);
  const { UA_HOOKS_CODE: _shared, ...env } = made.env; // commands in processes of their own
  const repo = repoAt(made.dir, made.base, env);
  repo.commit("pending", { "src/b.ts": "export const changed = 1;\n" });
  let read: unknown;
  await whileReadOnly(t, repo.dir, () => {
    assert.notEqual(repo.tryGit("commit", "-q", "--allow-empty", "-m", "x").code, 0, "git cannot write either");
    const { estimatedTokens } = repo.uaJson("pending");
    assert.ok(Number(estimatedTokens) > 0, "measured, though it cannot be stored");
    assert.match(repo.ua("status").stdout, new RegExp(`about ${estimatedTokens} tokens`));
    assert.equal(repo.marker()?.estimatedTokens, null);
    const hook = spawnSync("sh", [".git/hooks/post-commit"], { cwd: repo.dir, env: repo.env, encoding: "utf8" });
    assert.deepEqual([hook.status, hook.stdout, hook.stderr], [0, "", ""]);
    const { code, stderr } = repo.ua("install", "--rebuild");
    assert.notEqual(code, 0);
    assert.match(stderr, /read-only/);
    read = estimatedTokens;
  });
  if (read !== undefined)
    assert.equal(repo.uaJson("pending").estimatedTokens, read, "as a reader that can write measures it");
});

test("zoo: unborn, installed, and taken out again before there is any commit", (t) => {
  const repo = makeRepo(t);
  installInto(repo);
  assert.equal(repo.uaJson("registry", "verify").last_verified_sha, null);
  assert.equal(repo.ua("uninstall", "--purge", "--yes").code, 0);
  assert.equal(repo.has(".understand-anything") || repo.has(".git/ua-hooks"), false);
  startProject(repo);
});
