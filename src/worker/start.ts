import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * Starts a worker in its own session; returns its pid, or undefined if it did not start. It always runs hook.cjs, also
 * if a command or an agent's hook starts it.
 */
export function startWorker(commonDir: string): number | undefined {
  const { spawn } = process.getBuiltinModule("node:child_process"); // 3 ms that most starts do not need
  const options = { cwd: commonDir, detached: true, stdio: "ignore", windowsHide: true } as const;
  const own = join(commonDir, "ua-hooks", "runtime", "hook.cjs"); // the clone's, which can read its database
  const program = existsSync(own) ? own : join(import.meta.dirname, "hook.cjs");
  const child = spawn(process.execPath, [program, "run", commonDir], options);
  child.on("error", () => {}); // the next event tries again
  child.unref();
  return child.pid;
}
