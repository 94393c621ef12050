import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Repo, SMALL_PROJECT } from "../support/repo.js";
import { expectTruth } from "../support/truth.js";
import { bareTwins, type Twins, twins } from "../support/twins.js";

// Our block is a guest in other people's hook files, under any sh that they chose.

const { "src/b.ts": B = "" } = SMALL_PROJECT;
const B_WIDER = B.replace("x: number)", "x: number, y = 1)");
const EVENTS = ["post-commit", "post-checkout", "post-merge", "post-rewrite"];

/** Of those that are here; /bin/sh is one of them by another name, or one more. */
const SHELLS = ["/bin/dash", "/bin/bash", "/bin/busybox sh", "/bin/zsh", "/bin/ksh", "/bin/sh"].filter(
  (shell, at, all) => {
    const program = (name = "") => (existsSync(name.split(" ")[0] ?? "") ? realpathSync(name.split(" ")[0] ?? "") : "");
    return program(shell) !== "" && all.findIndex((other) => program(other) === program(shell)) === at;
  },
);

/** What the others' hook does: says when it ran and with what, reads stdin, and refuses a checkout of files. */
const BEFORE = `echo "before $*" >>../log\n`;
const AFTER = `echo "after $*" >>../log
case $0 in
  *post-rewrite) cat >>../log ;;
  *post-checkout) [ "$3" = 1 ] || exit 3 ;;
esac
`;

function writeHooks(repo: Repo, text: (event: string) => string): void {
  const dir = join(repo.dir, ".git/hooks");
  mkdirSync(dir, { recursive: true });
  for (const event of EVENTS) writeFileSync(join(dir, event), text(event), { mode: 0o755 });
}

function converse({ git, fails, commit }: Twins, round: number): void {
  commit("wider", { "src/b.ts": `${B_WIDER}// ${round}\n` });
  git("commit", "--amend", "-m", "another message");
  git("checkout", "-b", `topic${round}`, "HEAD~1");
  fails("checkout", "--", "src/b.ts");
  git("merge", "main");
}

test("in the middle of a hook that runs under -eu, by each shell that is here", async (t) => {
  const both = twins(t);
  const blocks = new Map(EVENTS.map((event) => [event, blockOf(both.repo, event)]));
  for (const [round, shell] of SHELLS.entries()) {
    await t.test(shell, async () => {
      for (const repo of [both.repo, both.plain]) {
        const block = (event: string) => (repo === both.repo ? blocks.get(event) : "");
        writeHooks(repo, (event) => `#!${shell}\nset -eu\n${BEFORE}${block(event)}${AFTER}`);
      }
      both.git("checkout", "-q", "main");
      converse(both, round);
      const [ours, theirs] = [both.repo, both.plain].map(({ base }) => readFileSync(join(base, "log"), "utf8"));
      assert.equal(ours, theirs, "the others' hooks ran as they do alone, with git's stdin");
      await expectTruth(both.repo, { changed: ["src/b.ts"] });
    });
  }
});

function blockOf(repo: Repo, event: string): string {
  const text = repo.read(`.git/hooks/${event}`);
  return text.slice(text.indexOf("\n") + 1);
}

test("install into hooks that are there, and out again", async (t) => {
  const both = bareTwins(t);
  const { repo, plain } = both;
  const texts: Record<string, string> = {
    "post-commit": `#!/bin/sh -e\n${BEFORE}${AFTER}`,
    "post-checkout": `#!/usr/bin/env bash\nset -euo pipefail\n${AFTER}`,
    "post-merge": `${BEFORE}${AFTER}`, // no shebang: git hands it to sh
    "post-rewrite": `#!/bin/sh\nset -u\n${AFTER}exit 0`, // and no newline at the end
  };
  for (const one of [repo, plain]) writeHooks(one, (event) => texts[event] ?? "");
  assert.equal(repo.ua("install").code, 0);
  converse(both, 1);
  await expectTruth(repo, { changed: ["src/b.ts"] });
  const [ours, theirs] = [repo, plain].map(({ base }) => readFileSync(join(base, "log"), "utf8"));
  assert.equal(ours, theirs);

  const installed = EVENTS.map((event) => repo.read(`.git/hooks/${event}`));
  assert.equal(repo.ua("install").code, 0);
  assert.deepEqual(
    EVENTS.map((event) => repo.read(`.git/hooks/${event}`)),
    installed,
    "a second install changes nothing",
  );
  assert.equal(repo.ua("uninstall").code, 0);
  for (const event of EVENTS) assert.equal(repo.read(`.git/hooks/${event}`), texts[event], "byte for byte");
});

test("git's stdin goes on to those after us: none, one line, more than a pipe holds", (t) => {
  const { repo } = twins(t);
  const pair = (at: number) => `${String(at).padStart(40, "0")} ${String(at).padStart(40, "f")}`;
  const many = Array.from({ length: 2_000 }, (_, at) => `${pair(at)}\n`).join("");
  for (const shell of SHELLS) {
    const block = blockOf(repo, "post-rewrite");
    writeHooks(repo, () => `set -eu\n${block}cat\n`);
    for (const input of ["", `${pair(1)}\n`, `${pair(1)} extra words \\n $HOME\n`, many]) {
      const [command = "", ...args] = [...shell.split(" "), ".git/hooks/post-rewrite", "rebase"];
      const env = { ...repo.env, UA_HOOKS: "0" };
      const { stdout, stderr, status } = spawnSync(command, args, { cwd: repo.dir, env, input, encoding: "utf8" });
      assert.deepEqual({ status, stdout: stdout === input, stderr }, { status: 0, stdout: true, stderr: "" }, shell);
    }
  }
});
