import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { graphOf } from "../support/agent.js";
import { dice, givenSeed } from "../support/dice.js";
import { answer, askedIn, claim, describeAll, descriptionsFor } from "../support/packets.js";
import { installedRepo, type Repo } from "../support/repo.js";
import { shrink } from "../support/shrink.js";

/** UA_HOOKS_LONG=1 lives long; UA_HOOKS_SEED=n lives one life again, with UA_HOOKS_MOVES=[…] just these moves of it. */
const LONG = process.env.UA_HOOKS_LONG === "1";
const MOVES = LONG ? 300 : 10;
const PATHS = ["src/one.ts", "src/two.ts"];
const NAMES = ["f", "g", "h", "k"];

/** A function of a file: its parameters and a number in its body. */
type Version = { params: number; body: number };
type Project = Record<string, { module: number; functions: Record<string, Version> }>;

const paramsOf = ({ params }: Version) => Array.from({ length: params + 1 }, (_, at) => `p${at}: number`).join(", ");
/** The number is another one for each file and name: no function is another one, renamed or moved. */
const functionText = (path: string, name: string, version: Version) =>
  `export function ${name}(${paramsOf(version)}): number {\n  return p0 + ${version.body}${PATHS.indexOf(path)}${NAMES.indexOf(name)};\n}\n`;
const fileText = (path: string, { module, functions }: Project[string]) =>
  `export const m = ${module};\n${Object.entries(functions)
    .map(([name, version]) => functionText(path, name, version))
    .join("")}`;

interface Life {
  repo: Repo;
  project: Project;
  /** What was described, or vouched for, once: id and content. */
  vouched: Set<string>;
  /** What was described in words. */
  described: Set<string>;
}

/** Every symbol of HEAD with its content, as a model of its own. */
function symbolsOf(project: Project): Map<string, string> {
  const all = new Map<string, string>();
  for (const [path, { module, functions }] of Object.entries(project)) {
    const heads = Object.entries(functions).map(([name, version]) => `${name}(${paramsOf(version)})`);
    all.set(`file:${path}`, `${module} ${heads.sort().join(" ")}`);
    for (const [name, version] of Object.entries(functions))
      all.set(`function:${path}:${name}`, functionText(path, name, version));
  }
  return all;
}

const spelled = (id: string, content: string | undefined) => `${id}\n${content}`;

function commit({ repo, project }: Life): void {
  const texts = PATHS.map((path) => [path, fileText(path, project[path] ?? { module: 0, functions: {} })] as const);
  if (texts.every(([path, text]) => repo.has(path) && repo.read(path) === text)) return;
  repo.commit("edit", Object.fromEntries(texts));
}

/** What is asked now, by the packets; the lease is given back. */
function pendingIds({ repo }: Life): string[] {
  const { packets = [], lease } = claim(repo, "--no-code", "--full");
  if (lease !== undefined && lease !== null) repo.ua("release", "--lease", lease.id);
  return askedIn(packets);
}

/** What can happen. `roll` chooses among its kinds. */
const HAPPENINGS: Record<string, (life: Life, roll: number, turn: number) => void> = {
  body: (life, roll) => edit(life, roll, (version) => ({ ...version, body: (version.body + 1) % 5 })),
  parameter: (life, roll) => edit(life, roll, (version) => ({ ...version, params: (version.params + 1) % 3 })),
  module(life, roll) {
    const file = life.project[PATHS[roll % 2] ?? ""];
    if (file !== undefined) file.module = (file.module + 1) % 4;
    commit(life);
  },
  add(life, roll) {
    const file = life.project[PATHS[roll % 2] ?? ""];
    const name = NAMES.find((one) => file !== undefined && !(one in file.functions));
    if (file !== undefined && name !== undefined) file.functions[name] = { params: 0, body: roll % 5 };
    commit(life);
  },
  remove(life, roll) {
    const file = life.project[PATHS[roll % 2] ?? ""];
    const [name] = Object.keys(file?.functions ?? {});
    if (name !== undefined) delete file?.functions[name];
    commit(life);
  },
  describe: (life, roll, turn) => deliver(life, roll, turn),
  vouch: (life, roll, turn) => deliver(life, roll + 1, turn),
  all(life, _roll, turn) {
    for (let at = 0; at < 20 && pendingIds(life).length > 0; at++) deliver(life, 2 * at, turn);
  },
};

function edit(life: Life, roll: number, change: (version: Version) => Version): void {
  const file = life.project[PATHS[roll % 2] ?? ""];
  const names = Object.keys(file?.functions ?? {});
  const name = names[Math.floor(roll / 2) % Math.max(names.length, 1)];
  const version = name === undefined ? undefined : file?.functions[name];
  if (file !== undefined && name !== undefined && version !== undefined) file.functions[name] = change(version);
  commit(life);
}

/** A part of what is asked; an odd roll says that it still holds. */
function deliver(life: Life, roll: number, turn: number): void {
  const { repo, project, vouched, described } = life;
  const { packets = [], lease } = claim(repo, "--full");
  const ids = askedIn(packets);
  const some = ids.filter((_, at) => (at + roll) % 3 !== 0 || ids.length === 1);
  if (lease === undefined || lease === null) return;
  const contents = symbolsOf(project);
  const given = roll % 2 === 1 ? { unchanged: some } : { descriptions: descriptionsFor(some, `turn ${turn}`) };
  const { refused } = answer(repo, given, "--lease", lease.id);
  assert.deepEqual(refused, []);
  for (const id of some) {
    vouched.add(spelled(id, contents.get(id)));
    if (roll % 2 === 0) described.add(spelled(id, contents.get(id)));
  }
  repo.ua("release", "--lease", lease.id);
}

/** What is wrong now. */
function wrongIn(life: Life): string[] {
  const pending = new Set(pendingIds(life));
  return [...symbolsOf(life.project)].flatMap(([id, content]) => {
    const key = spelled(id, content);
    if (!pending.has(id) && !life.vouched.has(key)) return [`${id} is fresh, and nothing was said of ${content}`];
    return pending.has(id) && life.described.has(key) ? [`${id} is asked again for ${content}`] : [];
  });
}

interface LifeMove {
  name: string;
  roll: number;
  turn: number;
}

function begin(t: TestContext): Life {
  const repo = installedRepo(t);
  repo.commit("every", { ".ua-hooksrc.json": '{ "refresh": "every", "thresholds": { "fullShare": 1 } }\n' });
  const file = () => ({ module: 0, functions: { f: { params: 0, body: 0 }, g: { params: 1, body: 1 } } });
  const life: Life = {
    repo,
    project: { "src/one.ts": file(), "src/two.ts": file() },
    vouched: new Set(),
    described: new Set(),
  };
  commit(life);
  return life;
}

function live(t: TestContext, moves: readonly LifeMove[]): { at: number; wrong: string[] } | null {
  const life = begin(t);
  for (const [at, { name, roll, turn }] of moves.entries()) {
    HAPPENINGS[name]?.(life, roll, turn);
    const wrong = wrongIn(life);
    if (wrong.length > 0) return { at, wrong };
  }
  return null;
}

test("random lives of symbols: what changed since it was vouched for is asked, what was described is not, in any order", async (t) => {
  const seed = givenSeed();
  const given = process.env.UA_HOOKS_MOVES;
  const roll = dice(seed);
  const names = Object.keys(HAPPENINGS);
  const random = Array.from({ length: MOVES }, (_, turn) => ({
    name: names[roll(names.length)] ?? "",
    roll: roll(1000),
    turn,
  }));
  const moves = given === undefined ? random : (JSON.parse(given) as LifeMove[]);
  t.diagnostic(`UA_HOOKS_SEED=${seed}, ${moves.length} moves`);
  const lost = live(t, moves);
  if (lost === null) return;
  const fewest = await shrink(moves.slice(0, lost.at + 1), async (part) => live(t, part) !== null, 40);
  const { wrong } = live(t, fewest) ?? lost;
  assert.fail(
    `${wrong.join("\n")}\nafter: ${fewest.map(({ name }) => name).join(", ")}\nagain: UA_HOOKS_MOVES='${JSON.stringify(fewest)}'`,
  );
});

test("a content that was answered in part is asked about again when it comes back after another one was answered", (t) => {
  const { repo } = begin(t);
  const file = "src/two.ts";
  const id = `function:${file}:f`;
  const start = repo.read(file);
  const first = start.replace("f(p0: number)", "f(p0: number, p1: number)");
  describeAll(repo, "start");
  repo.commit("first", { [file]: first });
  const { lease } = claim(repo);
  const part = { descriptions: descriptionsFor([id], "first") };
  answer(repo, part, "--lease", lease?.id ?? "");
  repo.commit("second", { [file]: first.replace("f(p0: number, p1: number)", "f(p0: string)") });
  claim(repo, "--lease", lease?.id ?? "");
  answer(repo, { unchanged: [`file:${file}`] }, "--lease", lease?.id ?? "");
  repo.ua("release", "--lease", lease?.id ?? "");
  repo.commit("back", { [file]: first });
  assert.deepEqual(askedIn(claim(repo).packets), [`file:${file}`], "nothing was said of the file at this content");
  answer(repo, { unchanged: [`file:${file}`] });
  repo.commit("start", { [file]: start });
  repo.commit("and back", { [file]: first });
  assert.equal(repo.uaJson("status").status, "fresh", "by now all of it is answered");
});

/** Without times and commits. */
const lasting = (repo: Repo) => {
  const { nodes, edges, layers } = graphOf(repo);
  return { nodes, edges, layers };
};

test("descriptions that are applied one by one, in any order, end in the same graph as all at once", (t) => {
  const lives = [begin(t), begin(t), begin(t)];
  for (const [at, { repo }] of lives.entries()) {
    const ids = askedIn(claim(repo).packets);
    const order = at === 0 ? [ids] : (at === 1 ? ids : [...ids].reverse()).map((id) => [id]);
    for (const some of order) answer(repo, { descriptions: descriptionsFor(some, "said") });
    assert.equal(repo.uaJson("status").status, "fresh");
  }
  const [whole, ...others] = lives.map(({ repo }) => lasting(repo));
  for (const other of others) assert.deepEqual(other, whole);
});
