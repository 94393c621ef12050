import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Repo, Result } from "./repo.js";

export interface Hearing {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Stdin stays open after the input. */
  open?: boolean;
}

/** Runs what install wrote for agents, as a client does: the script in the state dir, the input on stdin. */
export function hear(repo: Repo, args: readonly string[], input: string, hearing: Hearing = {}): Promise<Result> {
  const { cwd = repo.dir, env = repo.env, open = false } = hearing;
  const script = join(repo.base, "repo", ".git/ua-hooks/agent.sh");
  return run("sh", [script, ...args], input, { cwd, env, open });
}

export function run(
  command: string,
  args: readonly string[],
  input: string,
  { cwd, env, open = false }: Hearing & { cwd: string },
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: "pipe" });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.stdin.on("error", () => {}); // it may end before it has read all
    child.on("error", reject);
    child.on("exit", (code) => {
      child.stdin.destroy();
      // The pipes may still hold what it said last.
      child.on("close", () => resolve({ code: code ?? -1, stdout, stderr }));
    });
    child.stdin.write(input);
    if (!open) child.stdin.end();
  });
}
