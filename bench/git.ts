import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Part } from "./bench.js";
import { interleave, type Row, row, time } from "./measure.js";
import { dist, git, installOurs, installPeer, makeRepo, type Place, quiet, reinstallPeer } from "./repos.js";

const MANAGERS = ["husky", "lefthook", "simple-git-hooks"] as const;

/** What is measured, as the rows and README's table name it. */
export const COMMANDS = {
  commit: "git commit",
  checkout: "git checkout of a branch",
  rebase: "git rebase of 50 commits",
} as const;
export const overEmpty = (what: string) => `${what}: ua-hooks ÷ four hook files that say \`exit 0\``;
export const overNone = (what: string, who = "ua-hooks") => `${what}: ${who} ÷ none`;
export const running = (peer: string) => `${peer} running true`;

/** What git's user waits for: commit, checkout, rebase; bare, with hook files that do nothing, with ours, with each peer running `true`. */
export const gitRows: Part = async ({ base, quick, rounds }) => {
  const places: Record<string, Place> = {};
  const peers = quick ? [] : MANAGERS; // a minute is too short for them
  for (const name of ["bare", "empty", "ours", ...peers] as const) {
    const place = makeRepo(base, name, 200);
    places[name] = place;
    prepareBranches(place);
    if (name === "ours") installOurs(place);
    else if (name === "empty") writeEmptyHooks(place);
    else if (name !== "bare") installPeer(place, name);
  }
  const each = (run: (place: Place) => Promise<number>) =>
    Object.fromEntries(Object.entries(places).map(([name, place]) => [name, () => run(place)]));
  const commits = await interleave(quick ? 15 : rounds(41), each(commitOnce));
  const checkouts = await interleave(quick ? 11 : rounds(31), each(checkoutOnce));
  const rebases = await interleave(quick ? 3 : rounds(9), each(rebaseOnce));
  const rows: Row[] = [];
  for (const [what, samples] of [
    [COMMANDS.commit, commits],
    [COMMANDS.checkout, checkouts],
    [COMMANDS.rebase, rebases],
  ] as const) {
    const of = (name: string) => samples.get(name) ?? [];
    rows.push(row(overEmpty(what), of("ours"), of("empty"), 1.25));
    rows.push(row(overNone(what, "such hook files"), of("empty"), of("bare"), null));
    rows.push(row(overNone(what), of("ours"), of("bare"), null));
    for (const name of peers) rows.push(row(overNone(what, running(name)), of(name), of("bare"), null));
  }
  return rows;
};

/**
 * Ours with each hook manager, compared with that manager running `true` alone: once as install leaves it, once as the manager's next
 * install does (the slot in its own config; husky has only that one).
 */
export const slotRows: Part = async ({ base, rounds }) => {
  const places: Record<string, Place> = {};
  for (const name of MANAGERS) {
    for (const kind of ["alone", "guest", "slot"] as const) {
      const place = makeRepo(base, `${name}-${kind}`, 200);
      places[`${name} ${kind}`] = place;
      const path = [join(dist, "..", "node_modules", ".bin"), place.env.PATH].join(":");
      place.env = { ...place.env, PATH: path };
      installPeer(place, name);
      git(place, "add", "-A");
      git(place, "commit", "-q", "-m", "hooks");
      if (kind !== "alone") installOurs(place, "--yes");
      if (kind === "slot") reinstallPeer(place, name);
      git(place, "add", "-A");
      git(place, "commit", "-q", "--allow-empty", "-m", "lines");
      prepareBranches(place);
    }
  }
  const each = (run: (place: Place) => Promise<number>) =>
    Object.fromEntries(Object.entries(places).map(([name, place]) => [name, () => run(place)]));
  const rows: Row[] = [];
  for (const [what, samples, bar] of [
    [COMMANDS.commit, await interleave(rounds(31), each(commitOnce)), 1.5],
    [COMMANDS.checkout, await interleave(rounds(21), each(checkoutOnce)), 1.8],
  ] as const) {
    const of = (name: string) => samples.get(name) ?? [];
    for (const name of MANAGERS) {
      rows.push(row(`${what}: ua-hooks beside ${name} ÷ ${name} alone`, of(`${name} guest`), of(`${name} alone`), bar));
      const slot = row(`${what}: in ${name}'s slot ÷ ${name} alone`, of(`${name} slot`), of(`${name} alone`), bar);
      if (name !== "husky") rows.push(slot);
    }
  }
  return rows;
};

/** The least that any hook costs: git starts a shell, which reads one line. */
function writeEmptyHooks({ dir }: Place): void {
  for (const event of ["post-commit", "post-merge", "post-checkout", "post-rewrite"])
    writeFileSync(join(dir, ".git/hooks", event), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
}

function prepareBranches(place: Place): void {
  git(place, "branch", "other");
  git(place, "checkout", "-q", "other");
  for (let at = 0; at < 50; at++) edit(place, `src/d1/f${100 + at}.ts`, true);
  git(place, "checkout", "-q", "main");
}

let edits = 0;

function edit({ dir, env }: Place, path: string, commit = false): void {
  appendFileSync(join(dir, path), `export const added${edits++} = () => ${edits};\n`);
  if (commit) git({ dir, env: { ...env, UA_HOOKS: "0" } }, "commit", "-q", "-a", "-m", "edit");
}

async function commitOnce(place: Place): Promise<number> {
  edit(place, "src/d0/f1.ts");
  const ms = time("git", ["commit", "-q", "-a", "-m", "x"], { cwd: place.dir, env: place.env });
  await quiet(place);
  return ms;
}

async function checkoutOnce(place: Place): Promise<number> {
  const there = time("git", ["checkout", "-q", "other"], { cwd: place.dir, env: place.env });
  await quiet(place);
  git(place, "checkout", "-q", "main");
  await quiet(place);
  return there;
}

async function rebaseOnce(place: Place): Promise<number> {
  git(place, "checkout", "-q", "-B", "moving", "other");
  await quiet(place);
  const ms = time("git", ["rebase", "-q", "main"], { cwd: place.dir, env: place.env });
  await quiet(place);
  git(place, "checkout", "-q", "main");
  await quiet(place);
  return ms;
}
