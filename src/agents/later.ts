import { spawn } from "node:child_process";
import { join } from "node:path";

/** The verification goes on without us, in a runner of its own (hook/main.ts). */
export function startRunner(commonDir: string): void {
  const options = { detached: true, stdio: "ignore" } as const;
  spawn(process.execPath, [join(import.meta.dirname, "hook.cjs"), "detach", commonDir], options).unref();
}
