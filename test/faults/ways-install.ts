import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { makeRepo, type Repo, SMALL_PROJECT } from "../support/repo.js";
import { assertSound } from "../support/sound.js";
import { gitsOwn, snapshot } from "../support/tree.js";
import type { Place, Way } from "./harness.js";
import { ok, withEnv } from "./world.js";

/** All but what the stories themselves and git write. */
const everything = (repo: Repo) =>
  snapshot(repo.dir, (path) => gitsOwn(path) || /^src\/|\.sample$|^\.git\/theirs$/.test(path));

type Before = Record<string, string>;

function assertSame(repo: Repo, before: Before, what: string): void {
  const now = everything(repo);
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const differing = names.filter((name) => before[name] !== now[name]);
  assert.deepEqual(Object.fromEntries(differing.map((name) => [name, now[name]?.slice(0, 300)])), {}, what);
}

/** With a hook and a setting of somebody else's, which must survive whatever happens. */
function ownRepo(t: Parameters<Way["open"]>[0]): Repo {
  const repo = makeRepo(t);
  repo.commit("start", SMALL_PROJECT);
  repo.write({ ".git/hooks/post-commit": "#!/bin/sh\necho theirs >>.git/theirs\n" });
  chmodSync(join(repo.dir, ".git/hooks/post-commit"), 0o755);
  repo.write({ ".git/info/exclude": "*.log\n.claude/\n", ".claude/settings.local.json": '{\n  "model": "x"\n}\n' });
  return repo;
}

/** A commit that our hooks see, and a verdict that is right: what is installed works. */
async function assertWorks(repo: Repo, what: string): Promise<void> {
  commitChange(repo);
  await assertSound(repo, what);
}

let commits = 0;

function commitChange(repo: Repo): void {
  repo.write({ "src/b.ts": `export function twice(x${++commits}: number): void {}\n` });
  assert.deepEqual(repo.tryGit("commit", "-q", "-a", "-m", "a change"), { code: 0, stdout: "", stderr: "" });
}

const INSTALL = ["install", "--agent", "claude", "--yes"];

/** In a repository of its own; `before` is all that was in it. */
function way(name: string, args: string[], more: (repo: Repo, before: Before) => Omit<Place, "repo" | "act">): Way {
  return {
    name: `ua-hooks ${name}`,
    hits: "command",
    open(t) {
      const repo = ownRepo(t);
      const act = (env: NodeJS.ProcessEnv) => {
        const { stderr, ...rest } = withEnv(repo, env).ua(...args);
        return { ...rest, stderr: stderr.replace(ANNOUNCED, "") };
      };
      return { repo, act, ...more(repo, everything(repo)) };
    },
  };
}

/** What a purge says beforehand. */
const ANNOUNCED = /^These files will be deleted:\n( {2}.*\n)+/;

const purge = (repo: Repo) => ok(repo.ua("uninstall", "--purge", "--yes"), "purged");

export const install = way("install", INSTALL, (repo, before) => ({
  prepare: () => {
    purge(repo);
    assertSame(repo, before, "nothing of an earlier install is left");
  },
  after: async ({ code }, fault) => {
    // A step that failed is taken back with all before it; what a kill left is completed by the next one.
    if (code !== 0 && fault !== "kill") assertSame(repo, before, "a failed install leaves nothing");
    ok(repo.ua(...INSTALL), "again");
    await assertWorks(repo, "after an install");
    assert.ok(repo.read(".git/hooks/post-commit").includes("echo theirs"), "their hook is there");
  },
  judge: async () => {}, // there may be nothing to read yet
}));

const reinstall = way("install, a second time", INSTALL, (repo, before) => {
  ok(repo.ua(...INSTALL), "installed");
  return {
    prepare: () => {
      // As an older version left them.
      for (const name of ["shim.sh", "agent.sh"]) repo.write({ [join(".git/ua-hooks", name)]: "# old\n" });
    },
    after: async () => {
      ok(repo.ua(...INSTALL), "again");
      await assertWorks(repo, "after a second install");
      purge(repo);
      assertSame(repo, before, "and uninstall leaves nothing");
      ok(repo.ua(...INSTALL), "installed again");
    },
    judge: (what) => assertWorks(repo, what),
  };
});

export const uninstall = way("uninstall --purge", ["uninstall", "--purge", "--yes"], (repo, before) => ({
  prepare: () => {
    ok(repo.ua(...INSTALL), "installed");
  },
  after: () => {
    purge(repo);
    assertSame(repo, before, "everything is as it was before the install");
  },
  judge: async () => commitChange(repo), // whatever is left of the hooks says nothing
}));

export const INSTALL_WAYS: readonly Way[] = [install, reinstall, uninstall];
