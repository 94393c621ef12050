import assert from "node:assert/strict";
import { existsSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { analysisOf, applyTo, GRAPH_FILE, graphOf, summaries } from "../support/agent.js";
import { dice, givenSeed } from "../support/dice.js";
import { installedRepo, type Repo, repoAt } from "../support/repo.js";
import { shrink } from "../support/shrink.js";

/** UA_HOOKS_LONG=1 lives long; UA_HOOKS_SEED=n lives one life again, with UA_HOOKS_MOVES=[…] just these moves of it. */
const LONG = process.env.UA_HOOKS_LONG === "1";
const MOVES = LONG ? 400 : 14;
const PATHS = ["src/one.ts", "src/two.ts"];

/** Contents with different interfaces: each is described for itself. */
const content = (version: number) =>
  `export function f(${Array.from({ length: version + 1 }, (_, at) => `p${at}: number`).join(", ")}): number {\n  return p0;\n}\n`;

interface Life {
  repo: Repo;
  /** What was delivered or edited last for each path and content. */
  told: Map<string, string>;
  backups: string[];
}

const keyOf = (repo: Repo, path: string) => `${path}\n${repo.read(path)}`;
const file = ({ repo }: Life) => join(repo.dir, GRAPH_FILE);

/** What can happen to a graph. `roll` chooses among its kinds. */
const HAPPENINGS: Record<string, (life: Life, roll: number, turn: number) => void> = {
  commit({ repo }, roll) {
    const path = PATHS[roll % PATHS.length] ?? "";
    const text = content(Math.floor(roll / 2) % 4);
    if (repo.read(path) !== text) repo.commit("edit", { [path]: text });
  },
  deliver({ repo, told }, _roll, turn) {
    const paths = PATHS.filter((path) => repo.git("diff", "--name-only", "HEAD", "--", path) === "");
    applyTo(repo, analysisOf(repo, paths, `text ${turn}`));
    for (const path of paths) told.set(keyOf(repo, path), `text ${turn}`);
  },
  edit(life, _roll, turn) {
    const { repo, told } = life;
    repo.uaJson("status");
    const path = PATHS.find((one) => isTold(life, one));
    if (path === undefined) return;
    const before = told.get(keyOf(repo, path)) ?? "";
    const graph = graphOf(repo);
    const nodes = graph.nodes.map((node) =>
      node.filePath === path ? { ...node, summary: node.summary.replace(before, `edit ${turn}`) } : node,
    );
    repo.write({ [GRAPH_FILE]: JSON.stringify({ ...graph, nodes }, null, 2) });
    told.set(keyOf(repo, path), `edit ${turn}`);
  },
  checkout({ repo }, roll) {
    const branches = repo
      .git("branch", "--format=%(refname:short)")
      .split("\n")
      .filter((name) => name !== "theirs");
    const target = branches[roll % branches.length] ?? "main";
    repo.git("checkout", "-q", target);
  },
  branch({ repo }, _roll, turn) {
    repo.git("checkout", "-q", "-b", `topic-${turn}`);
  },
  reset({ repo }) {
    if (Number(repo.git("rev-list", "--count", "HEAD")) > 2) repo.git("reset", "-q", "--hard", "HEAD~1");
  },
  backup(life) {
    if (existsSync(file(life))) life.backups.push(life.repo.read(GRAPH_FILE));
  },
  restore({ repo, backups }, roll) {
    const backup = backups[roll % Math.max(backups.length, 1)];
    if (backup !== undefined) repo.write({ [GRAPH_FILE]: backup });
  },
  remove: (life) => rmSync(file(life), { force: true }),
  tear(life) {
    life.repo.uaJson("status");
    truncateSync(file(life), 300);
    rmSync(file(life));
    life.repo.ua("install", "--yes");
  },
  /** A colleague's branch tracks a graph with other texts for the same contents: they are left behind with it. */
  visit({ repo }) {
    if (repo.git("status", "--porcelain") !== "") return;
    const here = repo.git("rev-parse", "--abbrev-ref", "HEAD");
    repo.git("checkout", "-q", "theirs");
    repo.uaJson("status");
    repo.git("checkout", "-q", here);
  },
  /** A colleague without our hooks edits a file, and the change is pulled. */
  pull({ repo }, roll) {
    if (repo.git("status", "--porcelain") !== "") return;
    const mate = repo.at(join(repo.base, "mate"));
    if (!existsSync(mate.dir)) repo.git("clone", "-q", repo.dir, mate.dir);
    mate.git("fetch", "-q", "origin");
    mate.git("checkout", "-q", "--detach", `origin/${repo.git("rev-parse", "--abbrev-ref", "HEAD")}`);
    const path = PATHS[roll % PATHS.length] ?? "";
    if (mate.read(path) === content(roll % 4)) return;
    mate.commit("by a colleague", { [path]: content(roll % 4) });
    repo.git("pull", "-q", "--ff-only", mate.dir, "HEAD");
  },
  /** A command, or a checkout's hook, is killed at one of its writes. */
  kill({ repo }, roll) {
    const point = KILLED[roll % KILLED.length] ?? "";
    const killed = repoAt(repo.dir, repo.base, { ...repo.env, UA_HOOKS_FAULT: `${point}:kill` });
    if (roll % 2 === 0 || Number(repo.git("rev-list", "--count", "HEAD")) <= 2) killed.ua("run");
    else killed.tryGit("checkout", "-q", "-B", "killed", "HEAD~1");
  },
  rebuild: ({ repo }) => void repo.ua("install", "--yes", "--rebuild"),
  run: ({ repo }) => void repo.ua("run"),
};

const KILLED = ["graph.write", "fingerprints.write", "baseline.write", "file.rename", "db.commit", "verify.save"];

/** A branch of a colleague that tracks the artefacts, with descriptions of their own for every content. */
function colleaguesBranch(repo: Repo): void {
  const mate = repo.at(join(repo.base, "theirs"));
  repo.git("clone", "-q", repo.dir, mate.dir);
  mate.git("checkout", "-q", "-b", "theirs");
  assert.equal(mate.ua("install", "--yes").code, 0);
  for (let version = 3; version >= 0; version--) {
    mate.commit(`version ${version}`, Object.fromEntries(PATHS.map((path) => [path, content(version)])));
    applyTo(mate, analysisOf(mate, PATHS, `theirs ${version}`));
  }
  mate.git("add", "-f", GRAPH_FILE, ".understand-anything/meta.json", ".understand-anything/fingerprints.json");
  mate.commit("the graph");
  repo.git("fetch", "-q", mate.dir, "theirs:theirs");
}

/** Whether something was written for HEAD's content of a path. */
const isTold = ({ repo, told }: Life, path: string) => told.has(keyOf(repo, path));

interface LifeMove {
  name: string;
  roll: number;
  turn: number;
}

function movesOf(seed: number): LifeMove[] {
  const roll = dice(seed);
  const names = Object.keys(HAPPENINGS);
  return Array.from({ length: MOVES }, (_, turn) => ({
    name: names[roll(names.length)] ?? "",
    roll: roll(1000),
    turn,
  }));
}

/** What is missing after which move; null for nothing. */
function live(t: TestContext, moves: readonly LifeMove[]): { at: number; missing: string[] } | null {
  const life: Life = { repo: installedRepo(t), told: new Map(), backups: [] };
  life.repo.commit("two files", Object.fromEntries(PATHS.map((path) => [path, content(0)])));
  HAPPENINGS.deliver?.(life, 0, 1000);
  colleaguesBranch(life.repo);
  for (const [at, { name, roll, turn }] of moves.entries()) {
    HAPPENINGS[name]?.(life, roll, turn);
    const { repo, told } = life;
    repo.uaJson("status");
    const shown = summaries(repo);
    const missing = PATHS.filter((path) => isTold(life, path)).flatMap((path) => {
      const text = told.get(keyOf(repo, path));
      const ids = [`file:${path}`, `function:${path}:f`];
      const wrong = ids.filter((id) => !shown.get(id)?.startsWith(`${text}: `));
      return wrong.map((id) => `${id} should be "${text}", and is ${JSON.stringify(shown.get(id))}`);
    });
    if (missing.length > 0) return { at, missing };
  }
  return null;
}

test("random lives of a graph, with colleagues and kills: no description is missing when its content is back", async (t) => {
  const seed = givenSeed();
  const given = process.env.UA_HOOKS_MOVES;
  const moves = given === undefined ? movesOf(seed) : (JSON.parse(given) as LifeMove[]);
  t.diagnostic(`UA_HOOKS_SEED=${seed}, ${moves.length} moves`);
  const lost = live(t, moves);
  if (lost === null) return;
  const fewest = await shrink(moves.slice(0, lost.at + 1), async (part) => live(t, part) !== null, 40);
  const { missing } = live(t, fewest) ?? lost;
  const names = fewest.map(({ name }) => name).join(", ");
  assert.fail(`${missing.join("\n")}\nafter: ${names}\nagain: UA_HOOKS_MOVES='${JSON.stringify(fewest)}'`);
});

test("a copy of the graph from before a delivery, restored after it, replaces nothing that was delivered", (t) => {
  const names = ["commit", "backup", "deliver", "restore"];
  const lost = live(
    t,
    names.map((name, turn) => ({ name, roll: 119, turn })),
  );
  assert.deepEqual(lost, null);
});
