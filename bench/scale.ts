import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Part } from "./bench.js";
import { commitUnseen, makeLarge, pathOf } from "./many-files.js";
import { interleave, type Row, row } from "./measure.js";
import { type Cost, costOf } from "./memory.js";
import { dist, git, type Place } from "./repos.js";

const FILES = 12_000;

const DATA = ".understand-anything";

/** What no program that writes the artefacts can do without. */
function readAndWrite({ dir }: Place): number {
  const started = performance.now();
  for (const name of readdirSync(join(dir, DATA)))
    writeFileSync(join(dir, "../copy"), readFileSync(join(dir, DATA, name)));
  return performance.now() - started;
}

const renderedAt = ({ dir }: Place) =>
  statSync(join(dir, DATA, "knowledge-graph.json"), { throwIfNoEntry: false })?.mtimeMs ?? null;

/** What one changed file costs where there are 12,000: time against copying the artefacts, and memory. */
export const scaleRows: Part = async ({ base, rounds }) => {
  // The operations of a round follow each other, each from where the one before left the repository.
  const place = makeLarge(base, FILES);
  const memory = new Map<string, number[]>();
  const note = (what: string, renders: boolean, cost: () => Cost): number => {
    const before = renderedAt(place);
    const { ms, mb } = cost();
    if ((renderedAt(place) !== before) !== renders)
      throw new Error(`${what}: the graph was ${renders ? "not " : ""}written`);
    memory.set(what, [...(memory.get(what) ?? []), mb]);
    return ms;
  };
  const run = (what: string, ...args: string[]) =>
    note(what, true, () => costOf(place, join(dist, "cli.cjs"), ...args));
  /** The worker that hooks start. */
  const work = (what: string, renders = true) =>
    note(what, renders, () => costOf(place, join(dist, "hook.cjs"), "run", join(place.dir, ".git")));
  run("install", "install", "--yes");
  const path = pathOf(FILES / 2);
  let round = 0;
  const addFunction = (to = path) => {
    appendFileSync(join(place.dir, to), `export function round${++round}(): number {\n  return ${round};\n}\n`);
    commitUnseen(place, `round ${round}`);
  };
  const samples = await interleave(rounds(5), {
    allowed: () => 3 * readAndWrite(place) + 2_000,
    commit: () => {
      addFunction();
      return work("commit", false);
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
      const ms = work("switch back");
      git({ ...place, env: { ...place.env, UA_HOOKS: "0" } }, "checkout", "-q", "main");
      work("switch back");
      return ms;
    },
    inline: () => {
      const config = join(place.dir, ".ua-hooksrc");
      writeFileSync(config, JSON.stringify({ mode: "inline" }));
      addFunction(pathOf(FILES / 3)); // one that nobody described: others wait for an answer
      const ms = work("inline");
      rmSync(config);
      commitUnseen(place, `marker mode again ${round}`);
      work("commit", false);
      return ms;
    },
    "run with a new file": () => {
      writeFileSync(join(place.dir, `pkg1/new${round}.ts`), `export function only${round}(): void {}\n`);
      commitUnseen(place, `file ${round}`);
      return run("run with a new file", "run");
    },
  });
  const timed = ["apply", "switch back", "inline", "run with a new file"].map((what) =>
    row(
      `12,000 files: ${what} ÷ (3 × copying the artefacts + 2 s)`,
      samples.get(what) ?? [],
      samples.get("allowed") ?? [],
      1,
    ),
  );
  const bars = { install: 700, commit: 150, apply: 300, "switch back": 300, inline: 300, "run with a new file": 300 };
  return [...timed, ...Object.entries(bars).map(([what, bar]) => memoryRow(what, memory.get(what) ?? [], bar))];
};

function memoryRow(what: string, mb: readonly number[], bar: number): Row {
  const most = Math.max(0, ...mb);
  const detail = `${Math.round(most)} MB at most, ${mb.length} times`;
  return { what: `12,000 files: memory of ${what} ÷ ${bar} MB`, ratio: most / bar, bar: 1, detail };
}
