import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "./repos.js";

/** What a program took. */
export interface Cost {
  ms: number;
  /** Of all its Node processes with their threads, without git's. */
  cpuMs: number;
  /** At most, of the largest of its Node processes. */
  mb: number;
}

// Of /proc, since getrusage() counts the process that forked as well.
const PROBE = `if (require("node:worker_threads").isMainThread) process.on("exit", () => {
  const fs = require("node:fs");
  const { user, system } = process.cpuUsage();
  const [, kilobytes] = /VmHWM:\\s+(\\d+)/.exec(fs.readFileSync("/proc/self/status", "utf8"));
  fs.writeFileSync(require("node:path").join(__dirname, String(process.pid)), JSON.stringify([user + system, Number(kilobytes)]));
});`;

/** Runs a program of ours, and the Node processes that it starts, each of which says what it took when it ends. */
export function costOf({ dir, env }: Place, program: string, ...args: string[]): Cost {
  const folder = join(dir, "../costs");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const probe = join(folder, "probe.cjs");
  writeFileSync(probe, PROBE);
  const started = performance.now();
  execFileSync(process.execPath, [program, ...args], {
    cwd: dir,
    env: { ...env, NODE_OPTIONS: `--require="${probe}"` },
    stdio: "ignore",
  });
  const ms = performance.now() - started;
  const names = readdirSync(folder).filter((name) => /^\d+$/.test(name));
  const found = names.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as [number, number]);
  if (found.length === 0) throw new Error(`${program} ${args.join(" ")} left no measurement`);
  return {
    ms,
    cpuMs: found.reduce((sum, [micro]) => sum + micro / 1000, 0),
    mb: Math.max(...found.map(([, kilobytes]) => kilobytes / 1024)),
  };
}
