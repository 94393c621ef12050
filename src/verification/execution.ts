import { join } from "node:path";
import type { Config } from "../repository/config.js";
import { readTextIfThere, writeFileAtomic } from "../store/files.js";

/**
 * The shim does not read the config: whether git waits is the third line of `env`, after node and entry. Updated
 * whenever the config is read, so that a changed `execution` takes effect after the next verification.
 */
export function saveExecution(stateDir: string, execution: Config["execution"]): void {
  const file = join(stateDir, "env");
  const lines = readTextIfThere(file)?.split("\n");
  if (lines === undefined || lines.length < 3 || lines[2] === execution) return; // uninstalled, or already correct
  lines[2] = execution;
  writeFileAtomic(file, lines.join("\n"), 0o600);
}
