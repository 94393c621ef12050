import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * A runner in a session of its own; its number, or undefined where it did not start. It is always hook.cjs that runs,
 * whichever of our programs asks for it: a command, an agent's hook, or hook.cjs itself.
 */
export function startWorker(commonDir: string): number | undefined {
  const { spawn } = process.getBuiltinModule("node:child_process"); // 3 ms that most starts do without
  const options = { detached: true, stdio: "ignore" } as const;
  const own = join(commonDir, "ua-hooks", "runtime", "hook.cjs"); // the clone's, which can read its database
  const program = existsSync(own) ? own : join(import.meta.dirname, "hook.cjs");
  const child = spawn(process.execPath, [program, "run", commonDir], options);
  child.on("error", () => {}); // the next event tries again
  child.unref();
  return child.pid;
}
