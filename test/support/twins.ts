import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { beginnings, cleanEnv, type Repo, type Result, repoAt, SMALL_PROJECT, tempDir } from "./repo.js";
import { copyCommitted, copyInstalled, keep } from "./template.js";

/**
 * The same git conversation in two repositories, one with our hooks and one that never heard of them. Every command
 * must exit, print and end alike in both: git never notices (invariant "git never notices").
 */
export interface Twins {
  /** The one with hooks. */
  repo: Repo;
  plain: Repo;
  /** Runs git in both; throws where it fails. */
  git(...args: string[]): string;
  /** The same for a git that is expected to fail. */
  fails(...args: string[]): Result;
  write(files: Record<string, string>): void;
  commit(message: string, files?: Record<string, string>): string;
  /** Both, seen from a sibling folder: a clone, a worktree, the upstream. */
  at(name: string): Twins;
  /** For a command that needs it: an editor for `rebase -i`, say. */
  with(env: NodeJS.ProcessEnv): Twins;
  /** With the hooks switched off: how a story got to where it begins. */
  unseen(): Twins;
}

/** The small project, committed in both, and ua-hooks installed in one. */
export function twins(t: TestContext): Twins {
  const { repo, plain } = pairIn(tempDir(t));
  const kept = keep(beginnings, SMALL);
  copyInstalled(kept, repo);
  copyCommitted(kept, plain);
  return talk(repo, plain, makeClock());
}

/** The same with nothing installed yet. */
export function bareTwins(t: TestContext): Twins {
  const { repo, plain } = pairIn(tempDir(t));
  const kept = keep(beginnings, SMALL);
  for (const one of [repo, plain]) copyCommitted(kept, one);
  return talk(repo, plain, makeClock());
}

const SMALL = {
  name: `twins-${process.version}`,
  place: "hooked/repo",
  make: (base: string): Repo => {
    const { repo } = pairIn(base);
    mkdirSync(repo.dir, { recursive: true });
    repo.git("init", "-q");
    repo.commit("start", SMALL_PROJECT);
    return repo;
  },
};

function pairIn(base: string): { repo: Repo; plain: Repo } {
  writeFileSync(join(base, "gitconfig"), GIT_CONFIG);
  // Names of one length: git aligns what it prints about a path.
  const [repo, plain] = ["hooked", "plainy"].map((name) =>
    repoAt(join(base, name, "repo"), join(base, name), cleanEnv(base, dated(START))),
  ) as [Repo, Repo];
  return { repo, plain };
}

const GIT_CONFIG = `[init]
	defaultBranch = main
[commit]
	gpgsign = false
[maintenance]
	auto = false
[core]
	fsync = none
[protocol "file"]
	allow = always
`;

/** Commits made at the same second with the same content have the same name: every step gets a second of its own. */
function makeClock(): () => NodeJS.ProcessEnv {
  let now = START;
  return () => dated(++now);
}

const START = 1_700_000_000;

function dated(second: number): NodeJS.ProcessEnv {
  const at = `${second} +0000`;
  return { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at };
}

function talk(repo: Repo, plain: Repo, clock: () => NodeJS.ProcessEnv): Twins {
  const run = (...args: string[]): Result => {
    const at = clock();
    const [hooked, without] = [repo, plain].map((one) => {
      Object.assign(one.env, at);
      const { code, stdout, stderr } = one.tryGit(...args);
      const neutral = (text: string) => text.replaceAll(one.base, "…");
      return { code, stdout: neutral(stdout), stderr: neutral(stderr) };
    }) as [Result, Result];
    assert.deepEqual(hooked, without, `git ${args.join(" ")}: with our hooks, and without`);
    return hooked;
  };
  const both: Twins = {
    repo,
    plain,
    git: (...args) => {
      const { code, stdout, stderr } = run(...args);
      if (code !== 0) throw new Error(`git ${args.join(" ")} exited ${code}: ${stderr}${stdout}`);
      return stdout.trimEnd();
    },
    fails: (...args) => {
      const result = run(...args);
      assert.notEqual(result.code, 0, `git ${args.join(" ")} was expected to fail`);
      return result;
    },
    write: (files) => {
      for (const one of [repo, plain]) one.write(files);
    },
    commit: (message, files = {}) => {
      both.write(files);
      both.git("add", "-A");
      both.git("commit", "-q", "-m", message);
      return repo.head();
    },
    at: (name) => talk(repo.at(join(repo.base, name)), plain.at(join(plain.base, name)), clock),
    with: (env) => {
      const changed = (one: Repo) => repoAt(one.dir, one.base, { ...one.env, ...env });
      return talk(changed(repo), changed(plain), clock);
    },
    unseen: () => both.with({ UA_HOOKS: "0" }),
  };
  return both;
}
