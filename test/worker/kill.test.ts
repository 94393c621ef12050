import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Clean } from "../support/clean.js";
import { givenSeed, mulberry, sample } from "../support/dice.js";
import { allPoints } from "../support/points.js";
import { Round } from "../support/rounds.js";
import { detachedRepo, kill, LONG, notes, quiet, workersOf } from "../support/workers.js";

const RANDOM_KILLS = LONG ? 200 : 5;

/** The short form takes this many of them, others every day. */
const SHORT = 7;

/** Every visit of every point that a runner came by. */
function allVisits(visits: ReadonlyMap<string, number>): [point: string, visit: number][] {
  return [...visits].flatMap(([point, count]) =>
    Array.from({ length: count }, (_, at): [string, number] => [point, at + 1]),
  );
}

test("kill -9 at fault points, then one more commit or one read: equal to clean", async (t) => {
  const repo = detachedRepo(t);
  const seed = givenSeed();
  const clean = new Clean(repo);
  const round = new Round(repo);
  round.prepare();
  round.act();
  await quiet(repo);
  round.prepare();
  const file = join(repo.base, "visits.txt");
  round.act({ UA_HOOKS_FAULT: `*:note=${file}` });
  await quiet(repo);
  await clean.assertEqual(repo);
  await clean.assertEqual(round.tree);
  const visits = new Map<string, number>();
  for (const { point } of notes(file)) visits.set(point, (visits.get(point) ?? 0) + 1);

  const all = allVisits(visits);
  const tried = LONG ? all : sample(all, SHORT, seed);
  for (const [point, visit] of tried) {
    const what = `${point}, visit ${visit}, seed ${seed}`;
    round.prepare();
    round.act({ UA_HOOKS_FAULT: `${point}:kill@${visit}` });
    await quiet(repo);
    await round.heal();
    await clean.assertEqual(repo, what);
    await clean.assertEqual(round.tree, `${what}, the worktree`);
  }
  const others = allPoints().filter((point) => !visits.has(point));
  t.diagnostic(`UA_HOOKS_SEED=${seed}: ${tried.length} kills at ${all.length} visits of ${visits.size} points`);
  t.diagnostic(`not on a runner's way: ${others.join(", ") || "none"}`);
  const expected = ["db.commit", "db.run", "file.write", "file.rename", "verify.save", "rewrites.taken", "view.forget"];
  for (const point of expected) assert.ok(visits.has(point), `a runner comes by ${point}`);
});

test(`kill -9 at ${RANDOM_KILLS} random moments, then one more commit or one read: equal to clean`, async (t) => {
  const repo = detachedRepo(t);
  const clean = new Clean(repo);
  const round = new Round(repo);
  const seed = givenSeed();
  const random = mulberry(seed);
  t.diagnostic(`UA_HOOKS_SEED=${seed}`);
  let hits = 0;
  for (let at = 0; at < RANDOM_KILLS; at++) {
    round.prepare();
    round.act();
    const delay = random() * 250;
    await new Promise((resolve) => setTimeout(resolve, delay));
    const running = workersOf(repo);
    for (const pid of running) kill(pid);
    if (running.length > 0) hits++;
    await quiet(repo);
    await round.heal();
    const what = `seed ${seed}, kill ${at} after ${Math.round(delay)} ms`;
    await clean.assertEqual(repo, what);
    await clean.assertEqual(round.tree, what);
  }
  t.diagnostic(`${hits} of ${RANDOM_KILLS} met a runner at work`);
  assert.ok(hits > RANDOM_KILLS / 4, `${hits} kills met a runner`);
});
