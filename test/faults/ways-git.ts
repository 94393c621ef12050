import assert from "node:assert/strict";
import { join } from "node:path";
import { locateProject } from "../../src/repository/locate.js";
import { analysisOf, applyTo } from "../support/agent.js";
import { Clean } from "../support/clean.js";
import { hear } from "../support/notification.js";
import { dist, installedRepo, type Result, start, until } from "../support/repo.js";
import { Round } from "../support/rounds.js";
import { assertSound, withState } from "../support/sound.js";
import { detached, detachedRepo, hold, quiet, stateDir } from "../support/workers.js";
import type { Way } from "./harness.js";
import { Author, commitUnder } from "./world.js";

const NOTHING = () => {};

export function commit(what: "structural" | "comment"): Way {
  return {
    name: `git commit of a ${what} change, git waits`,
    hits: "git",
    open(t) {
      const repo = installedRepo(t);
      const author = new Author(repo);
      return { repo, prepare: NOTHING, act: (env) => commitUnder(repo, env, author[what]()) };
    },
  };
}

export const inline: Way = {
  name: "git commit, the structural analyzer inline",
  hits: "git",
  open(t) {
    const repo = installedRepo(t);
    repo.commit("inline", { ".ua-hooksrc.json": '{ "mode": "inline" }\n' });
    const author = new Author(repo);
    return { repo, prepare: NOTHING, act: (env) => commitUnder(repo, env, author.structural()) };
  },
};

const checkout: Way = {
  name: "git checkout between analysed branches",
  hits: "git",
  open(t) {
    const repo = installedRepo(t);
    const start = analysisOf(repo, ["src/b.ts"], "main's");
    repo.git("checkout", "-q", "-b", "topic");
    repo.commit("wider", new Author(repo).structural());
    applyTo(repo, analysisOf(repo, ["src/b.ts"], "topic's"));
    repo.git("checkout", "-q", "main");
    applyTo(repo, start);
    const words = () => (repo.git("branch", "--show-current") === "main" ? "main's" : "topic's");
    const act = (env: NodeJS.ProcessEnv): Result => {
      const other = words() === "main's" ? "topic" : "main";
      return detached(repo, { ...env, UA_HOOKS_FOREGROUND: "1" }).tryGit("checkout", "-q", other);
    };
    return {
      ...{ repo, prepare: NOTHING, act },
      judge: async (what) => {
        assert.equal(await assertSound(repo, what), null, `${what}: both are known`);
        const graph = repo.read(".understand-anything/knowledge-graph.json");
        assert.ok(graph.includes(`${words()}: src/b.ts`), `${what}: and each comes back in its own words`);
      },
    };
  },
};

export const runner: Way = {
  name: "a runner's round over two worktrees",
  hits: "git",
  open(t) {
    const repo = detachedRepo(t);
    const round = new Round(repo);
    let isFirst = true;
    const clean = new Clean(repo);
    return {
      repo,
      prepare: async () => {
        if (isFirst) {
          round.prepare(); // from the second time on there is a worktree to forget
          round.act();
          await quiet(repo);
        }
        isFirst = false;
        round.prepare();
      },
      act: (env) => round.act(env),
      judge: async (what) => {
        await round.heal();
        await clean.assertEqual(repo, what);
        await clean.assertEqual(round.tree, `${what}, the worktree`);
      },
    };
  },
};

export const pruning: Way = {
  name: "a runner that prunes",
  hits: "git",
  open(t) {
    const repo = detachedRepo(t);
    const author = new Author(repo);
    const project = locateProject({ cwd: repo.dir, env: {} });
    // As if much had been written since the last time, some of it for commits that are gone.
    const prepare = async () => {
      author.unseen(author.structural());
      detached(repo, { UA_HOOKS_FOREGROUND: "1" }).ua("pending");
      author.repo.tryGit("reset", "-q", "--hard", "HEAD~1");
      await withState(await project, (db) =>
        db.run("INSERT OR REPLACE INTO settings(key, value) VALUES('pruned', ?)", '{"written":-9999,"left":0}'),
      );
    };
    return { repo, prepare, act: (env) => commitUnder(repo, env, author.comment()) };
  },
};

/** One stands still with the lock while another comes, which leaves it to the first. */
export const second: Way = {
  name: "a second runner",
  hits: "git",
  open(t) {
    const repo = detachedRepo(t);
    const author = new Author(repo);
    const act = async (env: NodeJS.ProcessEnv): Promise<Result> => {
      const { fault, reached, letGo } = hold(repo, "runner.work");
      const committed = commitUnder(detached(repo), { UA_HOOKS_FAULT: fault }, author.next());
      await until("the first is at work", reached);
      const entry = join(dist, "hook.cjs");
      const options = { cwd: repo.dir, env: { ...repo.env, ...env } };
      await start(process.execPath, [entry, "run", join(stateDir(repo), "..")], options);
      letGo();
      await quiet(repo);
      return committed;
    };
    return { repo, prepare: NOTHING, act };
  },
};

const agent: Way = {
  name: "an agent's hook",
  hits: "agent",
  open(t) {
    const repo = installedRepo(t);
    const author = new Author(repo);
    let session = 0;
    const listen = (env: NodeJS.ProcessEnv = {}) => {
      const input = { session_id: `s${session}`, hook_event_name: "SessionStart", source: "startup", cwd: repo.dir };
      return hear(repo, ["claude", "SessionStart"], JSON.stringify(input), { env: { ...repo.env, ...env } });
    };
    return {
      repo,
      prepare: () => author.unseen(author.structural()),
      act: (env) => {
        session++;
        return listen(env);
      },
      after: async ({ stdout }) => {
        // That something is not known is said as well, and then what it was.
        if (stdout !== "") assert.match(stdout, /src\/b\.ts|is unknown/);
        const isSaid = stdout.includes("src/b.ts");
        assert.equal(
          (await listen()).stdout.includes("src/b.ts"),
          !isSaid,
          "it is said once, now or at the next event",
        );
      },
    };
  },
};

/** The graph of two branches, merged by the driver; a merge that it could not do is git's own, and can be taken back. */
export const driver: Way = {
  name: "the merge driver",
  hits: "git",
  open(t) {
    const repo = installedRepo(t);
    repo.ua("uninstall", "--purge", "--yes");
    repo.ua("install", "--team", "--yes");
    repo.commit("the artefacts");
    for (const [branch, path] of Object.entries({ one: "src/one.ts", two: "lib/two.ts" })) {
      repo.git("checkout", "-q", "-b", branch, "main");
      repo.commit(branch, { [path]: `export function ${branch}(): void {}\n` });
      assert.equal(repo.ua("run").code, 0);
      repo.commit(`${branch}, analysed`);
    }
    repo.git("checkout", "-q", "one");
    const at = repo.head();
    // A conflict is git's answer, in git's words: of the driver it says that it could not.
    const merge = (env: NodeJS.ProcessEnv): Result => {
      const merging = detached(repo, { ...env, UA_HOOKS_FOREGROUND: "1" });
      const { code } = merging.tryGit("merge", "-q", "--no-edit", "two");
      return { code: code === 1 ? 0 : code, stdout: "", stderr: "" };
    };
    const isMerged = () => repo.git("status", "--porcelain") === "" && repo.head() !== at;
    return {
      repo,
      prepare: () => {
        repo.tryGit("merge", "--abort");
        repo.git("reset", "-q", "--hard", at);
        repo.ua("pending");
      },
      act: merge,
      after: () => {
        repo.tryGit("merge", "--abort");
        repo.git("reset", "-q", "--hard", at);
        merge({});
        assert.ok(isMerged(), "without a fault it is merged");
      },
      judge: async (what) => {
        // Merged by id, or by git's text merge with its markers: nothing of either side is gone from the file.
        const text = repo.read(".understand-anything/knowledge-graph.json");
        for (const name of ["src/one.ts", "lib/two.ts"]) assert.ok(text.includes(name), `${what}: ${name} is in it`);
        if (isMerged()) await assertSound(repo, what);
      },
    };
  },
};

export const GIT_WAYS: readonly Way[] = [
  commit("structural"),
  commit("comment"),
  inline,
  checkout,
  runner,
  pruning,
  second,
  agent,
  driver,
];
