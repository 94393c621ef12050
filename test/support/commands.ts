import { spawnSync } from "node:child_process";
import type { Result } from "./repo.js";

/** What a process begins with. */
interface Call {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** Runs a program to its end. */
export function runProgram(program: string, args: readonly string[], { cwd, env }: Call): Result {
  const options = { cwd, env, encoding: "utf8", maxBuffer: 1 << 28 } as const;
  const { status, stdout, stderr, error } = spawnSync(program, args, options);
  if (error !== undefined) throw error;
  return { code: status ?? -1, stdout, stderr };
}
