import { join } from "node:path";

/**
 * Starts a worker in its own session; returns its pid, or undefined if it did not start. It always runs hook.cjs, also
 * if a command or an agent's hook starts it.
 */
export function startWorker(commonDir: string): number | undefined {
  const { spawn } = process.getBuiltinModule("node:child_process"); // 3 ms that most starts do not need
  const options = { detached: true, stdio: "ignore" } as const;
  const child = spawn(process.execPath, [join(import.meta.dirname, "hook.cjs"), "run", commonDir], options);
  child.on("error", () => {}); // the next event tries again
  child.unref();
  return child.pid;
}
