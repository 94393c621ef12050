import { spawnSync } from "node:child_process";

/** Times in milliseconds, one list a contender. */
export type Samples = Map<string, number[]>;

/** A comparison that takes longer ends after the fewest rounds that say something, so that all parts together take a quarter of an hour. */
const MOST_MS = 40_000;
const FEWEST_ROUNDS = 3;

/** One round of every contender after the other, again and again: a slow minute of the machine hits all alike. */
export async function interleave(
  rounds: number,
  contenders: Record<string, () => number | Promise<number>>,
  mostMs = MOST_MS,
): Promise<Samples> {
  const samples: Samples = new Map(Object.keys(contenders).map((name) => [name, []]));
  const started = performance.now();
  for (let round = -1; round < rounds; round++) {
    if (round >= FEWEST_ROUNDS && performance.now() - started > mostMs) break;
    for (const [name, run] of Object.entries(contenders)) {
      const ms = await run();
      if (round >= 0) samples.get(name)?.push(ms); // the first round warms caches
    }
  }
  return samples;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Between two samples, a share of both. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(at)] ?? 0, sorted[Math.ceil(at)] ?? 0];
  return below + (above - below) * (at - Math.floor(at));
}

/** The median, and the quartiles around it. */
export interface Spread {
  median: number;
  low: number;
  high: number;
}

export function spread(values: readonly number[]): Spread {
  return { median: median(values), low: quantile(values, 0.25), high: quantile(values, 0.75) };
}

export interface Timed {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** On stdin. */
  input?: string;
}

export function time(command: string, args: readonly string[], { cwd, env, input }: Timed): number {
  const started = process.hrtime.bigint();
  const { status, stderr } = spawnSync(command, args, {
    cwd,
    env,
    encoding: "utf8",
    ...(input === undefined ? {} : { input }),
    stdio: [input === undefined ? "ignore" : "pipe", "ignore", "pipe"],
  });
  const ms = Number(process.hrtime.bigint() - started) / 1e6;
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} exited ${status}: ${stderr}`);
  return ms;
}

/** A child's clock ticks are ten milliseconds: so many runs are counted together. */
const RUNS_PER_CPU_SAMPLE = 10;
const REPEATED = 'i=0; while [ $i -lt "$1" ]; do sh -c "$2" <"$3" >/dev/null || exit 1; i=$((i+1)); done; times';

/** CPU time of a shell command and all that it starts, user and system, in milliseconds. `input`: the file for its stdin. */
export function cpuTime(command: string, { cwd, env, input = "/dev/null" }: Timed): number {
  const args = ["-c", REPEATED, "sh", String(RUNS_PER_CPU_SAMPLE), command, input];
  const { status, stdout, stderr } = spawnSync("sh", args, { cwd, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} exited ${status}: ${stderr}`);
  return childTime(stdout) / RUNS_PER_CPU_SAMPLE;
}

/** CPU time of one run of it, where there is a bash: its `times` counts in milliseconds. Null elsewhere. */
export function cpuOfOne(command: string, { cwd, env }: Timed): number | null {
  const args = ["-c", `${command} </dev/null >/dev/null 2>&1; times`];
  const { status, stdout } = spawnSync("bash", args, { cwd, env, encoding: "utf8" });
  return status === 0 ? childTime(stdout) : null;
}

/** The second line of `times` is what children took: 0m1.230000s 0m0.450000s */
function childTime(output: string): number {
  const parts = [...(output.split("\n")[1] ?? "").matchAll(/(\d+)m([\d.]+)s/g)];
  return 1000 * parts.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0);
}

export interface Row {
  what: string;
  /** Our time over the reference's, in the same run. */
  ratio: number;
  /** Not to be exceeded. */
  bar: number | null;
  detail: string;
}

export const isBroken = ({ ratio, bar }: Row): boolean => bar !== null && ratio > bar;

export function row(what: string, ours: readonly number[], reference: readonly number[], bar: number | null): Row {
  const detail = `${spreadText(ours)} ÷ ${spreadText(reference)}, ${ours.length} rounds`;
  return { what, ratio: median(ours) / median(reference), bar, detail };
}

/** `16.7 ms (16.1–17.9)`: the half of all rounds that lies in the middle. What is no measurement has no spread. */
export function spreadText(values: readonly number[]): string {
  const { median: middle, low, high } = spread(values);
  const digits = middle < 100 ? 1 : 0;
  const range = values.length > 1 ? ` (${low.toFixed(digits)}–${high.toFixed(digits)})` : "";
  return `${middle.toFixed(digits)} ms${range}`;
}

/** The same in CPU time, which other work on the machine changes less. */
export function withCpu(timed: Row, ours: readonly number[], reference: readonly number[]): Row {
  const ratio = (median(ours) / median(reference)).toFixed(2);
  return { ...timed, detail: `${timed.detail}; CPU ${spreadText(ours)} ÷ ${spreadText(reference)}, ${ratio}` };
}
