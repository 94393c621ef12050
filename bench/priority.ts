import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Part } from "./bench.js";
import { interleave, type Row, row, time } from "./measure.js";
import { git, installOurs, makeRepo, type Place, quiet } from "./repos.js";

/** What our worker does after each of these is measured beside a user who goes on: `git status` in another repository. */
export const priorityRows: Part = async (bench) => {
  const user = makeRepo(bench.base, "user", 2_000, 50);
  return [
    await besideRow(bench, user, "20 commits in a row", burst(bench)),
    await besideRow(bench, user, "a rebase of 500 commits", rebase(bench)),
    await besideRow(bench, user, "a switch of 20,000 files", bigSwitch(bench)),
  ];
};

/** What starts a worker, and the repository that it works in. */
interface Burden {
  place: Place;
  start(): void;
}

const status = ({ dir, env }: Place) => time("git", ["status", "--porcelain"], { cwd: dir, env });

/** While the worker runs. The row shows how often there was one. */
async function besideRow({ rounds }: Bench, user: Place, what: string, { place, start }: Burden): Promise<Row> {
  let met = 0;
  let asked = 0;
  const samples = await interleave(rounds(11), {
    alone: () => status(user),
    beside: async () => {
      start();
      asked++;
      if (existsSync(join(place.dir, ".git/ua-hooks/runner.pid"))) met++;
      const ms = status(user);
      await quiet(place);
      return ms;
    },
  });
  const found = row(`git status beside ${what} ÷ alone`, samples.get("beside") ?? [], samples.get("alone") ?? [], null);
  return { ...found, detail: `${found.detail}; a worker ran in ${met} of ${asked}` };
}

function burst({ base }: Bench): Burden {
  const place = makeRepo(base, "burst", 500);
  installOurs(place);
  let round = 0;
  const start = () => {
    for (let at = 0; at < 20; at++) {
      appendFileSync(join(place.dir, `src/d1/f${100 + at}.ts`), `export const added${round++} = ${at};\n`);
      git(place, "commit", "-q", "-a", "-m", "x");
    }
  };
  return { place, start };
}

function rebase({ base, quick }: Bench): Burden {
  const place = makeRepo(base, "rebase", 600);
  const commits = quick ? 50 : 500;
  const off = { ...place, env: { ...place.env, UA_HOOKS: "0" } };
  git(off, "checkout", "-q", "-b", "other");
  for (let at = 0; at < commits; at++) {
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
function bigSwitch({ base, quick }: Bench): Burden {
  const files = quick ? 1_000 : 20_000;
  const place = makeRepo(base, "switch", files, 500);
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
