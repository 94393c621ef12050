import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { dice, givenSeed } from "../support/dice.js";
import { missingIn } from "../support/life-clone.js";
import { act, type LifeMove, makeWorld, movesOf } from "../support/lives.js";
import { shrink } from "../support/shrink.js";

/** UA_HOOKS_LONG=1 lives long; UA_HOOKS_SEED=n lives one life again, with UA_HOOKS_MOVES=[…] just these moves of it, or with a number so many. */
const LONG = process.env.UA_HOOKS_LONG === "1";
const GIVEN: unknown = JSON.parse(process.env.UA_HOOKS_MOVES ?? (LONG ? "400" : "12"));

/** What is missing after which move; null for nothing. Every clone is looked at after its own moves, and all of them at the end. */
function live(t: TestContext, moves: readonly LifeMove[]): { at: number; missing: string[] } | null {
  const world = makeWorld(t);
  for (const [at, move] of moves.entries()) {
    let missing: string[];
    try {
      missing = missingIn(act(world, move));
    } catch (error) {
      missing = [`${move.name}: ${error instanceof Error ? error.message : String(error)}`];
    }
    if (LONG && at % 50 === 49) process.stderr.write(`${at + 1} moves\n`);
    if (missing.length > 0) return { at, missing };
  }
  const missing = world.clones.flatMap(missingIn);
  return missing.length === 0 ? null : { at: moves.length - 1, missing };
}

test("random lives of three clones, one of them of the version before: no description is missing when its content is back", async (t) => {
  const seed = givenSeed();
  const moves = typeof GIVEN === "number" ? movesOf(dice(seed), GIVEN) : (GIVEN as LifeMove[]);
  t.diagnostic(`UA_HOOKS_SEED=${seed}, ${moves.length} moves`);
  const lost = live(t, moves);
  if (lost === null) return;
  if (LONG) process.stderr.write(`move ${lost.at}: ${lost.missing.join("\n")}\n`); // shrinking takes long
  const fewest = await shrink(moves.slice(0, lost.at + 1), async (part) => live(t, part) !== null, 40);
  const { missing } = live(t, fewest) ?? lost;
  const names = fewest.map(({ name, clone }) => `${name} ${clone}`).join(", ");
  assert.fail(`${missing.join("\n")}\nafter: ${names}\nagain: UA_HOOKS_MOVES='${JSON.stringify(fewest)}'`);
});

test("a copy of the graph from before a delivery, restored after it, replaces nothing that was delivered", (t) => {
  const names = ["commit", "backup", "deliver", "restore"];
  const lost = live(
    t,
    names.map((name, turn) => ({ name, clone: 0, roll: 119, turn })),
  );
  assert.deepEqual(lost, null);
});

test("a content that comes back by a commit, and then after its graph was removed, has the text that was delivered for it", (t) => {
  const moves = [
    { name: "commit", roll: 2 },
    { name: "deliver", roll: 0 },
    { name: "commit", roll: 0 },
    { name: "remove", roll: 0 },
  ].map((move, turn) => ({ ...move, clone: 0, turn }));
  assert.deepEqual(live(t, moves), null);
});

test("install --rebuild as the first command after an upgrade keeps what was written", (t) => {
  assert.deepEqual(live(t, [{ name: "rebuild", clone: 2, roll: 0, turn: 0 }]), null);
});
