import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { givenSeed } from "../support/dice.js";
import { shrink } from "../support/shrink.js";
import {
  beforeOf,
  type Difference,
  differencesOf,
  modelAnswers,
  newRealTable,
  ONLY_MODEL,
  performReal,
  realAnswers,
  repoOf,
} from "./clone.js";
import { sync } from "./model.js";
import { cloneOf, type Move, spelled } from "./moves.js";
import { Game, movesFor } from "./play.js";
import { checkedTree, commitAt, headOf } from "./statements.js";

/**
 * The same moves on the model and on real clones: after each of them both give the same answers. UA_HOOKS_CORE names the core of the program;
 * UA_HOOKS_GAMES=n plays so many games, UA_HOOKS_SEED=n begins with that one, and UA_HOOKS_MOVES=[…] plays just these moves. A game ends with its first
 * difference. With the old core, which is to differ where the new one is designed to, differences are counted by kind; UA_HOOKS_COUNT=1 counts
 * them with any core.
 */
const CORE = process.env.UA_HOOKS_CORE ?? "old";
const GAMES = Number(process.env.UA_HOOKS_GAMES ?? (process.env.UA_HOOKS_LONG === "1" ? 50 : 1));
const MOVES = Number(process.env.UA_HOOKS_MOVES_EACH ?? (process.env.UA_HOOKS_LONG === "1" ? 100 : 6));
/** The old core cannot undo, and waits for somebody to resolve a conflict. */
const LEFT_OUT = new Set([...ONLY_MODEL, ...(CORE === "old" ? ["undo", "conflict"] : [])]);

interface Found extends Difference {
  at: number;
  after: string;
}

function firstDifference(t: TestContext, moves: readonly Move[]): Found | null {
  const game = new Game({ isEager: true, kills: false });
  const real = newRealTable(t, game.table, CORE);
  for (const [at, move] of moves.entries()) {
    const action = game.plan(move);
    if (action === null) continue;
    const before = beforeOf(game.table, action);
    const wrong = game.carryOut(action);
    if (wrong !== null) return { kind: "the model is wrong", message: wrong.message, at, after: move.name };
    performReal(real, game.table, action, before);
    const clone = cloneOf(game.table.world, action.clone);
    for (const worktree of Object.keys(clone.worktrees)) {
      sync(clone, worktree);
      const tree = checkedTree(commitAt(game.table.world, headOf(clone, worktree)));
      const answers = realAnswers(repoOf(real, clone.name, worktree), worktree, tree);
      if (answers === null) continue;
      const [difference] = differencesOf(modelAnswers(clone, worktree), answers, real);
      if (difference !== undefined)
        return {
          kind: difference.kind,
          message: `${clone.name}/${worktree}: ${difference.message}`,
          at,
          after: move.name,
        };
    }
  }
  return null;
}

const movesOf = (seed: number) => {
  const all = Array.from({ length: Math.ceil(MOVES / 20) }, (_, at) => movesFor(seed * 1000 + at)).flat();
  return all.filter(({ name }) => !LEFT_OUT.has(name)).slice(0, MOVES);
};

test(`random moves on the model and on real clones (${CORE} core): the same answers`, async (t) => {
  const first = givenSeed();
  const counts = new Map<string, number>();
  for (let seed = first; seed < first + GAMES; seed++) {
    const given = process.env.UA_HOOKS_MOVES;
    const moves = given === undefined ? movesOf(seed) : (JSON.parse(given) as Move[]);
    let found: Found | null = null;
    await t.test(`game ${seed}`, (inner) => {
      found = firstDifference(inner, moves);
    });
    const difference = found as Found | null;
    if (difference === null) continue;
    const { kind, at, after, message } = difference;
    counts.set(`${kind} after ${after}`, (counts.get(`${kind} after ${after}`) ?? 0) + 1);
    if (CORE !== "old" && process.env.UA_HOOKS_COUNT === undefined) {
      const fewest = await shrink(moves.slice(0, at + 1), async (part) => (await differs(t, part))?.kind === kind, 60);
      assert.fail(`${kind}: ${message}\nafter ${spelled(fewest)}\nagain: UA_HOOKS_MOVES='${JSON.stringify(fewest)}'`);
    }
    if (process.env.UA_HOOKS_LONG === "1")
      process.stderr.write(`${seed} ${kind}: ${message} after ${spelled(moves.slice(0, at + 1))}\n`);
  }
  for (const [kind, count] of counts) t.diagnostic(`${count} × ${kind}`);
  t.diagnostic(`${GAMES} games of up to ${MOVES} moves from UA_HOOKS_SEED=${first} on`);
});

async function differs(t: TestContext, moves: readonly Move[]): Promise<Found | null> {
  let found: Found | null = null;
  await t.test("shorter", (inner) => {
    found = firstDifference(inner, moves);
  });
  return found;
}
