import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { givenSeed } from "../support/dice.js";
import { type Move, movesOf, play } from "../support/game.js";
import { shrink } from "../support/shrink.js";

/**
 * UA_HOOKS_LONG=1 plays long games; UA_HOOKS_SEED=n plays one again, with UA_HOOKS_MOVES=[…] just these moves of it, as
 * a failure prints them.
 */
const LONG = process.env.UA_HOOKS_LONG === "1";
const MOVES = LONG ? 300 : 25;
const SEEDS = LONG && process.env.UA_HOOKS_SEED === undefined ? [1, 2, 3, 4] : [givenSeed()];
/** Each try is a game: enough to get from hundreds of moves to a handful. */
const TRIES = 120;

async function assertClean(t: TestContext, seed: number, moves: readonly Move[]): Promise<void> {
  const lost = await play(t, seed, moves);
  if (lost === null) return;
  t.diagnostic(`seed ${seed} fails after ${lost.at + 1} moves; looking for fewer`);
  const fails = async (part: readonly Move[]) => (await play(t, seed, part)) !== null;
  const fewest = await shrink(moves.slice(0, lost.at + 1), fails, TRIES);
  const { differences } = (await play(t, seed, fewest)) ?? lost;
  const again = `UA_HOOKS_SEED=${seed} UA_HOOKS_MOVES='${JSON.stringify(fewest)}'`;
  const story = fewest.map(({ name }) => name).join(", ");
  assert.fail(`${differences.slice(0, 5).join("\n")}\nafter ${fewest.length} moves: ${story}\nplay it again: ${again}`);
}

for (const seed of SEEDS) {
  const chosen = process.env.UA_HOOKS_MOVES;
  const moves = chosen === undefined ? movesOf(seed, MOVES) : (JSON.parse(chosen) as Move[]);
  test(`${moves.length} random git operations end in stores equal to a clean rebuild (seed ${seed})`, (t) =>
    assertClean(t, seed, moves));
}

test("a failing game is shrunk to the moves that matter", async () => {
  const moves = movesOf(1, 300);
  const [a, b] = [moves[20], moves[222]];
  let games = 0;
  // As a defect would: two moves in this order, whatever is around them.
  const fails = async (part: readonly Move[]) => {
    games++;
    const [first, second] = [part.indexOf(a as Move), part.indexOf(b as Move)];
    return first >= 0 && first < second;
  };
  assert.deepEqual(await shrink(moves, fails, TRIES), [a, b]);
  assert.ok(games <= TRIES, `${games} games`);
  assert.deepEqual(movesOf(1, 300), moves, "a seed is the same game for ever");
  assert.deepEqual(await shrink([1, 2, 3], async () => true), []);
  assert.equal((await shrink(moves, fails, 3)).length < 300, true, "as far as it comes");
});
