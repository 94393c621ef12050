import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { type TestContext, test } from "node:test";
import { givenSeed, sample } from "../support/dice.js";
import type { Repo, Result } from "../support/repo.js";
import { assertSound } from "../support/sound.js";
import { LONG, notes, quiet } from "../support/workers.js";

/** What goes wrong at a point. A clock that jumps does so in the process that is hit, from there on. */
export const FAULTS = ["kill", "ENOSPC", "EIO", "EACCES", "clock=+86400000", "clock=-86400000"] as const;

/** One of the ways in which something is written, with a real process at work. */
export interface Way {
  name: string;
  /**
   * Whose process is hit. `git`: it must exit 0 and print nothing (invariant "git never notices"). `command`: a failure is said in two lines,
   * what happened and what to do. `agent`: status 0 and nothing on stderr.
   */
  hits: "git" | "command" | "agent";
  open(t: TestContext): Place;
}

/** Where a way is gone, again and again. */
export interface Place {
  repo: Repo;
  /** Brings things to where the act has something to do. Unharmed. */
  prepare(): void | Promise<void>;
  act(env: NodeJS.ProcessEnv): Result | Promise<Result>;
  /** After one ordinary read: nothing is lost, and what failed can be done again. */
  after?(result: Result, fault: string): void | Promise<void>;
  /** Where something else than a read of `repo` must show that all is well. */
  judge?(what: string, fault: string): Promise<void>;
}

export interface Case {
  point: string;
  visit: number;
  fault: string;
}

/** How often each point is met when nothing goes wrong. */
export async function pointsOf(place: Place): Promise<Map<string, number>> {
  const file = join(place.repo.base, "visits.txt");
  await place.prepare();
  const result = await place.act({ UA_HOOKS_FAULT: `*:note=${file}` });
  await quiet(place.repo);
  await judged(place, "nothing was injected", "none");
  await place.after?.(result, "none");
  const met = notes(file);
  rmSync(file, { force: true });
  // A hook and the runner that it started are two processes, and each counts for itself.
  const visits = new Map<string, number>();
  for (const { point, pid } of met) {
    const own = met.filter((other) => other.pid === pid && other.point === point).length;
    visits.set(point, Math.max(visits.get(point) ?? 0, own));
  }
  return visits;
}

/** `UA_HOOKS_FAULTS=n` for another size of the sample. */
const GIVEN = process.env.UA_HOOKS_FAULTS;

/** The long form: every fault at every point, at the first visit and the last. The short one: a sample of these. */
export function casesFor(visits: ReadonlyMap<string, number>, seed: number, some: number): Case[] {
  const all = [...visits].flatMap(([point, count]) => {
    const tried = [...new Set([1, count])];
    return FAULTS.flatMap((fault) => tried.map((visit) => ({ point, visit, fault })));
  });
  const most = GIVEN === undefined ? (LONG ? all.length : some) : Number(GIVEN);
  return sample(all, most, seed);
}

/** One fault, and all that must hold after it. Whether it was met. */
export async function tryCase(way: Way, place: Place, { point, visit, fault }: Case): Promise<boolean> {
  const what = `${way.name}, ${fault} at ${point}, visit ${visit}`;
  const file = join(place.repo.base, "met.txt");
  await place.prepare();
  const result = await place.act({ UA_HOOKS_FAULT: `${point}:note=${file};${point}:${fault}@${visit}` });
  await quiet(place.repo);
  const met = notes(file).length >= visit;
  rmSync(file, { force: true });
  // A blob whose parsing ended a process counts by its content only: test/knowledge/parse-notes.test.ts.
  const commonDir = resolve(place.repo.dir, place.repo.git("rev-parse", "--git-common-dir"));
  rmSync(join(commonDir, "ua-hooks/parsing"), { recursive: true, force: true });
  assertAnswer(way, fault, met, result, what);
  await judged(place, what, fault);
  if (place.after !== undefined) {
    await place.after(result, fault);
    await judged(place, `${what}, afterwards`, "none");
  }
  return met;
}

async function judged(place: Place, what: string, fault: string): Promise<void> {
  if (place.judge === undefined) await assertSound(place.repo, what);
  else await place.judge(what, fault);
}

function assertAnswer({ hits }: Way, fault: string, met: boolean, result: Result, what: string): void {
  const { code, stdout, stderr } = result;
  if (hits === "git") assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "", stderr: "" }, what);
  else if (hits === "agent") assert.deepEqual({ code, stderr }, { code: 0, stderr: "" }, what);
  else if (fault === "kill" && met) assert.equal(code, -1, `${what}: killed`);
  else if (code === 0) assert.equal(stderr, "", `${what}: nothing to complain about`);
  else {
    assert.ok(fault.startsWith("E"), `${what}: exit ${code}: ${stderr}`);
    assert.ok([4, 5, 6].includes(code), `${what}: exit ${code}: ${stderr}`);
    assert.equal(stdout, "", what);
    assert.match(stderr, /^ua-hooks: .+\n {2}.+\n$/, `${what}: what happened, and what to do`);
    assert.doesNotMatch(stderr, /defect|damaged/, `${what}: it is the disk's fault`);
  }
}

export interface Tally {
  way: string;
  points: string[];
  injected: number;
  unmet: number;
}

/** All cases of a way. A failure is kept and the place made anew, so that one run tells everything. */
export async function tryWay(t: TestContext, way: Way, seed: number, most: number): Promise<Tally> {
  let place = way.open(t);
  const visits = await pointsOf(place);
  const failures: string[] = [];
  const tally: Tally = { way: way.name, points: [...visits.keys()], injected: 0, unmet: 0 };
  for (const one of casesFor(visits, seed, most)) {
    try {
      if (await tryCase(way, place, one)) tally.injected++;
      else tally.unmet++;
    } catch (error) {
      failures.push(error instanceof Error ? `${one.fault} at ${one.point}@${one.visit}: ${error.message}` : "?");
      place = way.open(t);
    }
  }
  assert.equal(failures.length, 0, `${failures.length} of ${tally.injected}:\n${failures.join("\n---\n")}`);
  return tally;
}

/** A test for each way; the short form tries `most` faults on it. */
export function testWays(ways: readonly Way[], promise: string, most: number): void {
  const seed = givenSeed();
  // The suite tries a third of the ways, another one with another seed; `npm run test:faults` all of them.
  const isTried = (at: number) => LONG || GIVEN !== undefined || (at + seed) % 3 === 0;
  for (const way of ways.filter((_, at) => isTried(at))) {
    test(`${way.name}: ${promise}`, async (t) => {
      const { points, injected, unmet } = await tryWay(t, way, seed, most);
      t.diagnostic(`${injected} faults at ${points.length} points (${unmet} not met), UA_HOOKS_SEED=${seed}`);
    });
  }
}
