import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { largeGraphRows } from "./large.js";
import { interleave, type Row, row, time } from "./measure.js";
import { cleanEnv, dist, git, installOurs, installPeer, makeRepo, type Place, quiet } from "./repos.js";

const quick = process.argv.includes("--quick");
const rounds = (full: number) => (quick ? Math.max(5, Math.floor(full / 4)) : full);
const base = mkdtempSync(join(tmpdir(), "ua-hooks-bench-"));
let edits = 0;

async function main(): Promise<void> {
  const only = process.argv.find((argument) => argument.startsWith("--only="))?.slice("--only=".length);
  const rows = [
    ...(only === undefined || only === "git" ? await gitRows() : []),
    ...(only === undefined || only === "foreground" ? await foregroundRows() : []),
    ...(only === undefined || only === "graph" ? await largeGraphRows(makeRepo(base, "graph", 1), rounds(21)) : []),
  ];
  report(rows);
}

/** What git's user waits for: commit, checkout, rebase; bare, with ours, with each peer running `true`. */
async function gitRows(): Promise<Row[]> {
  const places: Record<string, Place> = {};
  for (const name of ["bare", "ours", "husky", "lefthook", "simple-git-hooks"] as const) {
    const place = makeRepo(base, name, 200);
    places[name] = place;
    prepareBranches(place);
    if (name === "ours") installOurs(place);
    else if (name !== "bare") installPeer(place, name);
  }
  const each = (run: (place: Place) => Promise<number>) =>
    Object.fromEntries(Object.entries(places).map(([name, place]) => [name, () => run(place)]));
  const commits = await interleave(rounds(41), each(commitOnce));
  const checkouts = await interleave(rounds(31), each(checkoutOnce));
  const rebases = await interleave(rounds(7), each(rebaseOnce));
  const rows: Row[] = [];
  for (const [what, samples, bar] of [
    ["git commit", commits, 1.5],
    ["git checkout of a branch", checkouts, 1.8],
    ["git rebase of 50 commits", rebases, 1.8],
  ] as const) {
    for (const name of ["ours", "husky", "lefthook", "simple-git-hooks"]) {
      const who = name === "ours" ? "ua-hooks" : `${name} running true`;
      rows.push(
        row(`${what}: ${who} ÷ none`, samples.get(name) ?? [], samples.get("bare") ?? [], name === "ours" ? bar : null),
      );
    }
  }
  return rows;
}

function prepareBranches(place: Place): void {
  git(place, "branch", "other");
  git(place, "checkout", "-q", "other");
  for (let at = 0; at < 50; at++) edit(place, `src/d1/f${100 + at}.ts`, true);
  git(place, "checkout", "-q", "main");
}

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

/** What a foreground run costs over starting Node at all. */
async function foregroundRows(): Promise<Row[]> {
  const small = makeRepo(base, "small", 500);
  const large = makeRepo(base, "large", quick ? 10_000 : 50_000);
  installOurs(small);
  installOurs(large);
  const samples = await interleave(rounds(41), {
    node: () => time(process.execPath, ["-e", "0"], { cwd: base, env: cleanEnv(base) }),
    nothing: () => hook(small),
    small: () => changed(small),
    large: () => changed(large),
  });
  const of = (name: string) => samples.get(name) ?? [];
  return [
    row("nothing changed, foreground ÷ node -e 0", of("nothing"), of("node"), 2),
    row("one changed TypeScript file, Phase 0+1, foreground ÷ node -e 0", of("small"), of("node"), 4),
    row(`one changed file in ${quick ? "10,000" : "50,000"} files ÷ in 500`, of("large"), of("small"), 1.5),
  ];
}

/** As git runs it, with git waiting: the hook file, the shim, Node. */
function hook({ dir, env }: Place): number {
  return time("sh", [".git/hooks/post-commit"], { cwd: dir, env: { ...env, UA_HOOKS_FOREGROUND: "1" } });
}

function changed(place: Place): number {
  const { dir, env } = place;
  const path = join(dir, "src/d1/f107.ts");
  const text = readFileSync(path, "utf8").replace(/^export const added.*\n/m, "");
  writeFileSync(path, `${text}export const added${edits++} = () => ${edits};\n`);
  git({ dir, env: { ...env, UA_HOOKS: "0" } }, "commit", "-q", "-a", "-m", "edit");
  return hook(place);
}

function report(rows: readonly Row[]): void {
  const machine = {
    node: process.version,
    cores: cpus().length,
    git: git({ dir: base, env: cleanEnv(base) }, "--version").trim(),
  };
  const broken = rows.filter(({ ratio, bar }) => bar !== null && ratio > bar);
  const lines = rows.map(({ what, ratio, bar, detail }) => {
    const verdict = bar === null ? "" : ratio <= bar ? "held" : "BROKEN";
    return `| ${what} | ${ratio.toFixed(2)} | ${bar ?? ""} | ${verdict} | ${detail} |`;
  });
  const head = ["| what | ratio | bar | | medians |", "|---|---|---|---|---|"];
  process.stdout.write(
    `${machine.git}, node ${machine.node}, ${machine.cores} cores\n\n${[...head, ...lines].join("\n")}\n`,
  );
  writeFileSync(join(dist, "..", "bench", "results.json"), `${JSON.stringify({ machine, rows }, null, 2)}\n`);
  if (broken.length > 0) process.exitCode = 1;
}

main().finally(() => rmSync(base, { recursive: true, force: true, maxRetries: 10 }));
