import { spawnSync } from "node:child_process";

/** Times in milliseconds, one list a contender. */
export type Samples = Map<string, number[]>;

/** One round of every contender after the other, again and again: a slow minute of the machine hits all alike. */
export async function interleave(
  rounds: number,
  contenders: Record<string, () => number | Promise<number>>,
): Promise<Samples> {
  const samples: Samples = new Map(Object.keys(contenders).map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, run] of Object.entries(contenders)) {
      const ms = await run();
      if (round >= 0) samples.get(name)?.push(ms); // the first round warms caches
    }
  }
  return samples;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
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

export interface Row {
  what: string;
  /** Our time over the reference's, in the same run. */
  ratio: number;
  bar: number | null;
  detail: string;
}

export function row(what: string, ours: readonly number[], reference: readonly number[], bar: number | null): Row {
  const [a, b] = [median(ours), median(reference)];
  return { what, ratio: a / b, bar, detail: `${a.toFixed(1)} ms ÷ ${b.toFixed(1)} ms, ${ours.length} rounds` };
}
