import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { agentRows } from "./agent.js";
import type { Bench, Part } from "./bench.js";
import { foregroundRows } from "./foreground.js";
import { gitRows, slotRows } from "./git.js";
import { largeGraphRows } from "./large.js";
import type { Row } from "./measure.js";
import { recordRows } from "./records.js";
import { registryRows } from "./registry.js";
import { replayRows } from "./replay.js";
import { cleanEnv, dist, git } from "./repos.js";

const PARTS: Record<string, Part> = {
  git: gitRows,
  slots: slotRows,
  foreground: foregroundRows,
  agent: agentRows,
  graph: largeGraphRows,
  records: recordRows,
  registry: registryRows,
  replay: replayRows,
};

const quick = process.argv.includes("--quick");
const base = mkdtempSync(join(tmpdir(), "ua-hooks-bench-"));
const bench: Bench = { base, quick, rounds: (full) => (quick ? Math.max(5, Math.floor(full / 4)) : full) };

async function main(): Promise<void> {
  const only = process.argv.find((argument) => argument.startsWith("--only="))?.slice("--only=".length);
  if (only !== undefined && !Object.hasOwn(PARTS, only)) {
    throw new Error(`--only takes one of ${Object.keys(PARTS).join(", ")}`);
  }
  const rows: Row[] = [];
  for (const [name, part] of Object.entries(PARTS)) {
    if (only === undefined || only === name) rows.push(...(await part(bench)));
  }
  report(rows);
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
