import { spawn } from "node:child_process";

/** A runner in a session of its own; its number, or undefined where it did not start. */
export function startRunner(commonDir: string): number | undefined {
  const options = { detached: true, stdio: "ignore" } as const;
  const child = spawn(process.execPath, [process.argv[1] ?? "", "run", commonDir], options);
  child.on("error", () => {}); // the next event tries again
  child.unref();
  return child.pid;
}
