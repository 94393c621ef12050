import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { agentRows } from "./agent.js";
import { baselineRows, knownRows } from "./baseline.js";
import type { Bench, Part } from "./bench.js";
import { diskRows } from "./disk.js";
import { foregroundRows } from "./foreground.js";
import { gitRows, slotRows } from "./git.js";
import { growthRows } from "./growth.js";
import { largeGraphRows } from "./large.js";
import { isBroken, type Row } from "./measure.js";
import { type Measured, storeMeasured } from "./measured.js";
import { operationsIn } from "./operations.js";
import { packetRows } from "./packets.js";
import { writePages } from "./pages.js";
import { priorityRows } from "./priority.js";
import { realRows } from "./real.js";
import { recordRows } from "./records.js";
import { registryRows } from "./registry.js";
import { replayRows } from "./replay.js";
import { machineText, type Results, rowTable, saveResults, thisMachine } from "./report.js";
import { scaleRows } from "./scale.js";
import { sharingRows } from "./sharing.js";
import { sizeRows } from "./size.js";
import { worktreeRows } from "./worktrees.js";

const PARTS: Record<string, Part> = {
  git: gitRows,
  slots: slotRows,
  worktrees: worktreeRows,
  foreground: foregroundRows,
  registry: registryRows,
  baseline: baselineRows,
  known: knownRows,
  size: sizeRows,
  disk: diskRows,
  priority: priorityRows,
  agent: agentRows,
  graph: largeGraphRows,
  scale: scaleRows,
  records: recordRows,
  replay: replayRows,
  sharing: sharingRows,
  packets: packetRows,
  growth: growthRows,
  real: realRows,
};

/** One for each repository of `--large`. */
const LARGE = "large";
const largeName = (of: string) => `${LARGE}-${of.split(/[\\/]/).at(-1)}`;

/** The bars that the contract names, as far as a minute goes. */
const IN_A_MINUTE = ["git", "foreground", "packets", "registry", "known", "size"];

/** Strictly: a quarter of an hour is too long for a word that was misspelled. */
const { quick, write, only, large } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    only: { type: "string" },
    /** Of `--only=large`: numbers of files to make, and paths of clones. */
    large: { type: "string", default: "12000" },
  },
}).values;
/** What is more than rows. */
type More = Pick<Bench, "curves" | "large">;

const base = mkdtempSync(join(tmpdir(), "ua-hooks-bench-"));

function chosen(): string[] {
  if (only === undefined) return quick ? IN_A_MINUTE : Object.keys(PARTS);
  const names = only.split(",");
  const unknown = names.filter((name) => name !== LARGE && !Object.hasOwn(PARTS, name));
  if (unknown.length > 0) throw new Error(`--only takes a list of ${[...Object.keys(PARTS), LARGE].join(", ")}`);
  const repositories = large.split(",");
  for (const of of repositories) PARTS[largeName(of)] = operationsIn(of);
  return names.flatMap((name) => (name === LARGE ? repositories.map(largeName) : [name]));
}

async function main(): Promise<void> {
  if (write && quick) throw new Error("--write takes a full run, or whole parts of one (--only=…)");
  const names = chosen();
  const results: Results = { machine: thisMachine(base), rows: [], curves: [] };
  const found: Measured = {};
  const failed: string[] = [];
  for (const name of names) {
    const [date, machine] = [new Date().toISOString().slice(0, 10), thisMachine(base)];
    const more: More = { curves: [], large: [] };
    try {
      found[name] = { date, machine, rows: await measured(name, more), ...more };
      results.rows.push(...found[name].rows);
      results.curves.push(...more.curves);
      saveResults(results);
      if (write) writePages(storeMeasured({ [name]: found[name] })); // part by part: a run may be ended
    } catch (error) {
      process.stderr.write(`${name} failed: ${error instanceof Error ? error.stack : String(error)}\n`);
      failed.push(name); // the other parts are measured all the same
    }
  }
  const { machine, rows } = results;
  process.stdout.write(`${machineText(machine)}; load before the run ${machine.load}.\n\n${rowTable(rows)}\n`);
  const left = Object.keys(PARTS).filter((name) => !names.includes(name));
  if (quick && only === undefined)
    process.stdout.write(
      `\nNot in the quick form: the peers and the parts ${left.join(", ")} (npm run bench, or --only=…).\n`,
    );
  if (failed.length > 0) process.stdout.write(`\nNot measured, because of an error above: ${failed.join(", ")}.\n`);
  if (failed.length > 0 || results.rows.some(isBroken)) process.exitCode = 1;
}

/**
 * A few rounds on a machine that does something else meanwhile can break any bar, but not twice: in the quick form a part with
 * a broken bar is measured again, and the better of the two counts.
 */
async function measured(name: string, more: More): Promise<Row[]> {
  const rows = await runPart(name, name, more);
  if (!quick || !IN_A_MINUTE.includes(name) || !rows.some(isBroken)) return rows;
  const again = await runPart(name, `${name}-again`, { curves: [], large: [] });
  return rows.map((row) => {
    const second = again.find(({ what }) => what === row.what) ?? row;
    return isBroken(row) && second.ratio < row.ratio
      ? { ...second, detail: `${second.detail}, at the second try` }
      : row;
  });
}

async function runPart(name: string, folder: string, more: More): Promise<Row[]> {
  const rounds = (full: number) => (quick ? Math.max(5, Math.floor(full / 4)) : full);
  const bench: Bench = { base: join(base, folder), quick, rounds, ...more };
  mkdirSync(bench.base);
  const started = performance.now();
  const rows = (await PARTS[name]?.(bench)) ?? [];
  process.stderr.write(`${folder}: ${((performance.now() - started) / 1000).toFixed(0)} s\n`);
  rmSync(bench.base, { recursive: true, force: true, maxRetries: 10 });
  return rows;
}

main().finally(() => rmSync(base, { recursive: true, force: true, maxRetries: 10 }));
