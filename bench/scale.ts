import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Part } from "./bench.js";
import { interleave, type Row, row } from "./measure.js";
import { cleanEnv, dist, git, type Place } from "./repos.js";

const FILES = 12_000;

/** How large a repository is made. */
interface Size {
  files: number;
  functionsEach: number;
}

const nameOf = (at: number) => `m${String(at).padStart(6, "0")}`;
export const pathOf = (at: number) => `pkg${at % 40}/part${Math.floor(at / 40) % 25}/${nameOf(at)}.ts`;

/** Documented functions that call each other and those of four other files; every file uses the first one. */
function textOf(at: number, { files, functionsEach }: Size): string {
  const others = [...new Set([0, (at * 7 + 1) % files, (at * 13 + 5) % files, (at * 31 + 11) % files])];
  const used = others.filter((other) => other !== at);
  const imports = used.map((other) => {
    const name = nameOf(other);
    return `import { ${name}f0, ${name}f1 } from "../../${pathOf(other).replace(/ts$/, "js")}";`;
  });
  const functions = Array.from({ length: functionsEach }, (_, f) => {
    const other = nameOf(used[f % used.length] ?? 0);
    const before = f === 0 ? "first" : `first + ${nameOf(at)}f${f - 1}(other)`;
    return `/** Computes value ${f} of module ${at} from its input. */
export function ${nameOf(at)}f${f}(input: number, other = ${f}): number {
  const first = ${other}f${f % 2}(input + other);
  return ${before};
}
`;
  });
  return [...imports, ...functions].join("\n");
}

export function makeLarge(base: string, size: Size): Place {
  const place = { dir: join(base, "large"), env: cleanEnv(base) };
  for (let at = 0; at < size.files; at++) {
    const file = join(place.dir, pathOf(at));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, textOf(at, size));
  }
  git(place, "init", "-q", "-b", "main");
  git(place, "add", "-A");
  git(place, "commit", "-q", "-m", "start");
  return place;
}

/** Runs our program, and says how long it took and how much memory it had at most, in MB. */
export function measured({ dir, env }: Place, ...args: string[]): { ms: number; mb: number } {
  const [probe, result] = [join(dir, "../memory.cjs"), join(dir, "../memory")];
  // Of /proc, since getrusage() counts the process that forked as well.
  writeFileSync(
    probe,
    `if (require("node:worker_threads").isMainThread) process.on("exit", () => {
      const fs = require("node:fs");
      fs.writeFileSync(${JSON.stringify(result)}, /VmHWM:\\s+(\\d+)/.exec(fs.readFileSync("/proc/self/status", "utf8"))[1]);
    });`,
  );
  const started = performance.now();
  execFileSync(process.execPath, ["--require", probe, join(dist, "cli.cjs"), ...args], {
    cwd: dir,
    env,
    stdio: "ignore",
  });
  return { ms: performance.now() - started, mb: Number(readFileSync(result, "utf8")) / 1024 };
}

const DATA = ".understand-anything";

/** What no program that writes the artefacts can do without. */
function readAndWrite({ dir }: Place): number {
  const started = performance.now();
  for (const name of readdirSync(join(dir, DATA)))
    writeFileSync(join(dir, "../copy"), readFileSync(join(dir, DATA, name)));
  return performance.now() - started;
}

export function commit(place: Place, message: string): void {
  git({ ...place, env: { ...place.env, UA_HOOKS: "0" } }, "add", "-A");
  git({ ...place, env: { ...place.env, UA_HOOKS: "0" } }, "commit", "-q", "-m", message);
}

/** What one changed file costs where there are 12,000: time against copying the artefacts, and memory. */
export const scaleRows: Part = async ({ base, rounds }) => {
  const place = makeLarge(base, { files: FILES, functionsEach: 20 });
  const memory = new Map<string, number[]>();
  const run = (what: string, ...args: string[]): number => {
    const { ms, mb } = measured(place, ...args);
    memory.set(what, [...(memory.get(what) ?? []), mb]);
    return ms;
  };
  run("install", "install", "--yes");
  const path = pathOf(FILES / 2);
  let round = 0;
  const samples = await interleave(rounds(5), {
    allowed: () => 3 * readAndWrite(place) + 2_000,
    commit: () => {
      appendFileSync(join(place.dir, path), `export function round${++round}(): number {\n  return ${round};\n}\n`);
      commit(place, `round ${round}`);
      return run("commit", "status");
    },
    apply: () => {
      const result = join(place.dir, "../result.json");
      const node = { id: `file:${path}`, type: "file", name: "m", filePath: path, tags: [], complexity: "simple" };
      const file = { ...node, summary: `What round ${round} says.` };
      writeFileSync(result, JSON.stringify({ files: [path], nodes: [file], edges: [] }));
      return run("apply", "apply", result);
    },
    "switch back": () => {
      git({ ...place, env: { ...place.env, UA_HOOKS: "0" } }, "checkout", "-q", "HEAD~1");
      const ms = run("switch back", "status");
      git({ ...place, env: { ...place.env, UA_HOOKS: "0" } }, "checkout", "-q", "main");
      run("switch back", "status");
      return ms;
    },
    "run with a new file": () => {
      writeFileSync(join(place.dir, `pkg1/new${round}.ts`), `export function only${round}(): void {}\n`);
      commit(place, `file ${round}`);
      return run("run with a new file", "run");
    },
  });
  const timed = ["apply", "switch back", "run with a new file"].map((what) =>
    row(
      `12,000 files: ${what} ÷ (3 × copying the artefacts + 2 s)`,
      samples.get(what) ?? [],
      samples.get("allowed") ?? [],
      1,
    ),
  );
  const bars = { install: 700, commit: 150, apply: 300, "switch back": 300, "run with a new file": 300 };
  return [...timed, ...Object.entries(bars).map(([what, bar]) => memoryRow(what, memory.get(what) ?? [], bar))];
};

function memoryRow(what: string, mb: readonly number[], bar: number): Row {
  const most = Math.max(0, ...mb);
  const detail = `${Math.round(most)} MB at most, ${mb.length} times`;
  return { what: `12,000 files: memory of ${what} ÷ ${bar} MB`, ratio: most / bar, bar: 1, detail };
}
