import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { withContext } from "../../src/repository/context.js";
import { locateProject } from "../../src/repository/locate.js";
import { readWorktree } from "../../src/sync/switch.js";
import { analysisOf, applyTo, summaries } from "../support/agent.js";
import { contentOf } from "../support/clean.js";
import { dice, givenSeed } from "../support/dice.js";
import { gameOf, type Move, make, movesOf, projectFor } from "../support/game.js";
import { installedRepo, makeRepo, type Repo, repoAt } from "../support/repo.js";
import { shrink } from "../support/shrink.js";
import { judgedAnew } from "../support/sound.js";

/** UA_HOOKS_LONG=1 plays a long game; UA_HOOKS_SEED=n plays one again. */
const MOVES = process.env.UA_HOOKS_LONG === "1" ? 400 : 20;

test("what one worktree acknowledged stays pending in another, whatever is left of its memory", async (t) => {
  const repo = installedRepo(t);
  repo.git("worktree", "add", "-q", "-b", "one", "../one");
  const one = repo.at(join(repo.base, "one"));
  repo.commit("wider", { "src/b.ts": "export function twice(x: number, by = 2): number {\n  return x * by;\n}\n" });
  one.git("merge", "-q", "main");
  assert.equal(one.ua("ack").code, 0);
  const project = await locateProject({ cwd: repo.dir, env: {} });
  assert.deepEqual((await withContext(project, readWorktree)).marker?.filesToReanalyze, ["src/b.ts"]);
  await judgedAnew(project);
  assert.deepEqual(
    (await withContext(project, readWorktree)).marker?.filesToReanalyze,
    ["src/b.ts"],
    "with nothing remembered, too",
  );
});

test("what is delivered in a linked worktree counts for the same content in the graph's worktree", (t) => {
  const repo = installedRepo(t);
  applyTo(repo, analysisOf(repo, ["src/b.ts"], "first"));
  repo.git("worktree", "add", "-q", "--detach", "../one");
  const one = repo.at(join(repo.base, "one"));
  applyTo(one, analysisOf(one, ["src/b.ts"], "second"));
  repo.uaJson("status");
  assert.equal(summaries(repo).get("file:src/b.ts"), "second: src/b.ts");
});

test("a worktree that goes back to what the graph has owes nothing for what it acknowledged on the way", async (t) => {
  const repo = installedRepo(t);
  repo.git("worktree", "add", "-q", "-b", "one", "../one");
  const one = repo.at(join(repo.base, "one"));
  const start = one.head();
  const project = await locateProject({ cwd: one.dir, env: {} });
  const wider = "export function twice(x: number, by = 2): number {\n  return x * by;\n}\n";
  for (const [change, make] of Object.entries({
    "a new file": () => one.commit("new", { "tools/m.py": "def run():\n    return 1\n" }),
    "another content": () => one.commit("wider", { "src/b.ts": wider }),
    "no file": () => one.git("rm", "-q", "src/b.ts") + one.git("commit", "-qm", "gone"),
  })) {
    make();
    assert.notEqual((await withContext(project, readWorktree)).marker, null, `${change} is pending`);
    assert.equal(one.ua("ack").code, 0);
    one.git("reset", "-q", "--hard", start);
    assert.equal((await withContext(project, readWorktree)).marker, null, `${change}, and back`);
    assert.equal(await judgedAnew(project), null, `${change}, and back, from the start`);
  }
});

interface Turn extends Move {
  view: number;
}

/** The views whose memory says something else than a judgement from the start, and after which turn. */
async function play(t: TestContext, seed: number, turns: readonly Turn[]): Promise<{ at: number; why: string } | null> {
  const made = makeRepo(t);
  const main = repoAt(made.dir, made.base, { ...made.env, UA_HOOKS: "0" });
  main.commit("start", projectFor(gameOf(main, seed)));
  assert.equal(main.ua("install").code, 0);
  const names = ["w1", "w2", "w3"];
  for (const name of names) main.git("worktree", "add", "-q", "-b", name, `../${name}`);
  const worktrees: Repo[] = [main, ...names.map((name) => main.at(join(main.base, name)))];
  for (const [at, turn] of turns.entries()) {
    const worktree = worktrees[turn.view] as Repo;
    worktree.git("reset", "-q", "--hard");
    await make(gameOf(worktree, turn.seed), turn.name).catch(() => {}); // a branch, or the graph, is another worktree's
    for (const one of worktrees) {
      const project = await locateProject({ cwd: one.dir, env: {} });
      const said = contentOf((await withContext(project, readWorktree)).marker);
      const anew = await judgedAnew(project);
      if (JSON.stringify(said) !== JSON.stringify(anew)) {
        return {
          at,
          why: `${turn.name} in ${turn.view}; ${one.dir}\nsaid ${JSON.stringify(said)}\nanew ${JSON.stringify(anew)}`,
        };
      }
    }
  }
  return null;
}

test(`${MOVES} random operations in four worktrees: stored verdicts equal a comparison from the start`, async (t) => {
  const seed = givenSeed();
  t.diagnostic(`UA_HOOKS_SEED=${seed}`);
  const roll = dice(seed + 1);
  const turns = movesOf(seed, MOVES).map((move) => ({
    ...move,
    name: move.name === "worktree" ? "write" : move.name,
    view: roll(4),
  }));
  const lost = await play(t, seed, turns);
  if (lost === null) return;
  t.diagnostic(`fails after ${lost.at + 1}: ${lost.why}`);
  const fewest = await shrink(turns.slice(0, lost.at + 1), async (part) => (await play(t, seed, part)) !== null, 60);
  assert.fail(`${(await play(t, seed, fewest))?.why}\n${JSON.stringify(fewest)}`);
});
