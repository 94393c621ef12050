import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { logPath, readLog } from "../../src/store/log.js";
import { dice, givenSeed } from "../support/dice.js";
import { gameOf, type Move, make, movesOf, projectFor } from "../support/game.js";
import { makeRepo, type Repo } from "../support/repo.js";
import { assertSound } from "../support/sound.js";
import { detached, kill, quiet, stateDir, workersOf } from "../support/workers.js";

/** `npm run test:soak`; UA_HOOKS_SOAK=n for another number of operations. */
const OPERATIONS = Number(process.env.UA_HOOKS_SOAK ?? 24);
const LOOKS = OPERATIONS >= 1000 ? 20 : 2;
const MB = 1024 * 1024;
/** A runner is Node, a parser and a small project; what it needs may not depend on how long the clone has lived. */
const MOST_MEMORY = 220 * MB;
/** What a clone keeps by content: a few KB for each commit, and the last graphs. */
const bytesFor = (operations: number) => 2 * MB + operations * 6 * 1024;
const LOG_LIMIT = 512 * 1024;

interface Look {
  operations: number;
  database: number;
  log: number;
  memory: number;
}

test(`${OPERATIONS} random git operations over four worktrees: memory, database and log stay bounded`, async (t) => {
  const seed = givenSeed();
  const worktrees = fourWorktrees(t, seed);
  const [main] = worktrees as [Repo];
  const state = stateDir(main);
  if (OPERATIONS < 5000) fillLog(state);
  const refused = new Map<string, number>();
  const looks: Look[] = [];
  const roll = dice(seed);
  let memory = 0;
  for (const [at, move] of movesOf(seed, OPERATIONS).entries()) {
    const worktree = listening(worktrees[roll(worktrees.length)] as Repo, refused);
    const why = await attempt(worktree, move);
    if (why !== null) refused.set(why, (refused.get(why) ?? 0) + 1);
    memory = Math.max(memory, peakMemory(state));
    if ((at + 1) % Math.ceil(OPERATIONS / LOOKS) !== 0) continue;
    await quiet(main);
    for (const one of worktrees) await assertSound(one, `after ${at + 1} operations, seed ${seed}`);
    looks.push({ operations: at + 1, ...sizes(state), memory });
    if (OPERATIONS >= 1000) process.stderr.write(`${JSON.stringify(looks.at(-1))}\n`); // nobody waits that long in the dark
    memory = 0;
  }
  report(t, seed, looks, refused);
  for (const look of looks) assertBounded(look);
  const log = logPath(state);
  assert.ok(existsSync(`${log}.1`), "the log was rotated");
  assert.ok(readLog(state, 10).length === 10, "and can be read across the rotation");
  assert.deepEqual(workersOf(main), [], "no process is left");
});

/** The main worktree and three linked ones, each on a branch of its own, runners in the background. */
function fourWorktrees(t: TestContext, seed: number): Repo[] {
  const made = makeRepo(t);
  made.commit("start", projectFor(gameOf(made, seed)));
  assert.equal(made.ua("install").code, 0);
  t.after(() => {
    for (const pid of workersOf(made)) kill(pid);
  });
  assert.equal(made.ua("registry", "verify").code, 0, "the registry is kept, too");
  const main = detached(made);
  const names = ["w1", "w2", "w3"];
  for (const name of names) main.git("worktree", "add", "-q", "-b", name, `../${name}`);
  return [main, ...names.map((name) => main.at(join(main.base, name)))];
}

/** What git says where it does not do a thing, counted: it may have its reasons, and none of them may be us. */
function listening(repo: Repo, refused: Map<string, number>): Repo {
  const tryGit: Repo["tryGit"] = (...args) => {
    const result = repo.tryGit(...args);
    const said = `${args[0]}: ${(result.stderr.split("\n")[0] ?? "").replaceAll(/[0-9a-f]{7,}|'[^']*'/g, "…")}`;
    if (result.code > 1) refused.set(said, (refused.get(said) ?? 0) + 1);
    return result;
  };
  return { ...repo, tryGit };
}

/** Why it was refused, where it had to be: a branch, or the graph, is another worktree's. All else is a failure. */
async function attempt(worktree: Repo, move: Move): Promise<string | null> {
  try {
    // Older gits let `checkout -B` move a branch that another worktree has: that one's HEAD moves under its files.
    worktree.git("reset", "-q", "--hard");
    // The game's own worktree has one place and one branch: only one view may play it at a time, and they all do.
    await make(gameOf(worktree, move.seed), move.name === "worktree" ? "write" : move.name);
    return null;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    const known = /already (used by|checked out)|used by worktree|the graph describes another worktree/.exec(said);
    if (known === null) throw error;
    return known[0];
  }
}

/** VmHWM of proc(5): the most that the runner ever had. 0 where there is none, or no /proc. */
function peakMemory(state: string): number {
  try {
    const pid = readFileSync(join(state, "runner.pid"), "utf8").trim();
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return /^Name:\s+node$/m.test(status) ? Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024 : 0;
  } catch {
    return 0;
  }
}

function sizes(state: string): { database: number; log: number } {
  const size = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const database = join(state, "state.db");
  const log = logPath(state);
  return { database: size(database) + size(`${database}-wal`), log: size(log) + size(`${log}.1`) };
}

function assertBounded({ operations, database, log, memory }: Look): void {
  assert.ok(database < bytesFor(operations), `${database} bytes of state after ${operations} operations`);
  assert.ok(log < 2 * LOG_LIMIT + 64 * 1024, `${log} bytes of log`);
  assert.ok(memory < MOST_MEMORY, `a runner with ${memory} bytes`);
}

function report(t: TestContext, seed: number, looks: readonly Look[], refused: ReadonlyMap<string, number>): void {
  t.diagnostic(`UA_HOOKS_SEED=${seed}, ${OPERATIONS} operations; refused: ${JSON.stringify([...refused])}`);
  for (const { operations, database, log, memory } of looks) {
    const kb = (bytes: number) => `${Math.round(bytes / 1024)} KB`;
    t.diagnostic(`${operations} operations: database ${kb(database)}, log ${kb(log)}, runner's peak ${kb(memory)}`);
  }
}

/** So that a shorter run meets the rotation as well. */
function fillLog(state: string): void {
  const line = `${JSON.stringify({ at: "", view: ".", events: [], head: null, outcome: "settled", reason: "", parses: 0, ms: 0 })}\n`;
  writeFileSync(logPath(state), line.repeat(Math.ceil(LOG_LIMIT / line.length)), { mode: 0o600 });
}
