import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { LargeRepository, Part } from "./bench.js";
import { commitUnseen, makeLarge, USED_BY_ALL } from "./many-files.js";
import { type Cost, costOf } from "./memory.js";
import { cleanEnv, dist, git, type Place } from "./repos.js";

/** The most that an operation may take there, in MB. */
const MOST_MB = 1024;

const DATA = ".understand-anything";
const ARTEFACTS = ["knowledge-graph.json", "fingerprints.json"].map((name) => join(DATA, name));

/** A new function, by how the name of a file ends. */
const FUNCTIONS: Record<string, (name: string) => string> = {
  ".ts": (name) => `export function ${name}(): number {\n  return 1;\n}\n`,
  ".py": (name) => `\n\ndef ${name}():\n    return 1\n`,
  ".go": (name) => `\nfunc ${name}() int {\n\treturn 1\n}\n`,
};

/**
 * Every operation in one repository, as a part of the benchmark. `of`: how many files to make, or the path of a clone, which is
 * cloned. The limit is that of the largest repositories, and holds for all.
 */
export const operationsIn =
  (of: string): Part =>
  async ({ base, large }) => {
    const found = measureLarge(base, of);
    large.push(found);
    const [most] = [...found.operations].sort((a, b) => b.mb - a.mb);
    const detail = `${Math.round(most?.mb ?? 0)} MB, ${most?.what}`;
    const what = `${found.name}: memory of the operation that takes most ÷ 1 GB`;
    return [{ what, ratio: (most?.mb ?? 0) / MOST_MB, bar: 1, detail }];
  };

function measureLarge(base: string, of: string): LargeRepository {
  const count = Number(of);
  const place = count > 0 ? makeLarge(base, count, count > 20_000 ? 10 : 20) : cloneOf(base, of);
  const { ending, paths } = sourcesOf(place);
  const operations: LargeRepository["operations"] = [];
  const note = (what: string, { cpuMs, mb }: Cost) => {
    operations.push({ what, seconds: cpuMs / 1000, mb });
    process.stderr.write(`${what}: ${(cpuMs / 1000).toFixed(1)} s, ${mb.toFixed(0)} MB\n`);
  };
  const cli = (what: string, ...args: string[]) => note(what, costOf(place, join(dist, "cli.cjs"), ...args));
  const worker = (what: string) => note(what, costOf(place, join(dist, "hook.cjs"), "run", join(place.dir, ".git")));
  const add = (path: string, name: string) => {
    appendFileSync(join(place.dir, path), FUNCTIONS[ending]?.(name) ?? "");
    commitUnseen(place, name);
  };
  const goTo = (commit: string) => git({ ...place, env: { ...place.env, UA_HOOKS: "0" } }, "checkout", "-q", commit);

  cli("`install`", "install", "--yes");
  const sizes = sizesOf(place);
  const path = paths[Math.floor(paths.length / 2)] ?? "";
  add(path, "first_added");
  worker("the worker after a commit, marker mode");
  cli("`status`", "status");
  cli("`claim`", "claim");
  const answer = { id: `file:${path}`, type: "file", name: "m", filePath: path, tags: [], complexity: "simple" };
  const result = join(base, "result.json");
  writeFileSync(result, JSON.stringify({ files: [path], nodes: [{ ...answer, summary: "What it says." }], edges: [] }));
  cli("`apply` of one file", "apply", result);
  goTo("HEAD~1");
  worker("the worker after a switch that puts one file back");
  goTo("main");
  worker("the worker after the switch to and fro");
  writeFileSync(join(place.dir, ".ua-hooksrc"), JSON.stringify({ mode: "inline" }));
  add(paths[Math.floor(paths.length / 3)] ?? "", "second_added"); // one that nobody described: others wait for an answer
  worker("the worker after a commit, inline mode");
  rmSync(join(place.dir, ".ua-hooksrc"));
  writeFileSync(join(place.dir, `added${ending}`), FUNCTIONS[ending]?.("only") ?? "");
  commitUnseen(place, "a new file");
  cli("`run` with a new file", "run");
  if (count > 0) {
    renameUsed(place, paths[0] ?? "");
    cli("`run` after renaming a function that every file uses", "run");
  }
  askAll(cli, base);
  cli("`doctor`", "doctor");
  cli("`uninstall --purge`", "uninstall", "--purge", "--yes");
  if (existsSync(join(place.dir, ".git/ua-hooks"))) throw new Error("uninstall left its state");
  return { name: nameFor(place, of, ending, paths.length), operations, sizes };
}

/** Commands that read everything. */
function askAll(cli: (what: string, ...args: string[]) => void, base: string): void {
  cli("`verify`", "verify");
  cli("`verify --against-clean`", "verify", "--against-clean");
  cli("`registry ls`", "registry", "ls");
  cli("`report`", "report", "--out", join(base, "report.html"));
  cli("`export`", "export");
  cli("`export --descriptions`", "export", "--descriptions", join(base, "descriptions.jsonl"));
}

function cloneOf(base: string, from: string): Place {
  const place = { dir: join(base, "large"), env: cleanEnv(base) };
  git({ dir: base, env: place.env }, "clone", "-q", "--no-tags", "--single-branch", from, place.dir);
  git(place, "checkout", "-q", "-B", "main");
  return place;
}

/** The files of the language that has most. */
function sourcesOf(place: Place): { ending: string; paths: string[] } {
  const all = git(place, "ls-files").split("\n");
  const byEnding = Object.keys(FUNCTIONS).map((ending) => ({
    ending,
    paths: all.filter((path) => extname(path) === ending),
  }));
  const [most] = byEnding.sort((a, b) => b.paths.length - a.paths.length);
  if (most === undefined || most.paths.length === 0) throw new Error("no file of a language that is known here");
  return most;
}

function renameUsed(place: Place, path: string): void {
  const file = join(place.dir, path);
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(`${USED_BY_ALL}(`, `${USED_BY_ALL}Renamed(`));
  commitUnseen(place, "rename");
}

function sizesOf({ dir }: Place): Record<string, number> {
  const files = [...ARTEFACTS, ".git/ua-hooks/state.db"];
  return Object.fromEntries(
    files.map((file) => [file.split("/").at(-1) ?? file, statSync(join(dir, file)).size / 2 ** 20]),
  );
}

function nameFor(place: Place, of: string, ending: string, files: number): string {
  const count = `${files.toLocaleString("en")} ${ending} files`;
  if (Number(of) > 0) return `made, ${Number(of).toLocaleString("en")} files`;
  const [, name = of] = /([^/+]+?)(?:\/repo|\.git)?\/?$/.exec(of) ?? [];
  return `${name} at ${git(place, "rev-parse", "--short=10", "HEAD~3").trim()}, ${count}`;
}
