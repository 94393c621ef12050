import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Clean } from "../support/clean.js";
import { dist, type Repo } from "../support/repo.js";
import { detached, detachedRepo, kill, LONG, notes, quiet, runnersOf, unseen } from "../support/runners.js";

const RANDOM_KILLS = LONG ? 200 : 25;

/** Which visits of a point are tried: the short form takes the first, and the last where many paths lead by. */
function triedVisits(point: string, count: number): number[] {
  if (LONG) return Array.from({ length: count }, (_, at) => at + 1);
  return count > 1 && /^(db|file)\./.test(point) ? [1, count] : [1];
}

/**
 * One round that leads a runner through all it can do: a worktree went and another one took its name and has something
 * structural; in the main one a comment was committed and the commit amended, so that meta.json and base move along.
 */
class Round {
  readonly repo: Repo;
  readonly tree: Repo;
  #count = 0;

  constructor(repo: Repo) {
    this.repo = repo;
    this.tree = repo.at(join(repo.base, "tree"));
  }

  prepare(): void {
    const off = unseen(this.repo);
    const at = ++this.#count;
    off.tryGit("worktree", "remove", "--force", this.tree.dir);
    off.git("worktree", "add", "-q", "-B", "side", this.tree.dir);
    const tree = off.at(this.tree.dir);
    tree.write({ "src/b.ts": `export function thrice(x${at}: number): void {}\n` });
    tree.git("commit", "-q", "-a", "-m", `structural ${at}`);
    off.write({ "src/a.ts": this.#comment(at) });
    off.git("commit", "-q", "-a", "-m", `comment ${at}`);
  }

  /** The event: an amended comment. */
  act(extra: NodeJS.ProcessEnv = {}): void {
    this.repo.write({ "src/a.ts": this.#comment(`${this.#count} again`) });
    const { code, stderr } = detached(this.repo, extra).tryGit("commit", "-q", "-a", "--amend", "-m", "amended");
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" }, "git never notices");
  }

  #comment(what: unknown): string {
    return `// ${what}\n${this.repo.read("src/a.ts").replace(/^\/\/.*\n/, "")}`;
  }

  /** By one more commit or by one read a view, in turn. */
  async heal(): Promise<void> {
    if (this.#count % 2 === 0) {
      this.repo.commit("one more", { "src/a.ts": this.#comment("one more") });
      await quiet(this.repo);
      return;
    }
    for (const view of [this.repo, this.tree]) {
      const { code, stderr } = view.ua("pending");
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    }
  }
}

/** Every fault point in the source, so that a new one is tried without a word here. */
function allPoints(dir = join(dist, "../src")): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return allPoints(path);
    return [...readFileSync(path, "utf8").matchAll(/faultPoint\("([^"]+)"\)/g)].map((match) => match[1] ?? "");
  });
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
  const others = [...new Set(allPoints())].filter((point) => !visits.has(point));
  t.diagnostic(`${kills} kills at ${visits.size} points; not on a runner's way: ${others.join(", ") || "none"}`);
  const expected = ["db.commit", "db.run", "file.write", "file.rename", "verify.save", "rewrites.taken", "view.forget"];
  for (const point of expected) assert.ok(visits.has(point), `a runner comes by ${point}`);
});

test(`kill -9 at ${RANDOM_KILLS} random moments, then one more commit or one read: equal to clean`, async (t) => {
  const repo = detachedRepo(t);
  const clean = new Clean(repo);
  const round = new Round(repo);
  const seed = Number(process.env.UA_HOOKS_SEED ?? Date.now() % 1_000_000);
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

/** mulberry32: a small random number generator with a seed. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
