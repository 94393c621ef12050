import { writeFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { join } from "node:path";
import type { Curve } from "./bench.js";
import { isBroken, type Row } from "./measure.js";
import { cleanEnv, dist, git } from "./repos.js";
import { table } from "./tables.js";

const root = join(dist, "..");

export interface Results {
  machine: Machine;
  rows: Row[];
  curves: Curve[];
}

export interface Machine {
  cpu: string;
  cores: number;
  memory: string;
  kernel: string;
  node: string;
  git: string;
  /** How many processes wanted to run before the first was measured: a busy machine measures itself. */
  load: number;
}

export function thisMachine(base: string): Machine {
  const [first] = cpus();
  return {
    ...{
      cpu: first?.model.trim() ?? "unknown",
      cores: cpus().length,
      memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    },
    ...{ kernel: `${type()} ${/^\d+\.\d+/.exec(release())?.[0] ?? ""}`, node: process.version.slice(1) },
    git: git({ dir: base, env: cleanEnv(base) }, "--version")
      .trim()
      .replace("git version ", ""),
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}

export function machineText({ cpu, cores, memory, kernel, node, git: version }: Machine): string {
  return `${cpu}, ${cores} cores, ${memory}, ${kernel}, Node ${node}, git ${version}`;
}

export const barText = ({ bar }: Row): string => (bar === null ? "" : String(Math.round(bar * 100) / 100));

/** With the ratio of the run before where it is known. */
export function rowTable(rows: readonly (Row & { before?: number | null })[]): string {
  const cells = rows.map((row) => [
    ...[row.what, row.ratio.toFixed(2), row.before?.toFixed(2) ?? ""],
    ...[barText(row), row.bar === null ? "" : isBroken(row) ? "BROKEN" : "held", row.detail],
  ]);
  return table(["what", "ratio", "before", "bar", "", "medians (quartiles)"], cells);
}

export function curveTable(curves: readonly Curve[]): string {
  const cells = curves.map(({ over, points }) => [
    over,
    points.map(({ at, median }) => `${at.toLocaleString("en")}: ${median.toFixed(0)}`).join(" · "),
  ]);
  return table(["over", "size: milliseconds"], cells);
}

export function saveResults(results: Results): void {
  writeFileSync(
    join(root, "bench", "results.json"),
    `${JSON.stringify(results, null, 2)}
`,
  );
}
