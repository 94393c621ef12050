import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Clone, content, keyOf, OLD, PATHS, type Turn, type World, write } from "./life-clone.js";
import { MOVES } from "./life-moves.js";
import { TROUBLES } from "./life-troubles.js";
import { installedRepo } from "./repo.js";
import { cloneOfVersionBefore } from "./version-before.js";

/** Random lives of several clones: what was written for a content is shown whenever that content is back. */

const ALL: Record<string, (turn: Turn) => void> = { ...MOVES, ...TROUBLES };

export function makeWorld(t: TestContext): World {
  const repo = installedRepo(t);
  repo.commit("two files", Object.fromEntries(PATHS.map((path) => [path, content(0)])));
  repo.git("clone", "-q", repo.dir, "../second");
  const second = repo.at(join(repo.base, "second"));
  const { code, stderr } = second.ua("install", "--yes");
  assert.equal(code, 0, stderr);
  const { repo: before, old: program } = cloneOfVersionBefore(t);
  const clones = [
    { name: "first", repo },
    { name: "second", repo: second },
    { name: OLD, repo: before, old: program },
  ].map((one): Clone => ({ ...one, written: new Map(), lost: new Map(), backups: [] }));
  const world: World = { clones, all: new Map() };
  const [first, other, old] = clones as [Clone, Clone, Clone];
  for (const [at, clone] of [first, other].entries())
    MOVES.deliver?.({ world, clone, other, roll: 0, turn: 1000 + at });
  MOVES.publish?.({ world, clone: other, other: first, roll: 0, turn: 2000 });
  const told: [string, string][] = [
    ["file:src/b.ts", "Multiplies."],
    ["function:src/b.ts:twice", "The product."],
  ];
  write(world, old, keyOf(before, "src/b.ts"), told);
  return world;
}

export interface LifeMove {
  name: string;
  clone: number;
  roll: number;
  turn: number;
}

export function movesOf(roll: (below: number) => number, count: number): LifeMove[] {
  const names = Object.keys(ALL);
  return Array.from({ length: count }, (_, turn) => ({
    name: names[roll(names.length)] ?? "",
    clone: roll(3),
    roll: roll(1000),
    turn,
  }));
}

export function act(world: World, { name, clone: at, roll, turn }: LifeMove): Clone {
  const clone = world.clones[at % world.clones.length] as Clone;
  const others = world.clones.filter((one) => one !== clone);
  ALL[name]?.({ world, clone, other: others[roll % others.length] as Clone, roll, turn });
  return clone;
}
