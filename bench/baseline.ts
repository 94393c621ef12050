import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { languageOf } from "../src/fingerprint/languages.js";
import type { Part } from "./bench.js";
import { interleave, type Row, row, time } from "./measure.js";
import { cleanEnv, dist, git, type Place, withForeground } from "./repos.js";

const cli = join(dist, "cli.cjs");
/** The grammars as a clone has them; dist/ has them compressed. */
const UNPACKED = join(dist, "../.build/program/dist/grammars");
/** TypeScript and JavaScript are there as people write them: our own, and some packages that we depend on. */
export const REAL = {
  ".ts": ["src", "test"],
  ".js": ["node_modules/ajv", "node_modules/knip", "node_modules/yaml", "node_modules/zod"],
};
const OTHERS = ["py", "go", "rs", "java", "cs", "php", "rb", "cpp"];
/** The least share of the parser's throughput; a row has time over time. */
const LEAST = { install: 0.45, fingerprints: 0.55 };

/**
 * All of `install` in a repository without a graph, and our threads alone, against a program that only parses the same files in as
 * many threads.
 */
export const baselineRows: Part = async ({ base, quick }) => {
  const place = makeFiles(base, quick ? 5 : 20, REAL);
  const [bare, ours] = [join(base, "bare.cjs"), join(base, "fingerprints.cjs")];
  writeFileSync(bare, BARE);
  writeFileSync(ours, FINGERPRINTS);
  const threads = String(availableParallelism());
  const list = join(base, "files.json");
  const files = filesOf(place);
  writeFileSync(list, JSON.stringify(files));
  const program = (file: string) =>
    time(process.execPath, [file, UNPACKED, list, threads], { cwd: place.dir, env: place.env });
  const samples = await interleave(quick ? 3 : 7, {
    parser: () => program(bare),
    fingerprints: () => program(ours),
    install: () => cleanInstall(place),
  });
  const rowFor = (what: string, name: keyof typeof LEAST): Row => {
    const found = row(what, samples.get(name) ?? [], samples.get("parser") ?? [], 1 / LEAST[name]);
    const share = `${(1 / found.ratio).toFixed(2)} of its throughput (at least ${LEAST[name]})`;
    return { ...found, detail: `${share}: ${files.length} files, ${found.detail}` };
  };
  const among = `in ${OTHERS.length + 2} languages`;
  return [
    rowFor(`clean baseline ${among}, all of install ÷ the parser alone, ${threads} threads each`, "install"),
    rowFor(`fingerprints ${among}, our threads ÷ the parser alone, ${threads} threads each`, "fingerprints"),
  ];
};

function cleanInstall({ dir, env }: Place): number {
  for (const made of [".git/ua-hooks", ".git/hooks", ".understand-anything"])
    rmSync(join(dir, made), { recursive: true, force: true });
  return time(process.execPath, [cli, "install"], { cwd: dir, env });
}

function filesOf(place: Place): { file: string; grammar: string }[] {
  const paths = git(place, "ls-files").trimEnd().split("\n");
  return paths.map((path) => ({ file: join(place.dir, path), grammar: languageOf(path)?.grammar ?? "" }));
}

const COPIES = 8;
const DECLARED =
  /\b(?:function|def|func|fn|class|struct|interface|trait|enum|type|module|record|namespace)\s+(\w{3,})/g;

/**
 * Real code; and for every other language some kilobytes a file: the samples of the fingerprints' tests, several times, each
 * time with other names. Those are little but declarations, so there is more to read from them than from most code.
 */
export function makeFiles(base: string, each: number, real: Readonly<Record<string, readonly string[]>>): Place {
  const place: Place = { dir: join(base, "languages"), env: cleanEnv(base) };
  for (const [ending, folders] of Object.entries(real)) {
    for (const folder of folders) {
      const root = join(dist, "..", folder);
      for (const name of readdirSync(root, { recursive: true, encoding: "utf8" })) {
        const target = `${folder.replace("node_modules", "packages")}/${name}`;
        if (name.endsWith(ending)) writeAt(place, target, readFileSync(join(root, name), "utf8"));
      }
    }
  }
  for (const ending of OTHERS) {
    const sample = readFileSync(join(dist, "..", "test/fingerprint/samples", `sample.${ending}.txt`), "utf8");
    const names = new Set([...sample.matchAll(DECLARED)].map((match) => match[1]));
    const named = new RegExp(`\\b(${[...names].join("|")})\\b`, "g");
    for (let at = 0; at < each; at++) {
      const copies = Array.from({ length: COPIES }, (_, copy) => sample.replace(named, `$1_${at}_${copy}`));
      writeAt(place, `${ending}/d${at % 10}/f${at}.${ending}`, copies.join("\n"));
    }
  }
  git(place, "init", "-q", "-b", "main");
  git(place, "add", "-A");
  git(place, "commit", "-q", "-m", "start");
  git(place, "repack", "-a", "-d", "-q");
  return place;
}

function writeAt({ dir }: Place, path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

/** As lean as it can be: each thread takes the next file, reads it, parses it, drops the tree. */
const BARE = `const { Worker, isMainThread, workerData } = require("node:worker_threads");
const { readFileSync } = require("node:fs");
if (isMainThread) {
  const [grammars, list, threads] = process.argv.slice(2);
  const next = new Int32Array(new SharedArrayBuffer(4));
  for (let at = 0; at < Number(threads); at++) new Worker(__filename, { workerData: { grammars, list, next } });
} else {
  (async () => {
    const { grammars, list, next } = workerData;
    const { Parser, Language } = require(grammars + "/tree-sitter.cjs");
    await Parser.init({ wasmBinary: readFileSync(grammars + "/tree-sitter.wasm") });
    const files = JSON.parse(readFileSync(list, "utf8"));
    const loaded = new Map();
    const parser = new Parser();
    for (let at; (at = Atomics.add(next, 0, 1)) < files.length; ) {
      const { file, grammar } = files[at];
      if (!loaded.has(grammar)) loaded.set(grammar, await Language.load(readFileSync(grammars + "/" + grammar + ".wasm")));
      parser.setLanguage(loaded.get(grammar));
      parser.parse(readFileSync(file, "utf8")).delete();
    }
  })();
}
`;

/** Our threads with nothing around them: each gets the next files, as many at once as the pool gives it, when it has answered. */
const FINGERPRINTS = `const { Worker } = require("node:worker_threads");
const { readFileSync } = require("node:fs");
const [grammars, list, threads] = process.argv.slice(2);
const files = JSON.parse(readFileSync(list, "utf8"));
const limits = { maxFileBytes: 1 << 30, parseBudgetMs: 60000 };
let next = 0;
for (let at = 0; at < Number(threads); at++) {
  const worker = new Worker(grammars + "/../worker.cjs");
  let waiting = 0;
  const give = () => {
    const jobs = [];
    for (let bytes = 0; next < files.length && jobs.length < 8 && bytes < 65536; next++) {
      const content = new Uint8Array(readFileSync(files[next].file));
      bytes += content.length;
      jobs.push({ id: next, path: files[next].file, oid: null, content, limits });
    }
    if (jobs.length === 0) return waiting === 0 && worker.terminate();
    waiting++;
    worker.postMessage(jobs, jobs.map(({ content }) => content.buffer));
  };
  worker.on("message", () => {
    waiting--;
    give();
  });
  give();
  give();
}
`;

const SWITCHED = 50;

/** Known content again: counted by what the runs themselves log. */
export const knownRows: Part = async ({ base }) => {
  const place = withForeground(makeFiles(base, 8, {}));
  execFileSync(process.execPath, [cli, "install"], { cwd: place.dir, env: place.env, stdio: "ignore" });
  git(place, "checkout", "-q", "-b", "other");
  for (const { file } of filesOf(place).slice(0, SWITCHED)) writeFileSync(file, readFileSync(file, "utf8").repeat(2));
  git(place, "commit", "-q", "-a", "-m", "other");
  const first = parses(place);
  const switches = ["main", "other", "main"];
  for (const branch of switches) git(place, "checkout", "-q", branch);
  const again = parses(place) - first;
  if (first < SWITCHED) throw new Error(`${SWITCHED} changed files were parsed ${first} times: this counts nothing`);
  const detail = `${again} parses in ${switches.length} switches between branches that differ in ${SWITCHED} files; counted, not timed`;
  const found: Row = { what: "known content again (A → B → A), parses", ratio: again, bar: 0, detail };
  return [found];
};

function parses({ dir, env }: Place): number {
  const text = execFileSync(process.execPath, [cli, "log", "--last", "1000", "--json"], {
    cwd: dir,
    env,
    encoding: "utf8",
  });
  const { runs } = JSON.parse(text) as { runs: { parses?: number }[] };
  return runs.reduce((sum, { parses: count = 0 }) => sum + count, 0);
}
