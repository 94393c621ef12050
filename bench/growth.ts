import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Curve, Part } from "./bench.js";
import { describeSome } from "./descriptions.js";
import { interleave, type Row, row, type Samples, spread, time } from "./measure.js";
import { importRecords } from "./records.js";
import { cleanEnv, git, hook, hookAfterEdit, installOurs, makeRepo, type Place, withForeground } from "./repos.js";

/** A curve before it is measured: what to run at each size. */
interface Plan {
  over: string;
  /** Most that the largest may take of the smallest's time; null where the cost is meant to grow. */
  bar: number | null;
  points: { at: number; run: () => number }[];
}

/** Thirty points, each round. */
const ALL_CURVES_MS = 120_000;

/** Different contents in a repository whose size alone counts. */
const TEXTS = 500;

/** One commit's Phase 0 and 1 with git waiting, over what it should not depend on, and over the size of the change. */
export const growthRows: Part = async (bench) => {
  const plans = [
    ...[overFiles(bench), overHistory(bench), overRecords(bench), overWorktrees(bench)],
    ...[await overDescriptions(bench), await overAuthors(bench), overChanged(bench)],
  ];
  const contenders: Record<string, () => number> = {
    node: () => time(process.execPath, ["-e", "0"], { cwd: bench.base, env: cleanEnv(bench.base) }),
  };
  for (const { over, points } of plans) for (const { at, run } of points) contenders[`${over} ${at}`] = run;
  const samples = await interleave(bench.rounds(15), contenders, ALL_CURVES_MS);
  bench.curves.push(...plans.map((plan) => curveOf(plan, samples)));
  return plans.map((plan) => rowOf(plan, samples));
};

function curveOf({ over, points }: Plan, samples: Samples): Curve {
  const floor = spread(samples.get("node") ?? []).median;
  return { over, floor, points: points.map(({ at }) => ({ at, ...spread(samples.get(`${over} ${at}`) ?? []) })) };
}

/** The largest against the smallest. */
function rowOf({ over, bar, points }: Plan, samples: Samples): Row {
  const [least = 0, most = 0] = [points[0]?.at, points.at(-1)?.at];
  const of = (at: number) => samples.get(`${over} ${at}`) ?? [];
  const what = `one commit, foreground, ${most.toLocaleString("en")} ${over} ÷ ${least.toLocaleString("en")}`;
  return row(what, of(most), of(least), bar);
}

const sizes = ({ quick }: Bench, all: readonly number[]) => (quick ? all.slice(0, -1) : all);

function overFiles(bench: Bench): Plan {
  const points = sizes(bench, [500, 2_000, 10_000, 50_000]).map((at) => {
    const place = makeRepo(bench.base, `files-${at}`, at, TEXTS);
    installOurs(place);
    return { at, run: () => hookAfterEdit(place) };
  });
  return { over: "files", bar: 1.5, points };
}

function overHistory(bench: Bench): Plan {
  const points = sizes(bench, [10, 100, 1_000, 5_000]).map((at) => {
    const place = makeRepo(bench.base, `history-${at}`, 500);
    addCommits(place, at - 1);
    installOurs(place);
    return { at, run: () => hookAfterEdit(place) };
  });
  return { over: "commits of history", bar: 1.5, points };
}

/** As a stream for git fast-import: thousands in a moment. */
function addCommits(place: Place, count: number): void {
  const commits = Array.from({ length: count }, (_, at) => {
    const text = `export const edit = ${at};\n`;
    const from = at === 0 ? "from refs/heads/main^0\n" : "";
    const head = `commit refs/heads/main\ncommitter A <a@x> ${1_700_000_000 + at} +0000\ndata 1\nx\n${from}`;
    return `${head}M 100644 inline src/d0/f1.ts\ndata ${text.length}\n${text}\n`;
  });
  execFileSync("git", ["fast-import", "--quiet"], { cwd: place.dir, env: place.env, input: commits.join("") });
  git(place, "reset", "-q", "--hard");
}

/** Two records a file at most, on the changed one as well. */
function overRecords(bench: Bench): Plan {
  const first = makeRepo(bench.base, "records", 5_000);
  installOurs(first);
  const points = sizes(bench, [10, 100, 1_000, 10_000]).map((at) => {
    const place = { ...first, dir: join(bench.base, `records-${at}`) };
    cpSync(first.dir, place.dir, { recursive: true, preserveTimestamps: true });
    git(place, "update-index", "-q", "--refresh");
    importRecords(place, at);
    return { at, run: () => hookAfterEdit(place) };
  });
  rmSync(first.dir, { recursive: true });
  return { over: "records", bar: 1.5, points };
}

function overWorktrees(bench: Bench): Plan {
  const points = sizes(bench, [1, 3, 10, 30]).map((at) => {
    const place = makeRepo(bench.base, `worktrees-${at}`, 500);
    installOurs(place);
    for (let linked = 1; linked < at; linked++)
      git(withForeground(place), "worktree", "add", "-q", "--detach", `../linked-${at}-${linked}`);
    return { at, run: () => hookAfterEdit(place) };
  });
  return { over: "worktrees", bar: 1.5, points };
}

/** So many descriptions of other contents in the store. */
async function overDescriptions(bench: Bench): Promise<Plan> {
  const points: Plan["points"] = [];
  for (const at of sizes(bench, [100, 1_000, 10_000, 100_000])) {
    const place = makeRepo(bench.base, `descriptions-${at}`, 500);
    installOurs(place);
    await describeSome(place, at);
    points.push({ at, run: () => hookAfterEdit(place) });
  }
  return { over: "descriptions", bar: 1.5, points };
}

/** The same number of descriptions, of ever more authors who share them. */
async function overAuthors(bench: Bench): Promise<Plan> {
  const points: Plan["points"] = [];
  for (const at of sizes(bench, [1, 10, 100, 1_000])) {
    const place = makeRepo(bench.base, `authors-${at}`, 500);
    installOurs(place);
    await describeSome(place, 5_000, at);
    points.push({ at, run: () => hookAfterEdit(place) });
  }
  return { over: "shared authors", bar: 1.5, points };
}

/** Taken back each time, so that what one commit leaves pending is not in the next one's time. */
function overChanged(bench: Bench): Plan {
  const place = makeRepo(bench.base, "changed", 2_000, TEXTS);
  installOurs(place);
  const paths = Array.from({ length: 300 }, (_, at) => `src/d${Math.floor((at * 5) / 100)}/f${at * 5}.ts`);
  const points = sizes(bench, [1, 3, 10, 30, 100, 300]).map((at) => {
    const run = () => {
      const ms = hookAfterEdit(place, paths.slice(0, at));
      git(place, "reset", "-q", "--hard", "HEAD~1");
      hook(place);
      return ms;
    };
    return { at, run };
  });
  return { over: "changed files in the commit", bar: null, points };
}
