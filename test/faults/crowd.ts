import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Marker } from "../../src/marker/marker.js";
import { analysisOf } from "../support/agent.js";
import { cli, type Repo, type Result, start, until } from "../support/repo.js";
import { kill, workersOf } from "../support/workers.js";

/** What a crowd did, and what it saw that must not be. */
export interface Seen {
  commits: number;
  reads: number;
  claims: number;
  applies: number;
  kills: number;
  busy: number;
  problems: string[];
  /** Every delivery that was taken: path, blob, words. */
  delivered: { path: string; oid: string; words: string }[];
}

export const nothingSeen = (): Seen => ({
  ...{ commits: 0, reads: 0, claims: 0, applies: 0, kills: 0, busy: 0 },
  ...{ problems: [], delivered: [] },
});

/** Processes of the crowd that may be killed, by what they are. */
export class Crowd {
  readonly seen = nothingSeen();
  readonly #running = new Set<AbortController>();
  readonly #roll: (below: number) => number;

  constructor(roll: (below: number) => number) {
    this.#roll = roll;
  }

  /** A command of ours; null where it was killed. */
  async ua(worktree: Repo, ...args: string[]): Promise<Result | null> {
    const death = new AbortController();
    this.#running.add(death);
    const options = { cwd: worktree.dir, env: worktree.env, signal: death.signal, killSignal: "SIGKILL" as const };
    const result = await start(process.execPath, [cli, ...args], options).catch((error: unknown) => {
      if (!death.signal.aborted) throw error;
      return null;
    });
    this.#running.delete(death);
    return death.signal.aborted ? null : result;
  }

  /** One of the commands, or the runner, whoever the dice say. */
  killOne(repo: Repo): void {
    const commands = [...this.#running];
    const runners = workersOf(repo);
    const at = this.#roll(commands.length + runners.length);
    if (at < commands.length) commands[at]?.abort();
    else {
      const pid = runners[at - commands.length];
      if (pid === undefined) return;
      kill(pid);
    }
    this.seen.kills++;
  }

  /** How much was done so far. */
  steps(): number {
    const { commits, reads, claims, applies } = this.seen;
    return commits + reads + claims + applies;
  }

  problem(what: string): void {
    this.seen.problems.push(what);
  }
}

/**
 * Commits one after another, each unlike any other in the repository; git must succeed and say nothing. After `count` of
 * them each waits for some claims, as long as there has to be something to deliver.
 */
export async function commitAll(
  crowd: Crowd,
  worktree: Repo,
  { name, count, isMoreWanted }: { name: string; count: number; isMoreWanted: () => boolean },
): Promise<void> {
  for (let at = 0; at < count || isMoreWanted(); at++) {
    const claims = crowd.seen.claims + 4;
    if (at >= count) await until("agents claim", () => crowd.seen.claims >= claims || !isMoreWanted(), 60_000);
    const path = at % 2 === 0 ? "src/b.ts" : "src/a.ts";
    worktree.write({ [path]: `export function ${path[4]}_${name}_${at}(x${at}: number): void {}\n` });
    const { env, dir: cwd } = worktree;
    const result = await start("git", ["commit", "-q", "-a", "-m", `${name} ${at}`], { cwd, env });
    crowd.seen.commits++;
    if (result.code !== 0 || result.stdout + result.stderr !== "")
      crowd.problem(`git commit: ${JSON.stringify(result)}`);
  }
}

/** Reads until told to stop. A reader is never refused, and a generation never falls. */
export async function readAll(crowd: Crowd, worktree: Repo, command: string, going: () => boolean): Promise<void> {
  let generation = 0;
  while (going()) {
    const result = await crowd.ua(worktree, command, "--json");
    crowd.seen.reads++;
    if (result === null) continue;
    if (result.code === 4) crowd.seen.busy++;
    else if (result.code !== 0 || result.stderr !== "") crowd.problem(`${command}: ${JSON.stringify(result)}`);
    else {
      const said = JSON.parse(result.stdout) as { generation?: number; pending?: { generation: number } | null };
      const now = said.generation ?? said.pending?.generation ?? generation;
      if (now < generation) crowd.problem(`${command}: generation ${now} after ${generation}`);
      generation = now;
    }
  }
}

/** Who has which view's lease, as far as the holders know. */
export type Leases = Map<string, string>;

/** Claims, looks, delivers, until told to stop. A lease of its own that a kill left is given back. */
export async function deliverAll(
  crowd: Crowd,
  worktree: Repo,
  name: string,
  leases: Leases,
  going: () => boolean,
): Promise<void> {
  for (let turn = 0; going(); turn++) {
    const claimed = await crowd.ua(worktree, "claim", "--full", "--holder", name, "--json");
    crowd.seen.claims++;
    if (claimed === null) await giveBack(crowd, worktree, name);
    else if (claimed.code === 4) crowd.seen.busy++;
    else if (claimed.code !== 0) crowd.problem(`claim: ${JSON.stringify(claimed)}`);
    else await deliverFor(crowd, worktree, { name, turn, leases }, JSON.parse(claimed.stdout) as Marker);
  }
}

async function deliverFor(
  crowd: Crowd,
  worktree: Repo,
  { name, turn, leases }: { name: string; turn: number; leases: Leases },
  marker: Marker,
): Promise<void> {
  const lease = marker.lease?.id;
  if (lease === undefined) return; // nothing is pending
  const other = leases.get(worktree.dir);
  if (other !== undefined) crowd.problem(`${name} has ${worktree.dir} while ${other} has it`);
  leases.set(worktree.dir, name);
  const words = `${name} ${turn}`;
  const file = join(worktree.base, `${name}.json`);
  const oids = oidsOf(worktree, marker);
  writeFileSync(file, JSON.stringify(analysisOf(worktree, [...oids.keys()], words)));
  await crowd.ua(worktree, "pending"); // while it is ours, others try to get it
  leases.delete(worktree.dir);
  const applied = await crowd.ua(worktree, "apply", file, "--lease", lease, "--json");
  crowd.seen.applies++;
  if (applied === null) await giveBack(crowd, worktree, name);
  else if (applied.code === 4) crowd.seen.busy++;
  // 5 with an answer: another commit came first, and nothing of it was taken.
  else if (applied.code !== 0 && (applied.code !== 5 || applied.stdout === ""))
    crowd.problem(`apply: ${JSON.stringify(applied)}`);
  else {
    const { applied: taken } = JSON.parse(applied.stdout) as { applied: string[] };
    for (const path of taken) {
      const oid = oids.get(path);
      if (oid !== undefined) crowd.seen.delivered.push({ path, oid, words });
    }
  }
  await giveBack(crowd, worktree, name);
}

/** The contents that were claimed: those of the marker's commit, which may not be HEAD any more. */
function oidsOf(worktree: Repo, { filesToReanalyze, head }: Marker): Map<string, string> {
  return new Map(filesToReanalyze.map((path) => [path, worktree.git("rev-parse", `${head.commit}:${path}`)]));
}

/** What is still claimed in our name: refused files, or a claim whose answer never came. */
async function giveBack(crowd: Crowd, worktree: Repo, name: string): Promise<void> {
  const { code, stdout, stderr } = worktree.ua("pending", "--json");
  assert.equal(code, 0, stderr);
  const { lease } = JSON.parse(stdout) as { lease?: { id: string; holder: string } | null };
  if (lease?.holder !== name) return;
  const released = worktree.ua("release", "--lease", lease.id);
  if (released.code !== 0) crowd.problem(`release: ${released.stderr}`);
}
