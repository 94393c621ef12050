import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Clean } from "../support/clean.js";
import { givenSeed, mulberry } from "../support/dice.js";
import { allPoints } from "../support/points.js";
import { Round } from "../support/rounds.js";
import { detachedRepo, kill, LONG, notes, quiet, runnersOf } from "../support/runners.js";

const RANDOM_KILLS = LONG ? 200 : 10;

/** Which visits of a point are tried: the short form takes the first, or the last where many paths lead by. */
function triedVisits(point: string, count: number): number[] {
  if (LONG) return Array.from({ length: count }, (_, at) => at + 1);
  return [/^(db|file)\./.test(point) ? count : 1];
}

test("kill -9 at every fault point, then one more commit or one read: equal to clean", async (t) => {
  const repo = detachedRepo(t);
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

  let kills = 0;
  for (const [point, count] of visits) {
    for (const visit of triedVisits(point, count)) {
      round.prepare();
      round.act({ UA_HOOKS_FAULT: `${point}:kill@${visit}` });
      await quiet(repo);
      await round.heal();
      await clean.assertEqual(repo, `${point}, visit ${visit}`);
      await clean.assertEqual(round.tree, `${point}, visit ${visit}, the worktree`);
      kills++;
    }
  }
  const others = allPoints().filter((point) => !visits.has(point));
  t.diagnostic(`${kills} kills at ${visits.size} points; not on a runner's way: ${others.join(", ") || "none"}`);
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
    const running = runnersOf(repo);
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
