import assert from "node:assert/strict";
import { cpSync, existsSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { analysisOf, applyTo, GRAPH_FILE, graphOf, summaries } from "./agent.js";
import { installedRepo, type Repo, repoAt } from "./repo.js";
import { cloneOfVersionBefore } from "./version-before.js";

/** Random lives of several clones: what was written for a content is shown whenever that content is back. */

const DATA = ".understand-anything";
export const PATHS = ["src/one.ts", "src/two.ts"];

/** Contents with different interfaces: each is described for itself. */
const content = (version: number) =>
  `export function f(${Array.from({ length: version + 1 }, (_, at) => `p${at}: number`).join(", ")}): number {\n  return p0;\n}\n`;

/** By node: the texts that may be shown. More than one, where which of two is the newer is not known to the test. */
type Shown = Map<string, readonly string[]>;

interface Clone {
  name: string;
  repo: Repo;
  /** By path and content: what was delivered, edited or imported last. */
  written: Map<string, Shown>;
  backups: string[];
}

export interface World {
  clones: readonly Clone[];
  /** By path and content: every text that any clone ever had. */
  all: Map<string, Map<string, Set<string>>>;
}

interface Turn {
  world: World;
  clone: Clone;
  other: Clone;
  roll: number;
  turn: number;
}

const keyOf = (repo: Repo, path: string) => `${path}\n${repo.has(path) ? repo.read(path) : ""}`;
const graphFile = ({ repo }: Clone) => join(repo.dir, GRAPH_FILE);
const isClean = ({ repo }: Clone) => repo.git("status", "--porcelain") === "";
const commits = ({ repo }: Clone) => Number(repo.git("rev-list", "--count", "HEAD"));
const isTracking = (name: string) => name.startsWith("tracks-");

function write({ all }: World, clone: Clone, key: string, texts: Iterable<[id: string, text: string]>): void {
  const shown: Shown = new Map();
  const known = all.get(key) ?? new Map<string, Set<string>>();
  all.set(key, known);
  for (const [id, text] of texts) {
    shown.set(id, [text]);
    known.set(id, (known.get(id) ?? new Set()).add(text));
  }
  clone.written.set(key, shown);
}

/** What another clone has may be shown as well; `isNew`: also where this one has nothing. */
function mayShow(clone: Clone, other: Clone, { isNew }: { isNew: boolean }): void {
  for (const [key, texts] of other.written) {
    const own = clone.written.get(key);
    if (own === undefined && !isNew) continue;
    const ids = own === undefined ? texts.keys() : own.keys();
    clone.written.set(
      key,
      new Map([...ids].map((id) => [id, [...new Set([...(own?.get(id) ?? []), ...(texts.get(id) ?? [])])]])),
    );
  }
}

/** What can happen to a clone. `roll` chooses among its kinds. */
const MOVES: Record<string, (turn: Turn) => void> = {
  commit({ clone: { repo }, roll }) {
    const path = PATHS[roll % PATHS.length] ?? "";
    const text = content(Math.floor(roll / 2) % 4);
    if (!repo.has(path) || repo.read(path) !== text) repo.commit("edit", { [path]: text });
  },
  deliver({ world, clone, turn }) {
    const { repo } = clone;
    const paths = PATHS.filter((path) => repo.has(path) && repo.git("diff", "--name-only", "HEAD", "--", path) === "");
    const result = analysisOf(repo, paths, `text ${turn}`);
    applyTo(repo, result);
    for (const path of paths) {
      const own = result.nodes.filter(({ filePath }) => filePath === path);
      write(
        world,
        clone,
        keyOf(repo, path),
        own.map(({ id, summary }) => [id, summary]),
      );
    }
  },
  edit({ world, clone, turn }) {
    const { repo, written } = clone;
    repo.uaJson("status");
    const path = PATHS.find((one) => written.has(keyOf(repo, one)));
    if (path === undefined || !existsSync(graphFile(clone))) return;
    const key = keyOf(repo, path);
    const ids = new Set(written.get(key)?.keys());
    const graph = graphOf(repo);
    const nodes = graph.nodes.map((node) => (ids.has(node.id) ? { ...node, summary: `edit ${turn}` } : node));
    repo.write({ [GRAPH_FILE]: JSON.stringify({ ...graph, nodes }, null, 2) });
    write(
      world,
      clone,
      key,
      [...ids].map((id) => [id, `edit ${turn}`]),
    );
  },
  checkout({ clone: { repo }, roll }) {
    const names = repo.git("branch", "--format=%(refname:short)").split("\n");
    const branches = names.filter((name) => !isTracking(name) && !name.startsWith("("));
    repo.git("checkout", "-q", branches[roll % branches.length] ?? "main");
  },
  branch: ({ clone: { repo }, turn }) => void repo.git("checkout", "-q", "-b", `topic-${turn}`),
  reset(turn) {
    if (commits(turn.clone) > 2) turn.clone.repo.git("reset", "-q", "--hard", "HEAD~1");
  },
  backup({ clone }) {
    if (existsSync(graphFile(clone))) clone.backups.push(clone.repo.read(GRAPH_FILE));
  },
  restore({ clone: { repo, backups }, roll }) {
    const backup = backups[roll % Math.max(backups.length, 1)];
    if (backup !== undefined) repo.write({ [GRAPH_FILE]: backup });
  },
  remove: ({ clone }) => rmSync(graphFile(clone), { force: true }),
  tear({ clone }) {
    clone.repo.uaJson("status");
    truncateSync(graphFile(clone), 300);
    rmSync(graphFile(clone));
    clone.repo.ua("install", "--yes");
  },
  /** All artefacts of another clone are put in the place of the own ones. */
  copy({ clone, other }) {
    if (clone.name === OLD || other.name === OLD) return; // another repository
    other.repo.uaJson("status");
    for (const name of ["knowledge-graph.json", "fingerprints.json", "meta.json"]) {
      const from = join(other.repo.dir, DATA, name);
      if (existsSync(from)) cpSync(from, join(clone.repo.dir, DATA, name));
    }
    mayShow(clone, other, { isNew: false });
  },
  move({ clone, other, turn }) {
    const file = join(clone.repo.base, `descriptions-${turn}.jsonl`);
    assert.equal(other.repo.ua("export", "--descriptions", file).code, 0);
    assert.equal(clone.repo.ua("import", file).code, 0);
    mayShow(clone, other, { isNew: true });
  },
  /** A branch that tracks the artefacts, as they are now. */
  publish({ clone, turn }) {
    if (!isClean(clone) || !existsSync(graphFile(clone))) return;
    const { repo } = clone;
    const here = repo.git("rev-parse", "--abbrev-ref", "HEAD");
    repo.git("checkout", "-q", "-b", `tracks-${clone.name}-${turn}`);
    const names = ["knowledge-graph.json", "fingerprints.json", "meta.json"].map((name) => `${DATA}/${name}`);
    repo.git("add", "-f", ...names.filter((name) => repo.has(name)));
    repo.git("commit", "-q", "-m", "the graph");
    repo.git("checkout", "-q", here);
  },
  /** A visit to such a branch of any clone: what came with it is left behind with it. */
  visit({ world, clone, other, roll }) {
    if (!isClean(clone)) return;
    const { repo } = clone;
    if (clone.name !== OLD && other.name !== OLD)
      repo.git("fetch", "-q", "--no-tags", other.repo.dir, "+refs/heads/tracks-*:refs/heads/tracks-*");
    const branches = repo.git("branch", "--list", "tracks-*", "--format=%(refname:short)").split("\n").filter(Boolean);
    const branch = branches[roll % Math.max(branches.length, 1)];
    if (branch === undefined) return;
    const here = repo.git("rev-parse", "--abbrev-ref", "HEAD");
    repo.git("checkout", "-q", branch);
    repo.uaJson("status");
    const wrong = missing(clone, (key) => world.all.get(key));
    assert.deepEqual(wrong, [], `on ${branch}`);
    repo.git("checkout", "-q", here);
  },
  pull({ clone, other }) {
    if (clone.name === OLD || other.name === OLD || !isClean(clone)) return;
    clone.repo.git("fetch", "-q", "--no-tags", other.repo.dir, "HEAD");
    const { code } = clone.repo.tryGit("merge", "-q", "-X", "theirs", "--no-edit", "FETCH_HEAD");
    if (code !== 0) clone.repo.git("merge", "--abort");
  },
  /** A command, or a checkout's hook, is killed at one of its writes. */
  kill({ clone, roll }) {
    const { repo } = clone;
    const point = KILLED[roll % KILLED.length] ?? "";
    const killed = repoAt(repo.dir, repo.base, { ...repo.env, UA_HOOKS_FAULT: `${point}:kill` });
    if (roll % 2 === 0 || commits(clone) <= 2) killed.ua("run");
    else killed.tryGit("checkout", "-q", "-B", "killed", "HEAD~1");
  },
  rebuild: ({ clone: { repo } }) => void repo.ua("install", "--yes", "--rebuild"),
  run: ({ clone: { repo } }) => void repo.ua("run"),
};

const KILLED = ["graph.write", "fingerprints.write", "baseline.write", "file.rename", "db.commit", "verify.save"];
/** A clone whose state the version before wrote; its first command here is the upgrade. */
const OLD = "old";

export function makeWorld(t: TestContext): World {
  const repo = installedRepo(t);
  repo.commit("two files", Object.fromEntries(PATHS.map((path) => [path, content(0)])));
  repo.git("clone", "-q", repo.dir, "../second");
  const second = repo.at(join(repo.base, "second"));
  const { code, stderr } = second.ua("install", "--yes");
  assert.equal(code, 0, stderr);
  const { repo: before } = cloneOfVersionBefore(t);
  const clones = [
    { name: "first", repo },
    { name: "second", repo: second },
    { name: OLD, repo: before },
  ].map((one): Clone => ({ ...one, written: new Map(), backups: [] }));
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
  const names = Object.keys(MOVES);
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
  MOVES[name]?.({ world, clone, other: others[roll % others.length] as Clone, roll, turn });
  return clone;
}

/** What a clone does not show of what was written for the contents that it has. */
export function missingIn(clone: Clone): string[] {
  clone.repo.uaJson("status");
  return missing(clone, (key) => clone.written.get(key));
}

function missing(
  { name, repo, written }: Clone,
  mayBe: (key: string) => ReadonlyMap<string, Iterable<string>> | undefined,
): string[] {
  const shown = summaries(repo);
  return [...PATHS, "src/b.ts"].flatMap((path) => {
    const key = keyOf(repo, path);
    return [...(written.get(key)?.keys() ?? [])].flatMap((id) => {
      const texts = [...(mayBe(key)?.get(id) ?? [])];
      const text = shown.get(id) ?? "nothing";
      return texts.includes(text) ? [] : [`${name}: ${id} should be "${texts.join('" or "')}", and is "${text}"`];
    });
  });
}
