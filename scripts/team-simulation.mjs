// What sharing saves a real team: the last commits of a repository are made again by clones of their own authors, once with
// sharing and once without. An author pulls, lets an agent describe what is pending, makes the commit, lets it be described, and pushes. Every
// description is a made-up sentence; what counts is how many tokens an agent was asked to read (`estimatedTokens`).
// Usage: node scripts/team-simulation.mjs [--write] <git dir> [commits] [authors] [commit to end with]     (needs a build: npm run build)
// --write: into bench/team.json and docs/benchmarks.md, in the place of the last run with this repository.
// The same commit gives the same numbers.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { readStored, storeAndWrite } from "./page.mjs";

const cli = join(import.meta.dirname, "../dist/cli.cjs");
const isWritten = process.argv.includes("--write");
const given = process.argv.slice(2).filter((one) => one !== "--write");
const [source, last = "40", most = "4", tip = "HEAD"] = given;
const base = mkdtempSync(join(tmpdir(), "ua-hooks-team-"));
const env = {
  ...{ PATH: process.env.PATH, HOME: base, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", NO_COLOR: "1" },
  ...{ GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@x", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@x" },
  UA_HOOKS_FOREGROUND: "1",
};

const git = (cwd, ...args) =>
  execFileSync("git", args, {
    cwd,
    env,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();

function ua(cwd, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args, "--json"], {
    ...{ cwd, env, encoding: "utf8", maxBuffer: 1 << 28 },
  });
  if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
  return JSON.parse(stdout);
}

/** The commits of the default branch, oldest first, with their authors; those of bots count as one outside of the team. */
function history() {
  const lines = git(source, "log", "--first-parent", "--format=%H%x09%an", `-${last}`, tip).split("\n").reverse();
  const commits = lines.map((line) => ({ oid: line.split("\t")[0], author: line.split("\t")[1] }));
  const counts = new Map();
  for (const { author } of commits) if (!author.includes("[bot]")) counts.set(author, (counts.get(author) ?? 0) + 1);
  const team = [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, Number(most))
    .map(([author]) => author);
  return { commits, team };
}

/** What an agent does; returns how many tokens it was asked to read. */
function describePending(dir, turn) {
  const claimed = ua(dir, "claim", "--full");
  if (claimed.state === "none") return 0;
  const packets = [...claimed.packets];
  for (let page = 2; page <= claimed.pages; page++)
    packets.push(...ua(dir, "claim", "--lease", claimed.lease.id, "--page", String(page)).packets);
  const ids = packets.flatMap(({ symbols, describeFile }) => [
    ...symbols.map(({ id }) => id),
    ...(describeFile === null ? [] : [describeFile.id]),
  ]);
  const said = Object.fromEntries(ids.map((id) => [id, { summary: `Described in turn ${turn}.` }]));
  const file = join(base, "result.json");
  writeFileSync(file, JSON.stringify({ descriptions: said }));
  const { pending } = ua(dir, "apply", file, "--lease", claimed.lease.id);
  if (pending !== null) ua(dir, "ack");
  return claimed.estimatedTokens;
}

function play({ commits, team }, { isShared }) {
  const root = join(base, isShared ? "shared" : "alone");
  const hub = join(root, "hub.git");
  git(base, "clone", "-q", "--bare", source, hub);
  const start = git(source, "rev-parse", `${commits[0].oid}^`);
  for (const ref of git(hub, "for-each-ref", "--format=%(refname)").split("\n")) git(hub, "update-ref", "-d", ref);
  git(hub, "update-ref", "refs/heads/main", start);
  git(hub, "symbolic-ref", "HEAD", "refs/heads/main");
  const clones = team.map((_, at) => join(root, `clone${at}`));
  for (const dir of clones) {
    git(root, "clone", "-q", hub, dir);
    ua(dir, "install", "--yes");
    if (isShared) ua(dir, "share", "on", "--yes", "--trust", "pushers");
  }
  let tokens = 0;
  const catchUp = (dir, turn) => {
    git(dir, "pull", "-q", "--ff-only");
    if (isShared) ua(dir, "share", "pull");
    tokens += describePending(dir, turn);
  };
  for (const [turn, { oid, author }] of commits.entries()) {
    const dir = clones[team.indexOf(author)];
    if (dir === undefined) {
      git(hub, "update-ref", "refs/heads/main", oid); // pushed by a person without ua-hooks
      continue;
    }
    catchUp(dir, turn);
    git(dir, "fetch", "-q", source, oid);
    git(dir, "merge", "-q", "--ff-only", oid);
    tokens += describePending(dir, turn);
    git(dir, "push", "-q", "origin", "HEAD:main");
    if (isShared) ua(dir, "share", "push");
  }
  for (const dir of clones) {
    catchUp(dir, commits.length);
    if (isShared) ua(dir, "share", "push");
  }
  return tokens;
}

try {
  const team = history();
  if (team.team.length === 0) throw new Error("only bots wrote these commits: take more of them");
  const shared = play(team, { isShared: true });
  const alone = play(team, { isShared: false });
  const run = {
    ...{ repository: basename(resolve(source)).replace("+", "/"), tip: team.commits.at(-1).oid },
    ...{ commits: team.commits.length, clones: team.team.length, shared, alone },
  };
  process.stdout.write(`${JSON.stringify(run)}\n`);
  if (isWritten) {
    const others = readStored("team").runs.filter(({ repository }) => repository !== run.repository);
    storeAndWrite("team", { runs: [...others, run].sort((a, b) => (a.repository < b.repository ? -1 : 1)) });
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
