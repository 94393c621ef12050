import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { givenSeed } from "../support/dice.js";
import { type Move, spelled } from "./moves.js";
import { type Failure, firstFailure, movesFor, type Options, shrinkMoves } from "./play.js";

/**
 * Random games on the model alone, each with a seed of its own. `npm run test:model` plays 100,000 moves of each kind; UA_HOOKS_GAMES=n so many games;
 * UA_HOOKS_SEED=n begins with that game.
 */
const LONG = process.env.UA_HOOKS_LONG === "1";
const GAMES = Number(process.env.UA_HOOKS_GAMES ?? (LONG ? 2400 : 20));

function playGames(t: TestContext, options: Options): void {
  const first = givenSeed();
  let moves = 0;
  for (let seed = first; seed < first + GAMES; seed++) {
    const all = movesFor(seed);
    moves += all.length;
    const failure = firstFailure(all, options);
    if (failure !== null) assert.fail(described(seed, all.slice(0, failure.at + 1), failure, options));
  }
  t.diagnostic(`${GAMES} games from UA_HOOKS_SEED=${first} on, ${moves} moves: none failed`);
}

function described(seed: number, moves: readonly Move[], { property }: Failure, options: Options): string {
  const fewest = shrinkMoves(moves, (part) => firstFailure(part, options)?.property === property);
  const message = firstFailure(fewest, options)?.message ?? "";
  return `${property}: ${message}\nafter ${spelled(fewest)}\nagain: UA_HOOKS_SEED=${seed} UA_HOOKS_GAMES=1`;
}

test("random moves, looked at by commands only: nothing is falsely fresh, lost or asked twice", (t) => {
  playGames(t, { isEager: false, kills: false });
});

test("random moves with hooks after each git operation, and kills between any two steps", (t) => {
  playGames(t, { isEager: true, kills: true });
});
