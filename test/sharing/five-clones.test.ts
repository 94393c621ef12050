import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { summaries } from "../support/agent.js";
import { dice, givenSeed } from "../support/dice.js";
import { type Served, serve, type Transport } from "../support/remotes.js";
import { type Repo, repoAt } from "../support/repo.js";
import { describe, type Hub, makeHub, makeKey, shareOn, stored, sync } from "../support/team.js";

/** UA_HOOKS_LONG=1 works long; UA_HOOKS_SEED=n does one week again. */
const LONG = process.env.UA_HOOKS_LONG === "1";
/** In the short form one transport has the work, and each of the others a few steps of three clones. */
const TEAMS: Record<Transport, { steps: number; clones: number }> = {
  file: { steps: LONG ? 150 : 10, clones: 5 },
  daemon: { steps: LONG ? 150 : 3, clones: LONG ? 5 : 3 },
  http: { steps: LONG ? 150 : 3, clones: LONG ? 5 : 3 },
};
const POINTS = [
  "share.append",
  "share.moved",
  "share.push",
  "share.pushed",
  "share.stored",
  "share.taken",
  "db.commit",
];

interface Team {
  hub: Hub;
  served: Served;
  clones: Repo[];
  /** The author of each; the last one is on no list. */
  authors: string[];
  turn: number;
}

async function makeTeam(t: TestContext, transport: Transport): Promise<Team> {
  const others = ["two", "three", "four", "five"].slice(0, TEAMS[transport].clones - 1);
  const hub = makeHub(t);
  const served = await serve(t, transport, hub.dir);
  hub.reachBy(served.url);
  const clones = [hub.first, ...others.map((name) => hub.clone(name))];
  const keys = clones.map(makeKey);
  const authors = clones.map((repo) => shareOn(repo, "signers"));
  const listed = authors.slice(0, -1).map((author, at) => `${author} ${keys[at]}\n`);
  // The last one has a key of its own on the list, under another's name.
  listed.push(`reader ${keys.at(-1)}\n`);
  hub.first.commit("signers", { ".ua-hooks-signers": `# who may share\n${listed.join("")}` });
  hub.first.git("push", "-q");
  for (const repo of clones) repo.git("pull", "-q", "--rebase");
  return { hub, served, clones, authors, turn: 0 };
}

const pathOf = (at: number) => `src/own${at}.ts`;

/** A file of one's own, so that nothing conflicts, with another interface each time. */
function edit({ clones, turn }: Team, at: number): void {
  const repo = clones[at] as Repo;
  const parameters = Array.from({ length: (turn % 5) + 1 }, (_, n) => `p${n}: number`).join(", ");
  const content = `export function own${at}_${turn % 3}(${parameters}): number {\n  return p0;\n}\n`;
  // After fifteen turns contents come back.
  if (!repo.has(pathOf(at)) || repo.read(pathOf(at)) !== content)
    repo.commit(`edit ${turn}`, { [pathOf(at)]: content });
}

/** Commits travel when the remote is there; else they wait. */
function exchangeCode(repo: Repo): void {
  if (repo.tryGit("pull", "-q", "--rebase").code === 0) repo.tryGit("push", "-q");
  else repo.tryGit("rebase", "--abort");
}

const ACTS: Record<string, (team: Team, at: number, roll: number) => void> = {
  edit(team, at) {
    edit(team, at);
    exchangeCode(team.clones[at] as Repo);
  },
  editOnBranch(team, at) {
    const repo = team.clones[at] as Repo;
    repo.git("checkout", "-q", "-B", "side");
    edit(team, at);
    repo.git("checkout", "-q", "main");
    repo.git("merge", "-q", "--no-edit", "side");
  },
  describe(team, at) {
    const repo = team.clones[at] as Repo;
    repo.ua("status");
    const files = repo.marker()?.filesToReanalyze ?? [];
    if (files.length > 0) describe(repo, files, `clone ${at}, turn ${team.turn}`);
  },
  describeAgain(team, at) {
    const repo = team.clones[at] as Repo;
    describe(repo, ["src/a.ts"], `clone ${at}, turn ${team.turn}`);
  },
  sync({ clones }, at) {
    (clones[at] as Repo).ua("share", "sync");
  },
  killedSync({ clones }, at, roll) {
    const { dir, base, env } = clones[at] as Repo;
    const fault = `${POINTS[roll % POINTS.length]}:kill@${1 + (roll % 3)}`;
    repoAt(dir, base, { ...env, UA_HOOKS_FAULT: fault }).ua("share", "sync");
  },
  code({ clones }, at) {
    exchangeCode(clones[at] as Repo);
  },
  failingRemote(team, at, roll) {
    team.served.fail((["refuse", "hang up", "cut"] as const)[roll % 3] ?? null);
    const { code, stderr } = (team.clones[at] as Repo).ua("share", "sync");
    assert.equal(code, 6, stderr);
    team.served.fail(null);
  },
  /** The one on no list has the right to push, and for a while writes what it says under a listed author's name. */
  forged({ hub: { first, dir }, authors, clones }, at) {
    const bare = first.at(dir);
    const [listed, liar] = [authors[0], authors.at(-1)].map((author) => `refs/ua-hooks/descriptions/v1/${author}`);
    const [tip, lie] = [listed, liar].map((ref) => bare.tryGit("rev-parse", "-q", "--verify", ref ?? ""));
    if (tip?.code !== 0 || lie?.code !== 0) return;
    bare.git("update-ref", listed ?? "", lie.stdout.trim());
    (clones[at] as Repo).ua("share", "pull");
    bare.git("update-ref", listed ?? "", tip.stdout.trim());
  },
  /** What `git push --mirror` from a clone without these refs does. */
  mirrored({ hub: { first, dir } }) {
    const bare = first.at(dir);
    for (const ref of bare.git("for-each-ref", "--format=%(refname)", "refs/ua-hooks").split("\n"))
      if (ref !== "") bare.git("update-ref", "-d", ref);
  },
};
const NAMES = Object.keys(ACTS);

const keyed = ({ path, type, name, hash, text }: ReturnType<typeof stored>[number]) =>
  [path, type, name, hash, text.summary].join(" | ");

/** Described here, of code that is on the remote. */
function publicRows(repo: Repo): string[] {
  const own = stored(repo).filter(({ source }) => source === "here");
  const isPublic = (line: (typeof own)[number]) =>
    (line.commit !== null && repo.tryGit("merge-base", "--is-ancestor", line.commit, "origin/main").code === 0) ||
    repo.tryGit("rev-parse", `origin/main:${line.path}`).stdout.trim() === line.oid;
  return own.filter(isPublic).map(keyed);
}

/** Everyone has described src/a.ts, whose content is always the same: each graph shows what its own clone said last. */
function assertOwnFirst({ clones }: Team): void {
  for (const [at, repo] of clones.entries()) {
    const own = stored(repo).filter(
      ({ source, path, name }) => source === "here" && path === "src/a.ts" && name === "add",
    );
    const [newest] = own.sort((a, b) => (a.at < b.at ? 1 : -1));
    if (newest === undefined) continue;
    assert.equal(summaries(repo).get("function:src/a.ts:add"), newest.text.summary, `clone ${at} shows another's`);
  }
}

/** What each clone described so far. */
function noteOwn({ clones }: Team, own: readonly Set<string>[]): void {
  for (const [at, repo] of clones.entries())
    for (const line of stored(repo)) if (line.source === "here") own[at]?.add(keyed(line));
}

for (const transport of ["file", "daemon", "http"] as const) {
  const { steps, clones } = TEAMS[transport];
  test(`${clones} clones and one remote (${transport}): every trusted description arrives everywhere, none is lost`, async (t) => {
    const seed = givenSeed();
    t.diagnostic(`UA_HOOKS_SEED=${seed}`);
    const roll = dice(seed);
    const team = await makeTeam(t, transport);
    const own = team.clones.map(() => new Set<string>());
    for (const at of [0, 1, team.clones.length - 1]) ACTS.describeAgain?.(team, at, 0); // two who are trusted, and one who is not
    noteOwn(team, own);
    for (team.turn = 1; team.turn <= steps; team.turn++) {
      const [name = "", at] = [NAMES[roll(NAMES.length)], roll(team.clones.length)];
      ACTS[name]?.(team, at, roll(1000));
      if (name.startsWith("describe")) noteOwn(team, own);
    }
    for (const repo of team.clones) repo.ua("share", "push");
    ACTS.forged?.(team, 1, 0);
    for (const repo of [...team.clones, ...team.clones]) exchangeCode(repo);
    for (const repo of [...team.clones, ...team.clones]) sync(repo);

    const wanted = team.clones.slice(0, -1).flatMap(publicRows);
    const untrusted = team.authors.at(-1);
    for (const [at, repo] of team.clones.entries()) {
      const lines = stored(repo);
      const have = new Set(lines.map(keyed));
      const isLast = at === team.clones.length - 1;
      if (!isLast)
        assert.deepEqual(
          wanted.filter((one) => !have.has(one)),
          [],
          `clone ${at} lacks something`,
        );
      const others = lines.filter(({ author }) => !isLast && author === untrusted);
      assert.deepEqual(others, [], "of the author on no list");
      const lies = isLast ? [] : [...(own.at(-1) ?? [])].filter((one) => have.has(one));
      assert.deepEqual(lies, [], "of the author on no list, under another's name");
      const here = new Set(lines.filter(({ source }) => source === "here").map(keyed));
      assert.deepEqual(
        [...(own[at] ?? [])].filter((one) => !here.has(one)),
        [],
        `clone ${at} lost what it described`,
      );
      assert.deepEqual(
        [...here].filter((one) => !own[at]?.has(one)),
        [],
        `clone ${at} took another's for its own`,
      );
    }
    assert.ok(wanted.length > 0);
    assertOwnFirst(team);
  });
}
