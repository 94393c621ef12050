import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Curve, LargeRepository } from "./bench.js";
import type { Row } from "./measure.js";
import type { Machine } from "./report.js";
import { dist } from "./repos.js";

const root = join(dist, "..");
const MEASURED = join(root, "bench", "measured.json");
const HISTORY = join(root, "bench", "history.jsonl");

/** What the last written run of a part found, and where. */
export interface MeasuredPart {
  date: string;
  machine: Machine;
  rows: Row[];
  curves: Curve[];
  large?: LargeRepository[];
}

export type Measured = Record<string, MeasuredPart>;

/** One line of the history: the ratios of one part in one run. */
interface PastRun {
  part: string;
  date: string;
  node: string;
  ratios: Record<string, number>;
}

/** The results that the pages show. Committed, so that a test can compare the pages with them. */
export function readMeasured(): Measured {
  return existsSync(MEASURED) ? (JSON.parse(readFileSync(MEASURED, "utf8")) as Measured) : {};
}

/** The parts that were measured now take the place of their last results; the history keeps the ratios of both. */
export function storeMeasured(found: Measured): Measured {
  const all = { ...readMeasured(), ...found };
  writeFileSync(MEASURED, `${JSON.stringify(all, null, 2)}\n`);
  for (const [part, { date, machine, rows }] of Object.entries(found)) {
    const ratios = Object.fromEntries(rows.map(({ what, ratio }) => [what, Math.round(ratio * 100) / 100]));
    appendFileSync(HISTORY, `${JSON.stringify({ part, date, node: machine.node, ratios } satisfies PastRun)}\n`);
  }
  return all;
}

/** The ratio of a row in the run before the last one of its part; null where there is none. */
export function ratioBefore(part: string, what: string): number | null {
  const runs = pastRuns().filter((run) => run.part === part && Object.hasOwn(run.ratios, what));
  return runs.at(-2)?.ratios[what] ?? null;
}

function pastRuns(): PastRun[] {
  if (!existsSync(HISTORY)) return [];
  const lines = readFileSync(HISTORY, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as PastRun);
}
