import { join } from "node:path";

/**
 * A runner in a session of its own; its number, or undefined where it did not start. It is always hook.cjs that runs,
 * whichever of our programs asks for it: a command, an agent's hook, or hook.cjs itself.
 */
export function startWorker(commonDir: string): number | undefined {
  const { spawn } = process.getBuiltinModule("node:child_process"); // 3 ms that most starts do without
  const options = { detached: true, stdio: "ignore" } as const;
  const child = spawn(process.execPath, [join(import.meta.dirname, "hook.cjs"), "run", commonDir], options);
  child.on("error", () => {}); // the next event tries again
  child.unref();
  return child.pid;
}
