import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { storedAnalysis } from "../../src/knowledge/known.js";
import { locateProject } from "../../src/repository/locate.js";
import { dice, givenSeed } from "../support/dice.js";
import { type Repo, until } from "../support/repo.js";
import { assertSound, withState } from "../support/sound.js";
import { detachedRepo, LONG, quiet } from "../support/workers.js";
import { Crowd, commitAll, deliverAll, type Leases, readAll } from "./crowd.js";

const WORKTREES = LONG ? 4 : 3;
const COMMITS = LONG ? 60 : 5;
const READERS = LONG ? 4 : 2;
const AGENTS = LONG ? 4 : 2;
/** At least; the crowd goes on until then. */
const DELIVERIES = LONG ? 100 : 2;

test("worktrees, readers and agents at once, with random kills: nothing is lost and all is sound", async (t) => {
  const repo = detachedRepo(t);
  const seed = givenSeed();
  const roll = dice(seed);
  const crowd = new Crowd(roll);
  const names = Array.from({ length: WORKTREES - 1 }, (_, at) => `tree${at}`);
  for (const name of names) repo.git("worktree", "add", "-q", "-b", name, `../${name}`);
  const worktrees = [repo, ...names.map((name) => repo.at(join(repo.base, name)))];
  const at = (index: number) => worktrees[index % worktrees.length] as Repo;
  let open = worktrees.length;
  const deadline = Date.now() + (LONG ? 600_000 : 60_000);
  const isMoreWanted = () => crowd.seen.delivered.length < DELIVERIES && Date.now() < deadline;
  const going = () => open > 0 || isMoreWanted();
  const leases: Leases = new Map();
  const work = [
    ...worktrees.map((worktree, index) =>
      commitAll(crowd, worktree, { name: `w${index}`, count: COMMITS, isMoreWanted }).finally(() => open--),
    ),
    ...Array.from({ length: READERS }, (_, index) => {
      return readAll(crowd, at(index), index % 2 === 0 ? "pending" : "status", going);
    }),
    ...Array.from({ length: AGENTS }, (_, index) => deliverAll(crowd, at(index >> 1), `agent${index}`, leases, going)),
    killAll(crowd, repo, roll, going),
  ];
  await Promise.all(work);
  await quiet(repo);
  const { problems, delivered, ...counts } = crowd.seen;
  t.diagnostic(
    `UA_HOOKS_SEED=${seed}: ${worktrees.length} worktrees, ${JSON.stringify(counts)}, ${delivered.length} delivered`,
  );
  assert.deepEqual(problems, []);
  assert.ok(delivered.length >= DELIVERIES, `${delivered.length} deliveries`);
  for (const worktree of worktrees) await assertSound(worktree, worktree.dir);
  await assertKept(repo, delivered);
  assert.equal(repo.git("status", "--porcelain"), "");
});

/** After as many steps of the others as the dice choose; never two without something in between. */
async function killAll(crowd: Crowd, repo: Repo, roll: (below: number) => number, going: () => boolean): Promise<void> {
  while (going()) {
    const next = crowd.steps() + 3 + roll(6);
    await until("the others go on", () => crowd.steps() >= next || !going(), 60_000);
    crowd.killOne(repo);
  }
}

/** Whatever was taken is there, in the words of one who told it. */
async function assertKept(repo: Repo, delivered: { path: string; oid: string; words: string }[]): Promise<void> {
  const project = await locateProject({ cwd: repo.dir, env: {} });
  await withState(project, (db) => {
    for (const { path, oid } of delivered) {
      const text = JSON.stringify(storedAnalysis(db, path, oid));
      const told = delivered.filter((one) => one.path === path && one.oid === oid).map(({ words }) => words);
      assert.ok(
        told.some((words) => text.includes(words)),
        `${path} at ${oid}: ${told.join(", ")}`,
      );
    }
  });
}
