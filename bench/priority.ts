import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Part } from "./bench.js";
import { interleave, median, type Row, row, time } from "./measure.js";
import { git, installOurs, makeRepo, type Place, quiet } from "./repos.js";

const COMMITS = 20;
const REBASED = 100;
/** A worker takes seconds for them, and a `git status` milliseconds: more files make only the rounds longer. */
const SWITCHED = 2_000;

/** What our worker does after each of these is measured beside a user who goes on: `git status` in another repository. */
export const priorityRows: Part = async (bench) => {
  const user = makeRepo(bench.base, "user", 2_000, 50);
  return [
    await besideRow(bench, user, `${COMMITS} commits in a row`, burst(bench)),
    await besideRow(bench, user, `a rebase of ${REBASED} commits`, rebase(bench)),
    await besideRow(bench, user, `a switch of ${SWITCHED.toLocaleString("en")} files`, bigSwitch(bench)),
  ];
};

/** What starts a worker, and the repository that it works in. */
interface Burden {
  place: Place;
  start(): void;
}

/** Some in a row: they cost little beside what starts the worker. */
const STATUSES = 5;

function status({ dir, env }: Place): number {
  const once = () => time("git", ["status", "--porcelain"], { cwd: dir, env });
  return median(Array.from({ length: STATUSES }, once));
}

/** While the worker runs. The row shows how often it still ran after the last `git status`. */
async function besideRow({ rounds }: Bench, user: Place, what: string, { place, start }: Burden): Promise<Row> {
  let met = 0;
  let asked = 0;
  const samples = await interleave(rounds(11), {
    alone: () => status(user),
    beside: async () => {
      start();
      asked++;
      const ms = status(user);
      if (existsSync(join(place.dir, ".git/ua-hooks/runner.pid"))) met++;
      await quiet(place);
      return ms;
    },
  });
  const found = row(`git status beside ${what} ÷ alone`, samples.get("beside") ?? [], samples.get("alone") ?? [], null);
  return { ...found, detail: `${found.detail}; a worker ran to the end of ${met} of ${asked}` };
}

function burst({ base }: Bench): Burden {
  const place = makeRepo(base, "burst", 500);
  installOurs(place);
  let round = 0;
  const start = () => {
    for (let at = 0; at < COMMITS; at++) {
      appendFileSync(join(place.dir, `src/d1/f${100 + at}.ts`), `export const added${round++} = ${at};\n`);
      git(place, "commit", "-q", "-a", "-m", "x");
    }
  };
  return { place, start };
}

function rebase({ base }: Bench): Burden {
  const place = makeRepo(base, "rebase", 600);
  const off = { ...place, env: { ...place.env, UA_HOOKS: "0" } };
  git(off, "checkout", "-q", "-b", "other");
  for (let at = 0; at < REBASED; at++) {
    appendFileSync(join(place.dir, `src/d${Math.floor(at / 100)}/f${at}.ts`), `export const added${at} = ${at};\n`);
    git(off, "commit", "-q", "-a", "-m", `${at}`);
  }
  git(off, "checkout", "-q", "main");
  writeFileSync(join(place.dir, "other.txt"), "main moved\n");
  git(off, "add", "-A");
  git(off, "commit", "-q", "-m", "main moved");
  installOurs(place);
  const start = () => {
    git(off, "checkout", "-q", "-B", "moving", "other");
    git(place, "rebase", "-q", "main");
  };
  return { place, start };
}

/** Contents that are new each time, so that they are parsed. */
function bigSwitch({ base }: Bench): Burden {
  const place = makeRepo(base, "switch", SWITCHED, 500);
  installOurs(place);
  const off = { ...place, env: { ...place.env, UA_HOOKS: "0" } };
  const paths = git(place, "ls-files").trimEnd().split("\n");
  let round = 0;
  const start = () => {
    git(off, "checkout", "-q", "-B", "next", "main");
    round++;
    for (const path of paths) {
      const file = join(place.dir, path);
      writeFileSync(file, `${readFileSync(file, "utf8")}export const round${round} = ${round};\n`);
    }
    git(off, "commit", "-q", "-a", "-m", "all");
    git(off, "checkout", "-q", "main");
    git(place, "checkout", "-q", "next");
  };
  return { place, start };
}
