import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { cli, installedRepo, makeRepo, type Repo } from "../support/repo.js";
import { startProject } from "../support/round.js";

/** Moves a file of the project to a place outside and leaves a link to it. */
function linkOut(repo: Repo, path: string, outside: string): void {
  renameSync(join(repo.dir, path), outside);
  symlinkSync(outside, join(repo.dir, path));
}

const THROUGH_NONE = "is a symbolic link: nothing in a work tree is written through one";
const OUTSIDE = "is a symbolic link to a place outside";

function assertRefused(repo: Repo, path: string, commands = ["status", "pending"], why = THROUGH_NONE): void {
  for (const command of commands) {
    const { code, stderr } = repo.ua(command);
    assert.equal(code, 5, `${command}: ${stderr}`);
    assert.ok(stderr.includes(`${join(repo.dir, path)} ${why}`), stderr);
  }
}

function quietChange(repo: Repo): void {
  repo.write({ "src/b.ts": repo.read("src/b.ts").replace("x: number", "x: number, y: number") });
  assert.deepEqual(repo.tryGit("commit", "-qam", "change"), { code: 0, stdout: "", stderr: "" });
}

test("a data dir that leads out of the project is refused: nothing is written there", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  const outside = join(repo.base, "outside");
  mkdirSync(outside);
  symlinkSync(outside, join(repo.dir, ".understand-anything"));
  const { code, stderr } = repo.ua("install");
  assert.equal(code, 5);
  assert.match(stderr, /\.understand-anything is a symbolic link: nothing in a work tree is written through one/);
  assert.deepEqual(readdirSync(outside), []);
  assert.equal(repo.has(".git/ua-hooks"), false, "install stopped before its first write");
});

test("a data dir that becomes a link out is refused by hooks and commands", (t) => {
  const repo = installedRepo(t);
  const outside = join(repo.base, "outside");
  linkOut(repo, ".understand-anything", outside);
  const meta = readFileSync(join(outside, "meta.json"));
  quietChange(repo);
  assertRefused(repo, ".understand-anything");
  assert.deepEqual(readFileSync(join(outside, "meta.json")), meta);
  assert.ok(!readdirSync(outside).includes("pending-update.json"));
});

test("a marker that is a link out is refused, and what it leads to is left alone", (t) => {
  const repo = installedRepo(t);
  const victim = join(repo.base, "victim");
  writeFileSync(victim, "precious");
  symlinkSync(victim, join(repo.dir, ".understand-anything/pending-update.json"));
  quietChange(repo);
  assertRefused(repo, ".understand-anything/pending-update.json");
  assert.equal(readFileSync(victim, "utf8"), "precious");
});

test("an artefact that is a link out is refused", (t) => {
  const repo = installedRepo(t);
  repo.write({ ".understand-anything/config.json": "{}" });
  for (const name of ["knowledge-graph.json", "meta.json", "fingerprints.json", "config.json"]) {
    const path = `.understand-anything/${name}`;
    linkOut(repo, path, join(repo.base, name));
    quietChange(repo);
    assertRefused(repo, path, ["status"]);
    assert.ok(lstatSync(join(repo.dir, path)).isSymbolicLink());
    renameSync(join(repo.base, name), join(repo.dir, path));
  }
  assert.equal(repo.uaJson("status").status, "pending");
});

test("a state database that is a link out is refused", (t) => {
  const repo = installedRepo(t);
  linkOut(repo, ".git/ua-hooks/state.db", join(repo.base, "state.db"));
  quietChange(repo);
  assertRefused(repo, ".git/ua-hooks/state.db", ["status", "pending"], OUTSIDE);
});

test("a .git that anyone can have put above this folder is read with a limit", (t) => {
  const repo = makeRepo(t, { init: false });
  const git = join(repo.dir, ".git");
  const huge = (file: string) => {
    writeFileSync(file, "");
    truncateSync(file, 2 ** 31); // takes no room on the disk
  };
  const gitDir = (commondir: (file: string) => void) => () => {
    mkdirSync(git);
    writeFileSync(join(git, "HEAD"), "ref: refs/heads/main\n");
    commondir(join(git, "commondir"));
  };
  const cases: Record<string, () => void> = {
    "a huge file": () => huge(git),
    "a huge commondir": gitDir(huge),
    "a device as commondir": gitDir((file) => symlinkSync("/dev/zero", file)),
    "a pipe as commondir": gitDir((file) => spawnSync("mkfifo", [file])),
  };
  mkdirSync(join(repo.dir, "sub"));
  for (const [name, make] of Object.entries(cases)) {
    make();
    const options = { cwd: join(repo.dir, "sub"), env: repo.env, encoding: "utf8", timeout: 60_000 } as const;
    const { status, stderr } = spawnSync(process.execPath, [cli, "pending"], options);
    assert.equal(status, 5, name);
    assert.match(stderr, /is not read: it /, name);
    rmSync(git, { recursive: true });
  }
});
